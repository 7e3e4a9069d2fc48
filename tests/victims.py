"""A folder of victims: files, links and a pipe around an archive, which must stay as they are, byte for byte."""

import hashlib
import os
import stat
from pathlib import Path

SECRET = "secret-of-the-victim"
FILES = (
    "victim.txt", "mine.arrow", "000000001.part", "manifest.json.new", "lock", "notes.json", "recognised.jsonl",
    "deep/inner.slf", "deep/inner.txt",
)  # fmt: skip


class Victims:
    """The victims in a folder, made if there are none, and what they are like now."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if folder.exists():
            self.before = state(folder)
            return
        for name in FILES:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{SECRET} {name}\n")
        os.symlink("victim.txt", folder / "link.txt")
        os.symlink("deep", folder / "link-to-folder")
        os.mkfifo(folder / "pipe")
        self.before = state(folder)

    def check(self) -> None:
        """Raise AssertionError if one of them has changed."""
        after = state(self.folder)
        assert after == self.before, (
            f"victims have changed: {sorted(dict(set(after.items()) ^ set(self.before.items())))}"
        )


def state(folder: Path) -> dict[str, str]:
    """What is below a folder: kinds and times of change, contents of files, targets of links."""
    out = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = ""
        if stat.S_ISLNK(status.st_mode):
            content = os.readlink(path)
        elif stat.S_ISREG(status.st_mode):
            content = f"{hashlib.sha256(path.read_bytes()).hexdigest()} {status.st_mtime_ns}"
        out[str(path.relative_to(folder))] = f"{status.st_mode} {content}"
    return out
