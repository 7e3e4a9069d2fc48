"""Why rankers rank as they do: which queries they treat differently, and what a feature is worth"""
