"""Make the tables of defaults in docs/rankers.md: python experiments/defaults_tables.py (needs RANKINE_DATA)."""

from pathlib import Path

from rankine.experiments.defaults import make
from rankine.system.parallel import thread_count

if __name__ == "__main__":
    place = Path(__file__).parent.parent / "docs" / "_static" / "defaults"
    place.mkdir(parents=True, exist_ok=True)
    make(place, thread_count())
