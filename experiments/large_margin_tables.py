"""Make the tables of docs/large-margin.md: python experiments/large_margin_tables.py [SET…] (needs RANKINE_DATA)."""

import sys
from pathlib import Path

from rankine.experiments.large_margin import MADE, make
from rankine.system.parallel import thread_count

if __name__ == "__main__":
    place = Path(__file__).parent.parent / "docs" / "_static" / "large-margin"
    place.mkdir(parents=True, exist_ok=True)
    make(place, thread_count(), sys.argv[1:] or (*MADE, "ohsumed-letor2", "ohsumed", "mq2008"))
