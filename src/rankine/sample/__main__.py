"""Write the bundled search sample anew: ``python -m rankine.sample``."""

from pathlib import Path

from ..io import save_letor
from . import judged_set

save_letor(judged_set(), Path(__file__).parent / "search.txt")
