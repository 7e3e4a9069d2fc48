"""Where the tests and the files that they read are."""

from pathlib import Path

TESTS = Path(__file__).parent
ROOT = TESTS.parent
SAVED = TESTS / "saved"
