"""Judged rankings: validated once, grouped by query, and what is done with their features"""
