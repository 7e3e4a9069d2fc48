"""Make tables and a picture of docs/recordings.md: python experiments/hearings_tables.py WORK (needs RANKINE_DATA).

WORK is a folder for the lattices. Whisper hears 20 minutes of speech 27 times.
"""

import sys
from pathlib import Path

from rankine.experiments.hearings import make
from rankine.system.parallel import thread_count

if __name__ == "__main__":
    place = Path(__file__).parent.parent / "docs" / "_static" / "spoken"
    make(place, Path(sys.argv[1]), thread_count())
