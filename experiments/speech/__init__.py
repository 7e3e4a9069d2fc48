"""Recorded speech: recognisers, search, judging, learned weights."""
