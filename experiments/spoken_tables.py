"""Make the tables and pictures of docs/teach.md: python experiments/spoken_tables.py (needs RANKINE_DATA)."""

from pathlib import Path

from rankine.experiments.spoken import make
from rankine.system.parallel import thread_count

if __name__ == "__main__":
    place = Path(__file__).parent.parent / "docs" / "_static" / "spoken"
    place.mkdir(parents=True, exist_ok=True)
    make(place, thread_count())
