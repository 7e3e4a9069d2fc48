"""Risk bounds against the truth."""
