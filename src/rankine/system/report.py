"""Reports: sections with text, tables and pictures, written as Markdown and as HTML with the same content."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..errors import shown
from .files import write_file


@dataclass(frozen=True)
class Section:
    """A heading with a paragraph, a table or a picture."""

    title: str
    text: str = ""
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()
    picture: str = ""


def write(sections: Sequence[Section], folder: Path) -> list[Path]:
    """Write report.md and report.html into ``folder``; the HTML contains its pictures."""
    files = {folder / "report.md": _markdown(sections), folder / "report.html": _html(sections, folder)}
    for path, text in files.items():
        write_file(path, text.encode())
    return list(files)


def write_page(sections: Sequence[Section], folder: Path, name: str, level: int) -> None:
    """Write ``name.md`` into ``folder``: a page of the documentation, its pictures below ``_static``."""
    text = []
    for i, section in enumerate(sections):
        page = section if not section.picture else replace(section, picture=f"_static/{folder.name}/{section.picture}")
        text.append(f"{'#' * (level + (i > 0))} {shown(section.title)}\n\n{markdown(page)}")
    write_file(folder / f"{name}.md", "\n".join(text).encode())


def _markdown(sections: Sequence[Section]) -> str:
    return "\n".join(
        f"{'#' if i == 0 else '##'} {shown(section.title)}\n\n{markdown(section)}" for i, section in enumerate(sections)
    )


def markdown(section: Section) -> str:
    """The content of a section without its heading."""
    out = [f"{shown(section.text, lines=True)}\n"] if section.text else []
    if section.rows:
        rows = [section.columns, ["---"] * len(section.columns), *section.rows]
        out += ["| " + " | ".join(map(_markdown_cell, row)) + " |" for row in rows]
        out.append("")
    if section.picture:
        out.append(f"![{shown(section.title)}]({section.picture})\n")
    return "\n".join(out)


def _markdown_cell(value: Any) -> str:
    """Text of a cell, in which nothing is HTML or ends the cell."""
    return shown(value).replace("|", "\\|").replace("<", "&lt;")


def _escaped(text: object) -> str:
    """Text for HTML, without control characters but line breaks and tabs."""
    return html.escape(shown(text, lines=True))


_STYLE = (
    "body{font:15px/1.45 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse;font-size:13px;margin:1rem 0}"
    "th,td{padding:.25rem .6rem;border-bottom:1px solid #ddd;text-align:right;vertical-align:top}"
    "th:first-child,td:first-child{text-align:left}td.words{text-align:left}img{max-width:100%}"
)


def _html(sections: Sequence[Section], folder: Path) -> str:
    body: list[str] = []
    for i, section in enumerate(sections):
        body.append(f"<h{1 if i == 0 else 2}>{_escaped(section.title)}</h{1 if i == 0 else 2}>")
        if section.text:
            body.append(f"<p>{_escaped(section.text)}</p>")
        if section.rows:
            head = "".join(f"<th>{_escaped(c)}</th>" for c in section.columns)
            rows = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in section.rows)
            body.append(f"<table><tr>{head}</tr>{rows}</table>")
        if section.picture:
            data = base64.b64encode((folder / section.picture).read_bytes()).decode()
            body.append(f'<img alt="{_escaped(section.title)}" src="data:image/png;base64,{data}">')
    title = _escaped(sections[0].title)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
        + "\n".join(body)
        + "</html>\n"
    )


def _cell(value: Any) -> str:
    text = str(value)
    words = ' class="words"' if len(text) > 24 else ""
    return f"<td{words}>{_escaped(text)}</td>"
