"""Judgments and runs: TREC text, groups of judgments, preferences"""
