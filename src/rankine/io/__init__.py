"""Readers and writers: LETOR text, TREC judgments and runs, Parquet and Arrow tables."""

from .letor import load_letor
from .letor_write import save_letor
from .table import from_table, load_table, save_table
from .trec import TrecTable, load_qrels, load_run, save_qrels, save_run

__all__ = [
    "TrecTable",
    "from_table",
    "load_letor",
    "load_qrels",
    "load_run",
    "load_table",
    "save_letor",
    "save_qrels",
    "save_run",
    "save_table",
]
