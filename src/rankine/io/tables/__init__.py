"""Tables: CSV, TSV, Parquet, Arrow, frames in memory, and small tables of judgments and runs"""
