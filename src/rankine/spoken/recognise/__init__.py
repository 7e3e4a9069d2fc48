"""Recognition of recordings: audio files in, lattices out."""
