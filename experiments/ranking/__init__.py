"""Rankers on judged sets: tables of papers, defaults, beside other libraries."""
