"""The recordings of an archive: they come, move, change and go"""
