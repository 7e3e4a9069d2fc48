"""Make the tables of docs/theory.md: python experiments/bounds_tables.py."""

from pathlib import Path

from rankine.experiments.bounds import make
from rankine.system.parallel import thread_count

if __name__ == "__main__":
    place = Path(__file__).parent.parent / "docs" / "_static" / "theory"
    place.mkdir(parents=True, exist_ok=True)
    make(place, thread_count())
