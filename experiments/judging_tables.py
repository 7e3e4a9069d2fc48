"""Make tables and a picture of docs/teach.md: python experiments/judging_tables.py WORK (needs RANKINE_DATA).

WORK is a folder for what is made on the way.
"""

import sys
from pathlib import Path

from rankine.experiments.judging import make
from rankine.system.parallel import thread_count

if __name__ == "__main__":
    place = Path(__file__).parent.parent / "docs" / "_static" / "spoken"
    make(place, Path(sys.argv[1]), thread_count())
