"""Reports: sections with text, tables and pictures, written as Markdown and as HTML with the same content."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .files import write_file


@dataclass(frozen=True)
class Section:
    """A heading with a paragraph, a table or a picture."""

    title: str
    text: str = ""
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()
    picture: str = ""


def write(parts: Sequence[Section], folder: Path) -> list[Path]:
    """Write report.md and report.html into ``folder``; the HTML contains its pictures."""
    files = {folder / "report.md": _markdown(parts), folder / "report.html": _html(parts, folder)}
    for path, text in files.items():
        write_file(path, text.encode())
    return list(files)


def write_page(parts: Sequence[Section], folder: Path, name: str, level: int) -> None:
    """Write ``name.md`` into ``folder``: a page of the documentation, its pictures below ``_static``."""
    text = []
    for i, part in enumerate(parts):
        shown = part if not part.picture else replace(part, picture=f"_static/{folder.name}/{part.picture}")
        text.append(f"{'#' * (level + (i > 0))} {part.title}\n\n{markdown(shown)}")
    write_file(folder / f"{name}.md", "\n".join(text).encode())


def _markdown(parts: Sequence[Section]) -> str:
    return "\n".join(f"{'#' if i == 0 else '##'} {part.title}\n\n{markdown(part)}" for i, part in enumerate(parts))


def markdown(part: Section) -> str:
    """The content of a section without its heading."""
    out = [f"{part.text}\n"] if part.text else []
    if part.rows:
        rows = [part.columns, ["---"] * len(part.columns), *part.rows]
        out += ["| " + " | ".join(str(c).replace("|", "\\|") for c in row) + " |" for row in rows]
        out.append("")
    if part.picture:
        out.append(f"![{part.title}]({part.picture})\n")
    return "\n".join(out)


_STYLE = (
    "body{font:15px/1.45 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse;font-size:13px;margin:1rem 0}"
    "th,td{padding:.25rem .6rem;border-bottom:1px solid #ddd;text-align:right;vertical-align:top}"
    "th:first-child,td:first-child{text-align:left}td.words{text-align:left}img{max-width:100%}"
)


def _html(parts: Sequence[Section], folder: Path) -> str:
    body: list[str] = []
    for i, part in enumerate(parts):
        body.append(f"<h{1 if i == 0 else 2}>{html.escape(part.title)}</h{1 if i == 0 else 2}>")
        if part.text:
            body.append(f"<p>{html.escape(part.text)}</p>")
        if part.rows:
            head = "".join(f"<th>{html.escape(c)}</th>" for c in part.columns)
            rows = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in part.rows)
            body.append(f"<table><tr>{head}</tr>{rows}</table>")
        if part.picture:
            data = base64.b64encode((folder / part.picture).read_bytes()).decode()
            body.append(f'<img alt="{html.escape(part.title)}" src="data:image/png;base64,{data}">')
    title = html.escape(parts[0].title)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
        + "\n".join(body)
        + "</html>\n"
    )


def _cell(value: Any) -> str:
    text = str(value)
    words = ' class="words"' if len(text) > 24 else ""
    return f"<td{words}>{html.escape(text)}</td>"
