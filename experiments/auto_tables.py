"""Make the tables of docs/auto.md: python experiments/auto_tables.py [FOLDER OF KEPT JOBS] (needs RANKINE_DATA)."""

import sys
from pathlib import Path

from rankine.experiments.auto import make
from rankine.system.parallel import thread_count

if __name__ == "__main__":
    place = Path(__file__).parent.parent / "docs" / "_static" / "auto"
    place.mkdir(parents=True, exist_ok=True)
    make(place, thread_count(), Path(sys.argv[1] if len(sys.argv) > 1 else "auto-report"))
