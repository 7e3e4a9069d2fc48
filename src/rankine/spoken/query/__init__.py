"""Queries: their grammar, and what their words mean in an archive"""
