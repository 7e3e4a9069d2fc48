"""Make the tables of docs/beyond-linear.md: python experiments/scorers_tables.py (needs RANKINE_DATA and catboost)."""

from pathlib import Path

from rankine.experiments.scorers import make
from rankine.system.parallel import thread_count

if __name__ == "__main__":
    place = Path(__file__).parent.parent / "docs" / "_static" / "scorers"
    place.mkdir(parents=True, exist_ok=True)
    make(place, thread_count())
