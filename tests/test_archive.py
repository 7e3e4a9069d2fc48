"""The spoken archive: scores against the definition, any order of changes, kills, damage, readers and writers."""

import json
import os
import signal
import time
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.archive import About, Archive
from rankine.spoken.batch import Scoring
from rankine.spoken.formats import write_slf
from rankine.spoken.index.analyse import FORMS, Settings, analyse
from rankine.spoken.index.storage import writing
from rankine.spoken.lattice import random_lattice
from rankine.spoken.subtitles import subtitles

from . import reference as ref
from .test_cli import rankine

SMALL = Settings(kinds={"word": "words", "character": "characters"}, prune=1e-3)


def lattice(seed, n_units=6):
    rng = np.random.default_rng(seed)
    return random_lattice(rng, int(rng.integers(3, 8)), int(rng.integers(4, 16)), n_units)


def filled(place, names, **options):
    archive = Archive.create(place, replace(SMALL, **options))
    archive.add_lattices([(name, lattice(i)) for i, name in enumerate(names)])
    return archive


def answers(archive, queries=("w0 w1", "w2", '"w1 w3"', "w4 w0 w5")):
    """All that a search gives, but for the last digits of sums."""
    found = []
    for text in queries:
        for hit in archive.search(text, k=50):
            found.append((text, hit.document, round(hit.score, 10), round(hit.start, 5), hit.snippet, hit.matches))
    return found


def cells(archive, kind, form):
    """Document → its segments' (position, unit) → posterior, read one by one from the arrays."""
    out = {}
    for view in archive.views:
        part, units = view.part, view.texts(f"{kind}.unit").all()
        name, first = f"{kind}.{form}", view.doc_first
        ptr, utt, pos, p = (part.get(f"{name}.{a}").tolist() for a in ("ptr", "utt", "pos", "p"))
        segments = [{} for _ in range(first[-1])]
        for u, unit in enumerate(units):
            for i in range(ptr[u], ptr[u + 1]):
                segments[utt[i]][pos[i], unit] = view.table[p[i]]
        for d, document in enumerate(view.texts("doc.name").all()):
            out[document] = segments[first[d] : first[d + 1]]
    return out


@pytest.fixture
def several(tmp_path):
    """An archive whose documents have one to four utterances."""
    folder = tmp_path / "lattices"
    folder.mkdir()
    about = {}
    for i in range(60):
        (folder / f"u{i:02d}.slf").write_bytes(write_slf(lattice(i)))
        texts = {"speaker": "ann" if i < 30 else "bob", "date": f"2026-{1 + i // 10:02d}-01", "title": f"t{i // 3}"}
        about[f"u{i:02d}"] = About(f"d{i // 3:02d}", texts if i % 3 == 0 else {}, "x.wav", 10.0 * i)
    about = {u: a._replace(texts=about[f"u{3 * (int(u[1:]) // 3):02d}"].texts) for u, a in about.items()}
    archive = Archive.create(tmp_path / "archive", SMALL)
    changes = archive.add(folder, about, Scoring(), batch=7)
    assert changes[:4] == (20, 0, 0, 0)
    return archive


def test_scores_are_those_of_the_definition(several):
    for kind in several.kinds:
        for form in FORMS:
            documents = cells(several, kind, form)
            for text in ("w0", "w1 w2", "w0 w1 w2", "w3 w3 w9", "w5 w4 w3 w2 w1 w0"):
                query = several.parse(text)
                features = several.score(query, np.arange(len(several)))
                columns = [several.ranker_names.index(f"{kind}-{form}-{n}") for n in (1, 2, 3)]
                for row, document in enumerate(several.documents):
                    want = ref.weak_scores(documents[document], query.units(kind))
                    assert features[row, columns].tolist() == pytest.approx(want, abs=1e-12)
    some = np.array([1, 4, 5, 11, 19])
    np.testing.assert_array_equal(several.score(query, some), features[some])


def test_what_is_stored_is_what_was_computed(several):
    utterance = analyse(SMALL, Scoring(), None, rk.spoken.formats.Piece("u", "slf", "m", write_slf(lattice(0))))
    for (kind, form), entries in utterance.entries.items():
        stored = cells(several, kind, form)["d00"][0]
        want = {(int(p), entries.names[u]): x for p, u, x in zip(*entries[2:0:-1], entries.posterior, strict=True)}
        assert stored == pytest.approx(want, rel=2e-4)


def test_candidates_are_the_documents_with_a_score(several):
    query = several.parse("w0 w7")
    features = several.score(query, np.arange(len(several)))
    unigrams = [i for i, n in enumerate(several.ranker_names) if n.endswith("cn-1")]
    want = np.flatnonzero(features[:, unigrams].sum(axis=1) > 0)
    assert several.candidates(query).tolist() == want.tolist()
    few = several.candidates(query, most=5)
    assert len(few) == 5
    assert features[few][:, unigrams].sum(axis=1).min() >= np.sort(features[:, unigrams].sum(axis=1))[-5] - 1e-12
    data = several.features({"a": "w0", "b": "w1 w2"}, {"a": {"d03": 2.0}})
    assert data.feature_names == tuple(several.ranker_names) or list(data.feature_names) == several.ranker_names
    assert data.y.sum() == 2


def test_hits_say_where_and_why(several):
    for hit in several.search("w0 w1", k=20):
        assert hit.score == pytest.approx(sum(hit.contributions.values()))
        assert hit.audio == "x.wav"
        offset = 10.0 * int(hit.utterance[1:])
        assert offset <= hit.start <= hit.end
        assert hit.matches
        assert 0 < hit.matches[0].posterior <= 1
        assert hit.document == f"d{int(hit.utterance[1:]) // 3:02d}"
    both = several.search("w0", k=50)
    ann = several.search("w0", k=50, speaker="ann")
    assert {h.document for h in ann} == {h.document for h in both if h.speaker == "ann"}
    late = several.search("w0", k=50, since="2026-03", until="2026-04")
    assert {h.date[:7] for h in late} <= {"2026-03", "2026-04"}
    assert late
    phrase = {h.document for h in several.search('"w0 w1"', k=50)}
    together = {
        d for form in FORMS for d, segments in cells(several, "word", form).items()
        if any((p + 1, "w1") in s for s in segments for p, u in s if u == "w0")
    }  # fmt: skip
    assert phrase == together
    weights = {"word-pspl-1": 2.0}
    want = several.score(several.parse("w0"), several.candidates(several.parse("w0")))[:, 0].max() * 2
    assert several.search("w0", k=1, weights=weights)[0].score == pytest.approx(want)


def test_any_order_any_batches_merged_or_not(tmp_path):
    names = [f"d{i:02d}" for i in range(30)]
    one = filled(tmp_path / "one", names)
    rng = np.random.default_rng(1)
    many = Archive.create(tmp_path / "many", SMALL)
    order = rng.permutation(30)
    for part in np.array_split(order, 10):
        many.add_lattices([(names[i], lattice(i)) for i in part])
    assert 1 < len(many.views) < 10  # some merged by themselves
    assert answers(many) == answers(one)
    assert answers(one)
    many.merge()
    assert len(many.views) == 1
    assert answers(many) == answers(one)
    many.check()
    few = [many.search("w0 w1", k=5, candidates=7), one.search("w0 w1", k=5, candidates=7)]
    assert [h.document for h in few[0]] == [h.document for h in few[1]]


def test_update_and_delete(tmp_path):
    names = [f"d{i:02d}" for i in range(12)]
    archive = filled(tmp_path / "a", names)
    archive.delete(["d03", "d07"])
    assert sorted(archive.documents) == [n for n in names if n not in ("d03", "d07")]
    rest = Archive.create(tmp_path / "b", SMALL)
    rest.add_lattices([(n, lattice(i)) for i, n in enumerate(names) if n not in ("d03", "d07")])
    assert answers(archive) == answers(rest)
    for file in (tmp_path / "a").glob("*.part"):
        assert b"d03" not in file.read_bytes()
    archive.add_lattices([("d05", lattice(100)), ("new", lattice(101))])
    other = Archive.create(tmp_path / "c", SMALL)
    seeds = {**{n: i for i, n in enumerate(names) if n not in ("d03", "d07")}, "d05": 100, "new": 101}
    other.add_lattices([(n, lattice(i)) for n, i in seeds.items()])
    assert answers(archive) == answers(other)
    archive.delete(archive.documents)
    assert len(archive) == 0
    archive.check()
    with pytest.raises(rk.InputError, match="occurs in this archive"):
        archive.search("w0")


def test_only_what_has_changed_is_done(tmp_path, several):
    folder = tmp_path / "lattices"
    plain = Archive.create(tmp_path / "plain", SMALL)
    assert plain.add(folder, scoring=Scoring())[:4] == (60, 0, 0, 0)
    assert plain.add(folder, scoring=Scoring())[:4] == (0, 0, 60, 0)
    (folder / "u05.slf").write_bytes(write_slf(lattice(500)))
    (folder / "u06.slf").unlink()
    (folder / "bad.slf").write_text("nonsense=1\n")
    changes = plain.add(folder, scoring=Scoring(), remove_missing=True, workers=2)
    assert changes[:4] == (0, 1, 58, 1)
    assert "bad.slf" in changes.errors[0]
    assert "u06" not in plain.documents


def _state(place):
    archive = Archive(place)
    archive.check()
    return {
        n: f for v in archive.views
        for n, f in zip(v.texts("doc.name").all(), v.texts("doc.fingerprint").all(), strict=True)
    }  # fmt: skip


def test_two_hundred_kills(tmp_path):
    place = tmp_path / "a"
    archive = filled(place, [f"d{i}" for i in range(8)])
    rng = np.random.default_rng(2)
    before, interrupted, finished = _state(place), 0, 0
    began = time.perf_counter()
    archive.merge()
    archive.add_lattices([("d0", lattice(999))])
    before, usual = _state(place), time.perf_counter() - began
    for round_ in range(200):
        what = rng.integers(3)
        new = [(f"d{rng.integers(14)}", lattice(1000 + round_))]
        gone = [str(rng.choice(sorted(before)))]
        child = os.fork()
        if child == 0:
            try:
                if what == 0 or len(before) < 3:
                    archive.add_lattices(new)
                elif what == 1:
                    archive.delete(gone)
                else:
                    archive.merge()
            finally:
                os._exit(0)
        time.sleep(float(rng.uniform(0, 1.2 * usual)))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        interrupted += os.WIFSIGNALED(status)
        after = _state(place)
        archive.refresh()
        if after == before:
            continue
        finished += 1
        changed = {n for n in {*before, *after} if before.get(n) != after.get(n)}
        assert changed <= ({new[0][0]} if what == 0 or len(before) < 3 else set(gone) if what == 1 else set())
        assert archive.search("w0 w1 w2 w3 w4 w5", k=3)
        before = after
    assert interrupted > 20
    assert finished > 20
    archive.merge()
    assert sorted(p.name for p in place.iterdir() if p.suffix not in (".part",)) == ["lock", "manifest.json"]


def test_a_flipped_byte_is_found_and_never_gives_wrong_hits(tmp_path):
    place = tmp_path / "a"
    archive = filled(place, [f"d{i}" for i in range(5)])
    want = answers(archive)
    rng = np.random.default_rng(3)
    for file in [p for p in place.iterdir() if p.stat().st_size]:
        original = file.read_bytes()
        for at in rng.choice(len(original), min(len(original), 250), replace=False).tolist():
            file.write_bytes(original[:at] + bytes([original[at] ^ (1 << rng.integers(8))]) + original[at + 1 :])
            with pytest.raises(rk.InputError):
                Archive(place).check()
            with suppress(rk.InputError):
                assert answers(Archive(place)) == want
        file.write_bytes(original)
    assert answers(Archive(place)) == want
    part = next(place.glob("*.part"))
    part.write_bytes(part.read_bytes()[:-10])
    with pytest.raises(rk.InputError, match="bytes instead of"):
        Archive(place)
    part.unlink()
    with pytest.raises(rk.InputError, match="missing"):
        Archive(place)


def test_readers_keep_their_state(tmp_path):
    place = tmp_path / "a"
    old = filled(place, [f"d{i}" for i in range(6)])
    reader, want = Archive(place), answers(old)
    old.add_lattices([("more", lattice(50))])
    middle = Archive(place)
    between = answers(middle)
    old.merge()
    old.delete(["d0", "d1"])
    assert answers(reader) == want
    assert answers(middle) == between
    reader.refresh()
    assert answers(reader) == answers(Archive(place)) != want


def test_writers_exclude_each_other(tmp_path):
    archive = filled(tmp_path / "a", ["d"])
    with writing(tmp_path / "a"), pytest.raises(rk.InputError, match="another process"):
        archive.delete(["d"])
    assert archive.search("w0 w1 w2 w3 w4 w5")
    archive.delete(["d"])


def test_a_full_disk_loses_nothing(tmp_path, monkeypatch):
    archive = filled(tmp_path / "a", ["d", "e"])
    want = _state(tmp_path / "a")

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    for change in (lambda: archive.add_lattices([("f", lattice(9))]), lambda: archive.delete(["d"])):
        with pytest.raises(OSError, match="No space left"):
            change()
    monkeypatch.undo()
    assert _state(tmp_path / "a") == want
    assert not list((tmp_path / "a").glob("*.new"))
    assert len(list((tmp_path / "a").glob("*.part"))) == 1


def test_bad_input(tmp_path):
    archive = filled(tmp_path / "a", ["d"])
    for text, message in (
        ("", "no words"),
        ("  ?! ", "no words"),
        ('"w0', "quotation mark"),
        ("zzz", "occurs in this archive"),
    ):
        with pytest.raises(rk.InputError, match=message):
            archive.search(text)
    for call, message in (
        (lambda: archive.search("w0", k=0), "k must be"),
        (lambda: archive.search("w0", speaker="x"), "no document is by"),
        (lambda: archive.search("w0", weights={"word-cn-9": 1}), "no weak ranker"),
        (lambda: archive.delete(["e"]), "no document is called 'e'"),
        (lambda: Archive.create(tmp_path / "a"), "an archive already"),
        (lambda: Archive(tmp_path / "nowhere"), "no such folder"),
        (lambda: Archive(tmp_path), "has no manifest"),
        (lambda: Archive.create(tmp_path), "not empty"),
        (lambda: Archive.create(tmp_path / "b", Settings(kinds={"phone": "phones"})), "must be words"),
        (lambda: Archive.create(tmp_path / "b", Settings(prune=1.0)), "prune"),
        (lambda: archive.add_lattices([("x", lattice(1)), ("x", lattice(2))]), "two documents"),
        (lambda: subtitles(archive, "e"), "no document"),
        (lambda: subtitles(archive, "d", "ass"), "vtt or srt"),
    ):
        with pytest.raises(rk.InputError, match=message):
            call()
    (tmp_path / "x.sausage").write_text("one [ a 1 ]\none [ b 1 ]\n")
    with pytest.raises(rk.InputError, match="two utterances are called 'one'"):
        archive.add(tmp_path / "x.sausage")
    manifest = tmp_path / "a" / "manifest.json"
    head, body = manifest.read_text().split("\n", 1)
    manifest.write_text(head + "\n" + body.replace('"format": 1', '"format": 2'))
    with pytest.raises(rk.InputError, match="format 2; this version reads up to 1"):
        Archive(tmp_path / "a")
    manifest.write_text(json.dumps({"some": "thing"}))
    with pytest.raises(rk.InputError, match="not the manifest"):
        Archive(tmp_path / "a")


@pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder(tmp_path):
    archive = filled(tmp_path / "a", ["d"])
    (tmp_path / "a").chmod(0o555)
    with pytest.raises(OSError, match="denied"):
        archive.delete(["d"])
    (tmp_path / "a").chmod(0o755)


def test_mandarin(tmp_path):
    words = [("设定", 0.0, 0.5, 0.9), ("温度", 0.5, 1.0, 0.8), ("二十九", 1.0, 2.0, 1.0)]
    from rankine.spoken.formats import one_best
    from rankine.spoken.index.analyse import LANGUAGES

    archive = Archive.create(tmp_path / "a", Settings(dict(LANGUAGES["zh"])))
    archive.add_lattices([("a", one_best(words)), ("b", one_best([("射顶", 0.0, 0.5, 0.9)]))])
    assert archive.parse("设定温度").words == ("设定", "温度")
    assert [h.document for h in archive.search("设定温度")] == ["a", "b"]
    hits = archive.search("设顶")  # unknown: found by its sound and its characters
    assert {h.document for h in hits} == {"a", "b"}
    assert hits[0].kind in ("syllable", "character")
    assert archive.ranker_names[-1] == "syllable-cn-3"
    assert len(archive.ranker_names) == 18


def test_subtitles(tmp_path):
    from rankine.spoken.formats import one_best

    archive = Archive.create(tmp_path / "a", SMALL)
    words = [("one", 0.0, 0.5, 0.9), ("two", 0.5, 1.0, 0.51), ("three", 3.0, 3.5, 1.0)]
    archive.add_lattices([("d", one_best(words))])
    assert subtitles(archive, "d").splitlines()[2:5] == [
        "00:00:00.000 --> 00:00:01.000",
        "<00:00:00.000><c.c9>one</c> <00:00:00.500><c.c5>two</c>",
        "",
    ]
    assert subtitles(archive, "d", "srt").splitlines()[:3] == ["1", "00:00:00,000 --> 00:00:01,000", "one two"]


def test_the_commands(tmp_path):
    folder = tmp_path / "lattices"
    folder.mkdir()
    from rankine.spoken.formats import one_best

    for name, text in (("a", "spoken words remain"), ("b", "written words fade")):
        words = [(w, i, i + 1.0, 0.9) for i, w in enumerate(text.split())]
        (folder / f"{name}.slf").write_bytes(write_slf(one_best(words)))
    (tmp_path / "about.tsv").write_text(
        "utterance\tdocument\ttitle\tspeaker\toffset\na\tA\tFirst\tann\t60\nb\tB\t\tbob\t\n"
    )
    done = rankine(tmp_path, "spoken", "index", "arch", "lattices", "--about", "about.tsv")
    assert "2 documents added" in done.stderr
    assert "2 unchanged" in rankine(tmp_path, "spoken", "index", "arch", "lattices", "--about", "about.tsv").stderr
    out = rankine(tmp_path, "spoken", "search", "arch", "spoken words").stdout
    assert out.splitlines()[1].startswith("1\tFirst\t1:00.0–1:02.0\t")
    assert "[spoken words] remain" in out
    hits = json.loads(rankine(tmp_path, "spoken", "search", "arch", "words", "-o", "json", "--speaker", "bob").stdout)
    assert [h["document"] for h in hits] == ["B"]
    (tmp_path / "q.tsv").write_text("1\tspoken\n2\tzzyzx qqq\n3\tfade\n")
    done = rankine(tmp_path, "spoken", "search", "arch", "--queries", "q.tsv", "-o", "trec")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[0][:4] == ["1", "Q0", "A", "1"]
    assert lines[-1][5] == "rankine"
    assert rankine(tmp_path, "spoken", "subtitles", "arch", "A").stdout.startswith("WEBVTT")
    rankine(tmp_path, "spoken", "subtitles", "arch", "A", "-o", "a.srt")
    assert (tmp_path / "a.srt").read_text().startswith("1\n00:01:00,000")
    assert "documents\t2" in rankine(tmp_path, "spoken", "check", "arch").stdout
    rankine(tmp_path, "spoken", "merge", "arch")
    assert "1 left" in rankine(tmp_path, "spoken", "delete", "arch", "A").stderr
    assert "no document" in rankine(tmp_path, "spoken", "delete", "arch", "A", code=1).stderr
    assert "give a query" in rankine(tmp_path, "spoken", "search", "arch", code=1).stderr
    assert (
        "language must be" in rankine(tmp_path, "spoken", "index", "x", "lattices", "--language", "fr", code=1).stderr
    )
    for text, message in (
        ("name\n", "unknown column 'name'"),
        ("document\nx\n", "'utterance' is missing"),
        ("utterance\tdocument\ttitle\na\tA\tx\nb\tA\ty\n", "differs from"),
        ("utterance\toffset\na\tsoon\n", "expected a number"),
        ("utterance\na\na\n", "there twice"),
    ):
        (tmp_path / "about.tsv").write_text(text)
        done = rankine(tmp_path, "spoken", "index", "arch", "lattices", "--about", "about.tsv", code=1)
        assert message in done.stderr


def test_the_english_lattices(tmp_path, real_data):
    archive = Archive.create(tmp_path / "a")
    place = tmp_path / "some"
    place.mkdir()
    for file in sorted((real_data / "speech" / "lj" / "lattices").iterdir())[40:60]:
        (place / file.name).symlink_to(file)
    assert archive.add(place)[:4] == (20, 0, 0, 0)
    hits = archive.search('"roman type"', k=3)
    assert hits[0].document in ("LJ001-0042", "LJ001-0047", "LJ001-0048")
    assert len(archive.ranker_names) == 18
