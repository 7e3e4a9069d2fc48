"""Make the shipped weights, and the tables and the picture of docs/teach.md: python experiments/search_tables.py WORK.

WORK is a folder for the lattices; it needs RANKINE_DATA.
"""

import sys
from pathlib import Path

from rankine.experiments.search import make
from rankine.system.parallel import thread_count

if __name__ == "__main__":
    house = Path(__file__).parent.parent
    weights = house / "src" / "rankine" / "spoken" / "learn" / "shipped.json"
    make(house / "docs" / "_static" / "spoken", Path(sys.argv[1]), thread_count(), weights)
