"""Descriptions of recordings as a reader sees them."""

import numpy as np
import pytest

from rankine.errors import InputError
from rankine.spoken.search.recordings_list import SORTS, RecordingsList
from rankine.spoken.transcripts.subtitles import best_words


def test_what_is_told(several):
    about = RecordingsList(several.index)
    assert len(about) == 20
    one = about.get("d03")
    assert (one.title, one.date, one.speaker, one.rights, one.audio) == ("t3", "2026-01-01", "ann", "open", True)
    words = best_words(several.index, "d03")
    assert one.heard == pytest.approx(np.mean([w.posterior for w in words]), abs=1e-4)
    assert one.seconds >= max(w.end for w in words) - 1e-3
    assert about.values("speakers", 5) == ["ann", "bob"]
    assert about.dates == ("2026-01-01", "2026-06-01")
    assert about.seconds > 0
    assert about.has_audio


def test_closed_recordings_are_left_out(several):
    several.metadata.set("d03", {"rights": "closed"})
    several.metadata.set("d04", {"rights": "on request"})
    several.metadata.set([f"d{i:02d}" for i in range(10, 20)], {"rights": "closed until 2999-01-01"})
    about = RecordingsList(several.index)
    assert len(about) == 9
    assert "d03" not in about
    with pytest.raises(InputError, match="no such recording"):
        about.get("d03")
    assert (about.get("d04").rights, about.get("d04").heard) == ("on request", None)
    assert about.values("speakers", 5) == ["ann"]
    assert about.page(words="t3")[0] == 0


@pytest.mark.parametrize("sort", SORTS)
def test_sorted(several, sort):
    several.metadata.clear("d05", ["title", "date", "speaker"])
    about = RecordingsList(several.index)
    total, rows = about.page(sort, limit=100)
    assert total == len(rows) == 20
    values = {"title": lambda r: r.title or r.name, "date": lambda r: r.date, "speaker": lambda r: r.speaker,
              "length": lambda r: r.seconds, "heard": lambda r: r.heard}[sort]  # fmt: skip
    there = [values(row) for row in rows if values(row)]
    assert there == sorted(there)
    assert [row.name for row in rows if not values(row)] == ([] if sort in ("title", "length", "heard") else ["d05"])
    backwards = [values(row) for row in about.page(sort, reverse=True, limit=100)[1] if values(row)]
    assert backwards == there[::-1] or sorted(backwards, reverse=True) == backwards
    parts = [row.name for offset in range(0, 20, 6) for row in about.page(sort, offset=offset, limit=6)[1]]
    assert parts == [row.name for row in rows]


def test_words_of_the_list(several):
    about = RecordingsList(several.index)
    assert {row.name for row in about.page(words="T3 ANN")[1]} == {"d03"}
    assert about.page(words="zoe") == (0, [])
    with pytest.raises(InputError, match="unknown order"):
        about.page("colour")
