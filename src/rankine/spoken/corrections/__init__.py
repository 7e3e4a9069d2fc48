"""Corrections: what people write where a recogniser misheard"""
