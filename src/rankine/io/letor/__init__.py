"""LETOR text: one line a document, its features by number"""
