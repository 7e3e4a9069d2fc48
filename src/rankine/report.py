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
        shown = section if not section.picture else replace(section, picture=f"_static/{folder.name}/{section.picture}")
        text.append(f"{'#' * (level + (i > 0))} {section.title}\n\n{markdown(shown)}")
    write_file(folder / f"{name}.md", "\n".join(text).encode())


def _markdown(sections: Sequence[Section]) -> str:
    return "\n".join(
        f"{'#' if i == 0 else '##'} {section.title}\n\n{markdown(section)}" for i, section in enumerate(sections)
    )


def markdown(section: Section) -> str:
    """The content of a section without its heading."""
    out = [f"{section.text}\n"] if section.text else []
    if section.rows:
        rows = [section.columns, ["---"] * len(section.columns), *section.rows]
        out += ["| " + " | ".join(str(c).replace("|", "\\|") for c in row) + " |" for row in rows]
        out.append("")
    if section.picture:
        out.append(f"![{section.title}]({section.picture})\n")
    return "\n".join(out)


_STYLE = (
    "body{font:15px/1.45 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse;font-size:13px;margin:1rem 0}"
    "th,td{padding:.25rem .6rem;border-bottom:1px solid #ddd;text-align:right;vertical-align:top}"
    "th:first-child,td:first-child{text-align:left}td.words{text-align:left}img{max-width:100%}"
)


def _html(sections: Sequence[Section], folder: Path) -> str:
    body: list[str] = []
    for i, section in enumerate(sections):
        body.append(f"<h{1 if i == 0 else 2}>{html.escape(section.title)}</h{1 if i == 0 else 2}>")
        if section.text:
            body.append(f"<p>{html.escape(section.text)}</p>")
        if section.rows:
            head = "".join(f"<th>{html.escape(c)}</th>" for c in section.columns)
            rows = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in section.rows)
            body.append(f"<table><tr>{head}</tr>{rows}</table>")
        if section.picture:
            data = base64.b64encode((folder / section.picture).read_bytes()).decode()
            body.append(f'<img alt="{html.escape(section.title)}" src="data:image/png;base64,{data}">')
    title = html.escape(sections[0].title)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
        + "\n".join(body)
        + "</html>\n"
    )


def _cell(value: Any) -> str:
    text = str(value)
    words = ' class="words"' if len(text) > 24 else ""
    return f"<td{words}>{html.escape(text)}</td>"
