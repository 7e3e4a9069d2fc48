"""``python -m experiments NAME``: run an experiment; ``--help`` lists them."""

from .commands import app

app(prog_name="python -m experiments")
