"""Recognisers: a row and a module for each, and what they share"""
