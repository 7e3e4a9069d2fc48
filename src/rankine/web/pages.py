"""The pages: one shell for all views, the login page, and the files that both load."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import NamedTuple

from starlette.responses import Response

from ..system.files import fingerprint
from .answers import ApiError

FOLDER = Path(__file__).parent / "page"
LOGIN_FILES = ("login.css", "login.js", "icon.svg")  # of the login page itself: they need no session
_TYPES = {
    ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".png": "image/png",
    ".woff2": "font/woff2", ".json": "application/json",
}  # fmt: skip
WAVEFORM = "vendor/wavesurfer.esm.js"
_FOREVER = "private, max-age=31536000, immutable"


def has_waveform(folder: Path = FOLDER) -> bool:
    """Whether the module that draws the waveform is there."""
    return (folder / WAVEFORM).is_file()


class PageFile(NamedTuple):
    """A file that pages load."""

    content: bytes
    type: str
    hash: str


class PageFiles:
    """The files of the page's folder, read again when they change."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self.folder = folder
        self._kept: tuple[object, dict[str, PageFile], str] | None = None

    def _read(self) -> tuple[dict[str, PageFile], str]:
        paths = sorted(path for path in self.folder.rglob("*") if path.suffix in (*_TYPES, ".html") and path.is_file())
        stamp = [(path, state.st_mtime_ns, state.st_size) for path in paths for state in [path.stat()]]
        if self._kept is None or self._kept[0] != stamp:
            files = {}
            for path in paths:
                content = path.read_bytes()
                kind = _TYPES.get(path.suffix, "text/html")
                files[path.relative_to(self.folder).as_posix()] = PageFile(content, kind, fingerprint(content, size=8))
            version = fingerprint(*(f"{name} {file.hash}" for name, file in files.items()), size=8)
            self._kept = stamp, files, version
        return self._kept[1:]

    def static(self, name: str, wanted: str, etag: str) -> Response:
        """A file by its name, which is looked up and never used as a path.

        With the hash of all files in the address (``wanted``) a browser keeps it; else it asks whether it has changed.
        """
        files, version = self._read()
        file = files.get(name)
        if file is None or file.type == "text/html":
            raise ApiError(404, "not-found", "there is no such file")
        own = f'"{file.hash}"'
        headers = {"ETag": own, "Cache-Control": _FOREVER if wanted in (version, file.hash) else "private, no-cache"}
        if own in [part.strip().removeprefix("W/") for part in etag.split(",")]:
            return Response(status_code=304, headers=headers)
        return Response(file.content, 200, headers, file.type)

    def page(self, name: str, nonce: str, title: str = "", status: int = 200) -> Response:
        """A page with its placeholders filled in; values are text and never markup."""
        files, version = self._read()
        text = files[name].content.decode()
        values = {
            "nonce": nonce, "version": version, "title": title,
            "waveform": "yes" if WAVEFORM in files else "",
        }  # fmt: skip
        text = re.sub(r"\{\{(\w+)\}\}", lambda match: escape(values.get(match[1], match[0])), text)
        return Response(text, status, {"Cache-Control": "no-store"}, "text/html")
