"""Make the tables and pictures of docs/rankers.md: python experiments/letor_tables.py (needs RANKINE_DATA)."""

from pathlib import Path

from rankine.experiments.letor import make

if __name__ == "__main__":
    make(Path(__file__).parent.parent / "docs" / "_static")
