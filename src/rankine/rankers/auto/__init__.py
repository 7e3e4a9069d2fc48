"""AutoRanker: candidates are tried, one is chosen, and what it is worth is said; and the search of a grid"""
