"""Lattices of speech recognisers, and the posterior probabilities of words in them."""
