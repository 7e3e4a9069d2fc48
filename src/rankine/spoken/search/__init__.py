"""Search: places are ranked, and hits made of the best"""
