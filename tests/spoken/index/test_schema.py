"""The columns of a part: their names on disk, and that they are written, read and merged as they are."""

import numpy as np

from rankine.spoken.index import schema
from rankine.spoken.index.build import Entries, IndexedRecording, Utterance, Word, part_of_parts, part_of_recordings
from rankine.spoken.index.grams import UtteranceGrams
from rankine.spoken.index.settings import Settings
from rankine.spoken.index.storage import write_part

WORDS = Settings(kinds={"word": "words"})
ON_DISK = [
    "doc.name.ptr", "doc.name.text", "doc.fingerprint.ptr", "doc.fingerprint.text", "doc.title.ptr", "doc.title.text",
    "doc.date.ptr", "doc.date.text", "doc.speaker.ptr", "doc.speaker.text", "doc.first", "utt.name.ptr",
    "utt.name.text", "utt.audio.ptr", "utt.audio.text", "utt.offset", "utt.length", "best.first", "best.time",
    "best.word.ptr", "best.word.text", "word.unit.ptr", "word.unit.text", "word.pspl.ptr", "word.pspl.utt",
    "word.pspl.pos", "word.pspl.p", "word.cn.ptr", "word.cn.utt", "word.cn.pos", "word.cn.p", "word.slot.first",
    "word.slot.time", "word.gram.unit.ptr", "word.gram.unit.text", "word.gram1.code", "word.gram1.ptr",
    "word.gram1.utt", "word.gram1.n",
]  # fmt: skip
TYPES = {
    "doc.first": "<i8", "best.first": "<i8", "word.slot.first": "<i8", "word.cn.ptr": "<i8", "doc.name.ptr": "<i8",
    "doc.name.text": "|u1", "utt.offset": "<f8", "utt.length": "<f4", "best.time": "<f4", "word.slot.time": "<f4",
    "word.cn.utt": "<u4", "word.cn.pos": "<u2", "word.cn.p": "<u2", "word.gram1.code": "<i8", "word.gram1.ptr": "<i8",
    "word.gram1.utt": "<u2", "word.gram1.n": "<u2",
}  # fmt: skip


def part(place, arrays, footer):
    return write_part(place, arrays, footer).open(place.parent)


def test_the_format_on_disk_does_not_change(several):
    for reader in several.index.parts:
        names = [n for n in reader.part.places if not n.startswith("character.")]
        assert names == ON_DISK
        types = {n: reader.part.places[n][0] for n in names if "." in n}
        assert {types[n] for n in ("doc.first", "best.first", "word.slot.first", "word.cn.ptr", "doc.name.ptr")} == {
            "<i8"
        }
        assert [types[n] for n in ("utt.offset", "utt.length", "best.time", "word.slot.time")] == [
            "<f8",
            "<f4",
            "<f4",
            "<f4",
        ]
        assert [types[f"word.cn.{a}"] for a in ("utt", "pos", "p")] == ["<u4", "<u2", "<u2"]


def test_texts(tmp_path):
    texts = ["", "a", "b\n\t", "温度", "zz"]
    column, footer = schema.TextColumn("x", schema.RECORDING, str), {"documents": 5, "utterances": 5, "positions": {}}
    strings = column.read(part(tmp_path / "p.part", column.write(texts), footer))
    assert list(strings) == strings.all() == texts
    ordered = sorted(texts, key=str.encode)
    strings = column.read(part(tmp_path / "q.part", column.write(ordered), footer))
    assert [strings.find(t) for t in ordered] == list(range(5))
    assert [strings.find(t) for t in ("A", "aa", "zzz")] == [-1, -1, -1]


def entries(seed):
    """An utterance's entries in both forms, with a slot for each position of the network."""
    rng = np.random.default_rng(seed)
    position, unit = np.arange(3), rng.integers(4, size=3)
    slots = rng.random((3, 2)).astype(np.float32)
    names = tuple(f"w{i}" for i in range(4))
    return {("word", form): Entries(names, unit, position, rng.uniform(0.1, 1, 3), slots) for form in schema.FORMS}


def word_counts(seed):
    rng = np.random.default_rng(seed)
    some = np.sort(rng.choice(5, 3, replace=False))
    return {("word", 1): UtteranceGrams(tuple("abcde"), some[:, None], rng.uniform(1e-5, 2, 3))}


def recordings():
    out = []
    for d in range(4):
        utterances = [
            Utterance(
                f"u{d}{i}",
                1.5,
                entries(10 * d + i),
                [Word(f"x{d}", 0.0, 0.5, 0.9)] * i,
                word_counts(10 * d + i),
                f"{d}.wav",
                2.0 * i,
            )
            for i in range(d % 3 + 1)
        ]
        out.append(IndexedRecording(f"d{d}", {"title": f"t{d}"}, utterances, f"f{d}"))
    return out


def content(part):
    return {name: part.get(name).tolist() for name in part.places}


def test_every_column_is_written_from_its_rows_and_read(tmp_path):
    docs = recordings()
    one = part(tmp_path / "p.part", *part_of_recordings(docs, WORDS))
    utterances = [u for d in docs for u in d.utterances]
    rows = {schema.RECORDING: docs, schema.UTTERANCE: utterances, schema.WORD: [w for u in utterances for w in u.best]}
    for column in schema.COLUMNS:
        values = [column.value(row) for row in rows[column.rows]]
        stored = column.read(one)
        if isinstance(column, schema.BoundsColumn):
            stored = np.diff(stored)
        np.testing.assert_array_equal(stored, np.array(values, getattr(column, "dtype", None)))
    assert one.meta == {
        "documents": 4,
        "utterances": 7,
        "positions": {"word.pspl.positions": 3, "word.cn.positions": 3},
    }


def test_merging_parts_gives_the_part_of_their_recordings(tmp_path):
    docs = recordings()
    parts = [
        part(tmp_path / f"{i}.part", *part_of_recordings(some, WORDS))
        for i, some in enumerate((docs[:1], docs[1:3], docs[3:]))
    ]
    for keep in ([1, 1, 1, 1], [1, 0, 1, 1], [0, 1, 1, 0]):
        masks = [np.array(m, np.bool_) for m in (keep[:1], keep[1:3], keep[3:])]
        merged = part(tmp_path / "m.part", *part_of_parts(parts, masks, WORDS))
        want = part(tmp_path / "w.part", *part_of_recordings([d for d, k in zip(docs, keep, strict=True) if k], WORDS))
        assert content(merged) == content(want)
        assert merged.meta == want.meta
        assert merged.path.read_bytes() == want.path.read_bytes()
