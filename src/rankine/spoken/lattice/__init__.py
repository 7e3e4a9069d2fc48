"""Lattices of recognisers, and the posteriors of what was said where."""
