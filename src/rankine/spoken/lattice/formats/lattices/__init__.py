"""Formats of lattices, and of best words with times"""
