"""Rows of the index as utterances again: what is read is what was written."""

import base64
import zlib

import msgspec
import numpy as np
import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.index.build import IndexedRecording, part_of_recordings
from rankine.spoken.index.changes import WorkingIndex
from rankine.spoken.index.heard_rows import CONTINUED, as_heard, rows_as_text, rows_of_text, utterances_of
from rankine.spoken.index.storage import writing

from ..cases import SMALL, answers, filled


def recordings_of(archive, reader):
    index = archive.index
    return [
        IndexedRecording(
            name, index.base_texts(name), utterances_of(reader, d, index.settings), index.fingerprints[name]
        )
        for d, name in enumerate(reader.names)
    ]


def test_a_part_that_is_written_again_is_the_same(several):
    several.merge()
    (reader,) = several.index.parts
    arrays, meta = part_of_recordings(recordings_of(several, reader), several.settings)
    again = dict(arrays)
    assert again.keys() == reader.part.places.keys()
    for name, array in again.items():
        before = reader.part.get(name)
        assert array.dtype == before.dtype, name
        np.testing.assert_array_equal(array, before, name)
    assert meta == reader.part.meta


def test_rows_as_text_and_back(several):
    for reader in several.index.parts:
        for d in range(reader.n_recordings):
            rows = utterances_of(reader, d, several.settings)
            back = rows_of_text(rows_as_text(rows, "some"), several.settings, "x")
            pairs = [(IndexedRecording("a", {}, some), i) for i, some in enumerate((rows, back))]
            one, other = (dict(part_of_recordings([recording], several.settings)[0]) for recording, _ in pairs)
            assert one.keys() == other.keys()
            for name in one:
                np.testing.assert_array_equal(one[name], other[name], name)


def test_what_was_heard_comes_back_and_travels_with_the_recording(tmp_path, monkeypatch):
    for module in (
        "corrections.corrections",
        "maintenance.unpacking",
    ):  # which would see that there is no such correction
        monkeypatch.setattr(f"rankine.spoken.{module}.settle", lambda *arguments: [])
    archive = filled(tmp_path / "a", ["a", "b", "c"])
    plain = answers(archive)
    with writing(archive.folder) as writer:
        index = WorkingIndex(writer)
        reader, number = index.place_of("b")
        heard, other = (utterances_of(*index.place_of(n), index.settings) for n in ("b", "c"))
        assert as_heard(heard, index.settings, "x") == heard
        rows = [other[0]._replace(heard=rows_as_text(heard, "some")), *(u._replace(heard=CONTINUED) for u in other)]
        index.replace([IndexedRecording("b", {}, rows, index.fingerprints["b"], corrections="mark")], [])
    archive.refresh()
    archive.check()
    assert answers(archive) != plain
    archive.merge()
    archive.recordings.delete(["b"])
    archive.recordings.undelete(["b"])
    archive.pack(tmp_path / "packed.zip")
    archive = Archive.unpack(tmp_path / "packed.zip", tmp_path / "other")
    assert archive.index.corrected == {"b": "mark"}
    with writing(archive.folder) as writer:
        index = WorkingIndex(writer)
        reader, number = index.place_of("b")
        back = as_heard(utterances_of(reader, number, index.settings), index.settings, "x")
        index.replace([IndexedRecording("b", {}, back, index.fingerprints["b"])], [])
    archive.refresh()
    assert answers(archive) == plain
    assert archive.index.corrected == {}
    assert not any("heard" in name for part in archive.index.parts for name in part.part.places)


def test_text_that_others_wrote_is_checked(several):
    reader = several.index.parts[0]
    text = rows_as_text(utterances_of(reader, 0, several.settings), "some")
    rows = msgspec.msgpack.decode(zlib.decompress(base64.b64decode(text.partition(":")[2])))
    cells = rows[0]["entries"]["word cn"]

    def packed(value):
        return ":" + base64.b64encode(zlib.compress(msgspec.msgpack.encode(value))).decode()

    assert rows_of_text(packed(rows), SMALL, "x")
    bad = [
        ("", "cut off"), ("some:?", "damaged"), (text[: len(text) // 8 * 4 + 1], "damaged"),
        (text[5:], "cut off"), (packed([1]), "damaged"),
        (packed([rows[0] | {"entries": {}}]), "missing"), (packed([rows[0] | {"offset": 1e300}]), "times are wrong"),
        (":" + base64.b64encode(zlib.compress(bytes(1 << 27))).decode(), "too long"),
    ]  # fmt: skip
    for change in (
        {"unit": b"\xff" * len(cells["unit"])}, {"position": b"\x7f" * len(cells["position"])},
        {"posterior": cells["posterior"][:-1]}, {"posterior": b"\x7f" * len(cells["posterior"])}, {"slots": b"1234"},
    ):  # fmt: skip
        bad.append((packed([rows[0] | {"entries": rows[0]["entries"] | {"word cn": cells | change}}]), "wrong"))
    for value, said in bad:
        with pytest.raises(rk.InputError, match=said):
            rows_of_text(value, SMALL, "x")
