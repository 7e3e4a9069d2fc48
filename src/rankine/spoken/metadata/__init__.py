"""What is said about recordings: fields, tables, tags, turns of speakers, rights, filters"""
