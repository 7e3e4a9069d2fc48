"""What is heard on the page: audio with ranges, clips, waveforms, and the time of a recording"""
