"""Corrections in the index: what it holds is what the words of a recording and its corrections come to."""

import random

import numpy as np
import pytest

from rankine.spoken import Archive
from rankine.spoken.corrections.changes import network_of, rows_as_heard, settle
from rankine.spoken.index.about import About
from rankine.spoken.index.heard_rows import reading_of
from rankine.spoken.index.storage import writing
from rankine.spoken.lattice.confusion import confusion_network
from rankine.spoken.lattice.formats import write_slf
from rankine.spoken.lattice.posteriors import arc_posteriors

from ..cases import answers, cells
from .cases import KINDS, archive_of, heard, hits, recognised_archive


def indexed(archive, name):
    """The likeliest reading that the index has."""
    return [word.text for row in reading_of(*archive.index.place_of(name)) for word in row.best]


def segments(place, rng):
    """An archive of recordings with one to three utterances of sure words, some behind pauses, not its own lattices."""
    folder = place / "lattices"
    folder.mkdir(parents=True)
    about, number = {}, 0
    for recording in ("a", "b", "c"):
        offset = 0.0
        for _ in range(rng.randint(1, 3)):
            text = " ".join(f"w{rng.randrange(30)}" for _ in range(rng.randint(1, 40)))
            (folder / f"u{number}.slf").write_bytes(write_slf(heard(text)))
            about[f"u{number}"] = About(recording, {}, f"{recording}.wav", offset)
            offset += 0.5 * len(text.split()) + rng.choice((0.0, 1.0))
            number += 1
    archive = Archive.create(place / "archive", KINDS)
    archive.lattices.index(folder, about)
    return archive


@pytest.mark.parametrize("own", [False, True])
def test_random_corrections_and_undos(tmp_path, own):
    overlaps = crossing = 0
    for seed in range(3):
        rng = random.Random(seed)
        if own:
            texts = [" ".join(f"w{rng.randrange(30)}" for _ in range(rng.randint(1, 40))) for _ in range(3)]
            archive = recognised_archive(tmp_path / f"own{seed}", *texts)
        else:
            archive = segments(tmp_path / str(seed), rng)
        queries = tuple(f"w{i}" for i in range(8))
        before, plain = answers(archive, queries), {name: indexed(archive, name) for name in archive.recordings.names}
        changes = []
        for step in range(12):
            name = rng.choice(archive.recordings.names)
            words = archive.corrections.words(name, as_heard=True)
            if rng.random() < 0.25 and changes:
                number = changes.pop(rng.randrange(len(changes)))
                archive.corrections.undo(number)
            else:
                first = rng.randrange(len(words))
                last = min(first + rng.randint(0, 4), len(words) - 1)
                start = round(words[first].start + rng.choice((0.0, 0.05)), 2)
                end = round(words[last].end - rng.choice((0.0, 0.05)), 2)
                text = " ".join(f"New{step}{letter}" for letter in "abc"[: rng.randrange(4)])
                others = [c for c in archive.corrections.all(name) if c.start < end and start < c.end]
                overlaps += bool(others)
                crossing += first < last
                if text or not others:
                    changes.append(archive.corrections.add(f"{name}@{start:.2f}-{end:.2f}", text).change)
            for recording in archive.recordings.names:
                want = [w.text.lower() for w in archive.corrections.words(recording)]
                assert indexed(archive, recording) == want
                assert [w.text for w in archive.corrections.words(recording, as_heard=True)] == plain[recording]
            assert archive.corrections.orphans() == []
        archive.check()
        archive.merge()
        for number in reversed(changes):
            archive.corrections.undo(number)
        assert answers(archive, queries) == before
        assert archive.index.corrected == {}
    assert overlaps > 3
    assert crossing > 6


def test_lattices_with_doubt_and_silence(several):
    rng, before = np.random.default_rng(0), answers(several)
    done = 0
    for name in several.recordings.names:
        words = several.corrections.words(name)
        if not words:
            continue
        word = words[rng.integers(len(words))]
        if word.end - word.start < 0.02:
            continue
        several.corrections.add(f"{name}@{max(word.start, 0):.3f}-{word.end:.3f}", f"fixed{name}")
        done += 1
        assert name in [hit.recording for hit in several.search(f"fixed{name}")]
        assert f"fixed{name}" in indexed(several, name)
    assert done > 10
    several.check()
    for _ in range(done):
        several.corrections.undo()
    assert answers(several) == before


def test_rows_that_no_correction_touches_stay_as_they_are(tmp_path):
    archive = segments(tmp_path, random.Random(3))
    name = max(archive.recordings.names, key=lambda n: len(rows_as_heard(archive.index, n)))
    before = {kind: cells(archive, kind, "pspl")[name] for kind in archive.kinds}
    rows = rows_as_heard(archive.index, name)
    last = rows[-1]
    archive.corrections.add(f"{name}@{last.offset + 0.1:.2f}-{last.offset + 0.4:.2f}", "new")
    after = {kind: cells(archive, kind, "pspl")[name] for kind in archive.kinds}
    assert len(rows) > 2
    for kind in archive.kinds:
        assert after[kind][: len(rows) - 1] == before[kind][:-1]
        assert after[kind][len(rows) - 1] != before[kind][-1]


def test_the_network_of_rows_has_their_posteriors(several):
    looked = 0
    for name in several.recordings.names:
        for row in rows_as_heard(several.index, name):
            entries = row.entries["word", "cn"]
            if not len(entries.unit):
                continue
            network = network_of([row], "word")
            made = confusion_network(network, "pivot", arc_posteriors(network))
            got = {(p, u): x for p, u, x in made.triples()}
            want = {(int(p), entries.names[u]): float(x)
                    for p, u, x in zip(entries.position, entries.unit, entries.posterior, strict=True)}  # fmt: skip
            assert sum(got.values()) == pytest.approx(sum(want.values()), abs=1e-3)
            looked += 1
    assert looked > 20


def test_settling_twice_does_nothing(tmp_path):
    archive = archive_of(tmp_path / "a", t="one two three", u="four")
    archive.corrections.add("t@0-0.5", "uno")
    serial = archive.index.manifest.serial
    assert settle(archive.folder) == []
    assert Archive(archive.folder).index.manifest.serial == serial
    with writing(archive.folder):
        assert settle(archive.folder) == []  # no lock is needed to see that


def test_a_lattice_that_is_gone_or_damaged_is_replaced_by_the_network_of_the_index(tmp_path):
    archive = recognised_archive(tmp_path, "one two three", "four five six")
    (archive.folder / "recognised" / "r00.slf").unlink()
    (archive.folder / "recognised" / "r01.slf").write_text("VERSION=1.0\nnonsense\n")
    archive.corrections.add("r00@0.5-1", "zwei")
    archive.corrections.add("r01@0.5-1", "cinq")
    assert hits(archive, '"one zwei three"') == [("r00", 0.0, 1.5)]
    assert hits(archive, '"four cinq six"') == [("r01", 0.0, 1.5)]


def test_a_span_over_two_segments(tmp_path):
    folder = tmp_path / "lattices"
    folder.mkdir()
    (folder / "u0.slf").write_bytes(write_slf(heard("one two")))
    (folder / "u1.slf").write_bytes(write_slf(heard("three four")))
    archive = Archive.create(tmp_path / "archive", KINDS)
    archive.lattices.index(folder, {"u0": About("t", {}, "", 0.0), "u1": About("t", {}, "", 1.0)})
    archive.corrections.add("t@0.5-1.45", "Zweidrei")
    assert indexed(archive, "t") == ["one", "zweidrei", "four"]
    assert hits(archive, "two") == hits(archive, "three") == []
    archive.check()


def test_words_in_a_pause_between_segments(tmp_path):
    folder = tmp_path / "lattices"
    folder.mkdir()
    (folder / "u0.slf").write_bytes(write_slf(heard("one two")))
    (folder / "u1.slf").write_bytes(write_slf(heard("three four")))
    archive = Archive.create(tmp_path / "archive", KINDS)
    archive.lattices.index(folder, {"u0": About("t", {}, "", 1.0), "u1": About("t", {}, "", 4.0)})
    archive.corrections.add("t@2.5-3.0", "missed")
    archive.corrections.add("t@0.2-0.7", "before")
    assert indexed(archive, "t") == ["before", "one", "two", "missed", "three", "four"]
    assert hits(archive, "missed") == [("t", 2.5, 3.0)]
    assert hits(archive, "before") == [("t", 0.2, 0.7)]
    assert [hit[0] for hit in hits(archive, '"before one two missed"')] == ["t"]
    archive.check()
    archive.corrections.undo()
    archive.corrections.undo()
    assert indexed(archive, "t") == ["one", "two", "three", "four"]


def test_turns_at_the_same_time(tmp_path):
    folder = tmp_path / "lattices"
    folder.mkdir()
    (folder / "ann.slf").write_bytes(write_slf(heard("one two three")))
    (folder / "bob.slf").write_bytes(write_slf(heard("eins zwei drei")))
    archive = Archive.create(tmp_path / "archive", KINDS)
    archive.lattices.index(folder, {name: About("t", {}, "", 0.0) for name in ("ann", "bob")})
    done = archive.corrections.add("t@bob@0.5-1", "deux")
    assert done.heard == "zwei"
    assert indexed(archive, "t") == ["one", "two", "three", "eins", "deux", "drei"]
    archive.corrections.add("t@ann@0.5-1.5", "more")
    assert indexed(archive, "t") == ["one", "more", "eins", "deux", "drei"]
    archive.corrections.undo(done.change)
    assert indexed(archive, "t") == ["one", "more", "eins", "zwei", "drei"]
