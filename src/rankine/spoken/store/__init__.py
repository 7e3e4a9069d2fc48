"""The archive's store: what people type in, in one SQLite file"""
