"""The archive: queries, hits, search, and the front that owns recordings and learning."""
