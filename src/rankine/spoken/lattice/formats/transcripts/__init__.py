"""Formats of transcripts: words as they are written, in segments with times"""
