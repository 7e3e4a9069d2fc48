"""Programs on a terminal."""

import os
import pty
import re
import subprocess
import sys

CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def lines_on_terminal(*arguments: str, folder, columns: int = 80, **environment: str) -> tuple[int, list[str]]:
    """The exit code of Python with these arguments on a terminal, and all lines there, also those drawn over."""
    own = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    environment = {**own, "TERM": "xterm", "COLUMNS": str(columns), **environment}
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, *arguments], cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    parts = []
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:  # the end, on Linux
            break
        if not part:
            break
        parts.append(part)
    os.close(ours)
    text = CONTROL.sub("", b"".join(parts).decode())
    return process.wait(), [line.strip() for line in re.split(r"[\r\n]+", text) if line.strip()]
