"""The experiments behind the tables and pictures of the documentation: ``python -m experiments NAME``."""
