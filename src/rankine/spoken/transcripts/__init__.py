"""Transcripts of recordings, and subtitles"""
