"""Files that are no judged data, told by their first line."""

from __future__ import annotations

from pathlib import Path


def check_judged(path: str) -> None:
    """Raise if a file is a model, judgments or a run, where judged data is needed."""
    from ...errors import InputError
    from ...io.formats import JUDGED, format_of
    from ...system.sources import text_lines

    if path == "-" or not Path(path).is_file() or format_of(path) not in (None, JUDGED["letor"]):
        return
    with open(path, "rb") as file:
        head = file.read(256)
    if is_model_text(head):
        raise InputError("is a model, judged data is needed here; `rankine describe` shows a model", path)
    if b"\0" in head:
        return  # its reader tells
    words = next((line.split() for _, line in text_lines(path) if line.strip()), [])
    judged = any(":" in word for word in words[1:2])
    if len(words) == 4 and not judged and ":" not in words[3] and words[3].lstrip("+-").isdigit():
        raise InputError("looks like TREC qrels, which have no features: `rankine evaluate` takes them", path)
    if len(words) == 6 and words[1] == "Q0":
        raise InputError(
            "looks like a TREC run (query, Q0, document, rank, score, tag): `rankine evaluate` takes it", path
        )


def is_model_text(head: bytes) -> bool:
    """Whether a file that begins so holds a model.

    >>> is_model_text(b'{"rankine": 1}')
    True
    """
    return head.lstrip().startswith(b"{") and b'"rankine"' in head
