"""The archive: queries, hits, search."""
