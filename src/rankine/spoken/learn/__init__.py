"""Judgments of queries, and weights of weak rankers learned from them."""
