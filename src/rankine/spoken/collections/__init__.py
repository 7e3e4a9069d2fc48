"""Notes, tags and collections of places"""
