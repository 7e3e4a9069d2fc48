"""``python -m rankine`` is the program ``rankine``."""

from .cli import program

if __name__ == "__main__":
    program()
