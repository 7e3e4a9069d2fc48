"""Where the tests and the files that they read are."""

from pathlib import Path

TESTS = Path(__file__).parent
ROOT = TESTS.parent
OPENS = TESTS / "opens"  # files that an earlier commit wrote
