"""Draw the pictures of docs/large-margin.md: python experiments/large_margin_pictures.py (needs RANKINE_DATA)."""

from pathlib import Path

from rankine.experiments.large_margin_pictures import make_pictures

if __name__ == "__main__":
    make_pictures(Path(__file__).parent.parent / "docs" / "_static")
