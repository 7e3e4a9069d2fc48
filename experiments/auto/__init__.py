"""AutoRanker measured."""
