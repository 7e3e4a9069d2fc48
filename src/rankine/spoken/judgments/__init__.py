"""Judgments of an archive's places, in the state that it is in now"""
