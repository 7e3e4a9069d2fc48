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
from rankine.spoken.archive.archive import About, Archive
from rankine.spoken.archive.subtitles import subtitles
from rankine.spoken.index.analyse import FORMS, Settings, analyse
from rankine.spoken.index.storage import writing
from rankine.spoken.lattice.formats import write_slf
from rankine.spoken.lattice.lattice import random_lattice
from rankine.spoken.lattice.scoring import Scoring

from ... import reference as ref
from ...cli.test_cli import rankine

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
    utterance = analyse(SMALL, Scoring(), None, rk.spoken.lattice.formats.Piece("u", "slf", "m", write_slf(lattice(0))))
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
    from rankine.spoken.index.analyse import LANGUAGES
    from rankine.spoken.lattice.formats import one_best

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
    from rankine.spoken.lattice.formats import one_best

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
    from rankine.spoken.lattice.formats import one_best

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
    assert out.splitlines()[1].startswith("1\tA@60.0-62.0\tFirst\t1:00.0\t")
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


def _sausages(place, *lines):
    place.write_text("".join(f"{line}\n" for line in lines))
    return place


def test_a_damaged_source_removes_nothing(tmp_path):
    import gzip

    source = tmp_path / "s"
    source.mkdir()
    lines = "".join(f"u{i} [ a 1 ] [ b{i} 1 ]\n" for i in range(40)).encode()
    (source / "s.sausage.gz").write_bytes(gzip.compress(lines))
    _sausages(source / "t.sausage", "v [ a 1 ]")
    archive = Archive.create(tmp_path / "a", SMALL)
    archive.add(source)
    (source / "s.sausage.gz").write_bytes(gzip.compress(lines)[:-20])
    changes = archive.add(source, remove_missing=True)
    assert changes.removed == 0
    assert len(archive) == 41
    assert any("nothing was removed" in e for e in changes.errors)


def test_a_document_is_not_shortened(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    about = {u: About("D") for u in ("u1", "u2")}
    both = _sausages(tmp_path / "both.sausage", "u1 [ hello 1 ]", "u2 [ there 1 ]")
    archive.add(both, about)
    one = _sausages(tmp_path / "one.sausage", "u2 [ other 1 ]")
    changes = archive.add(one, about)
    assert changes[:2] == (0, 0)
    assert any("index all utterances of a document together" in e for e in changes.errors)
    assert archive.search("hello")
    _sausages(both, "u1 [ hello 1 ]", "u2 [ there 7 ]")  # u2 cannot be used any more
    for _ in range(2):  # it is said each time
        changes = archive.add(both, about)
        assert any("kept as it was" in e for e in changes.errors)
        assert archive.search("there")
    fresh = Archive.create(tmp_path / "b", SMALL)
    assert fresh.add(both, about)[:2] == (1, 0)
    _sausages(both, "u1 [ hello 1 ]", "u2 [ there 1 ]")
    assert fresh.add(both, about)[:2] == (0, 1)
    assert fresh.search("there")


def test_an_utterance_moves_to_another_document(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    source = _sausages(tmp_path / "s.sausage", "u1 [ hello 1 ]", "u2 [ there 1 ]", "u3 [ again 1 ]")
    archive.add(source, {"u1": About("A"), "u2": About("B"), "u3": About("B")})
    changes = archive.add(source, {"u1": About("A"), "u2": About("A"), "u3": About("B")})
    assert changes[:2] == (0, 2)
    assert [h.document for h in archive.search("there")] == ["A"]
    _sausages(source, "u1 [ hello 1 ]", "u3 [ again 1 ]")
    changes = archive.add(source, {"u1": About("A"), "u3": About("B")}, remove_missing=True)
    assert changes.updated == 1
    assert not any("together" in e for e in changes.errors)
    assert not archive.knows("there")


def test_a_dictionary_belongs_to_the_archive(tmp_path):
    from rankine.spoken.archive.archive import create_or_open
    from rankine.spoken.lattice.formats import one_best

    (tmp_path / "d.txt").write_text("book B UH K\n")
    archive = create_or_open(tmp_path / "a", "en", tmp_path / "d.txt")
    archive.add_lattices([("x", one_best([("book", 0.0, 1.0, 1.0)]))])
    assert archive.parse("book").units("phone") == ["B", "UH", "K"]
    with pytest.raises(rk.InputError, match="an archive already"):
        Archive.create(tmp_path / "a", dictionary=tmp_path / "d.txt")
    assert len(Archive(tmp_path / "a")) == 1
    (tmp_path / "d.txt").write_text("book T UH K\n")
    with pytest.raises(rk.InputError, match="another pronunciation dictionary"):
        create_or_open(tmp_path / "a", "en", tmp_path / "d.txt")
    with pytest.raises(rk.InputError, match="has prune"):
        create_or_open(tmp_path / "a", "en", prune=0.5)
    with pytest.raises(rk.InputError, match="has kinds"):
        create_or_open(tmp_path / "a", "zh")
    other = create_or_open(tmp_path / "b", "en", tmp_path / "d.txt")
    assert other.parse("book").units("phone") == ["T", "UH", "K"]
    kept = tmp_path / "a" / "dictionary.txt"
    kept.write_text("book T UH K\n")
    with pytest.raises(rk.InputError, match="damaged"):
        Archive(tmp_path / "a")
    kept.unlink()
    with pytest.raises(rk.InputError, match="missing"):
        Archive(tmp_path / "a")


def test_phrases_are_looked_for_before_the_cut(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    lines = [f"d{i} [ b 1 ] [ x 1 ] [ a 1 ] [ x 1 ] [ a 1 ]" for i in range(9)]
    archive.add(_sausages(tmp_path / "s.sausage", *lines, "zz [ x 1 ] [ a 0.5 ] [ b 0.5 ]"))
    assert [h.document for h in archive.search('"a b"', candidates=3)] == ["zz"]
    assert archive.features({"q": '"a b"'}).doc_ids.tolist() == ["zz"]


def test_merging_does_not_change_what_is_known(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    archive.add(_sausages(tmp_path / "s.sausage", "q [ x 0.999 xb 0.0005 ] [ b 1 ] [ w 1 ]"))
    archive.add_lattices([("more", lattice(0))])
    before = archive.knows("xb"), [h.document for h in archive.search('"xb w"')]
    archive.merge()
    assert (archive.knows("xb"), [h.document for h in archive.search('"xb w"')]) == before
    assert not before[0]


def test_equal_documents_come_by_name(tmp_path):
    names = [f"d{i:03d}" for i in range(120)]
    found = []
    for order, place in ((names, "a"), (names[::-1], "b")):
        archive = Archive.create(tmp_path / place, SMALL)
        archive.add_lattices([(n, lattice(3)) for n in order])
        text = " ".join(lattice(3).units)
        found.append([(h.document, h.score) for h in archive.search(text, k=3)])
        found.append([(h.document, h.score) for h in archive.search(text, k=3, candidates=10)])
    assert [d for d, _ in found[0]] == names[:3]
    assert all(f == found[0] for f in found)


def test_a_hit_points_at_the_phrase(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    (tmp_path / "x.ctm").write_text(
        "u 1 0 1 roman 1\nu 1 1 1 x 1\nu 1 2 1 roman 0.6\nu 1 3 0.01 uh 0.01\nu 1 3.01 1 type 0.6\nu 1 4.1 1 y 1\n"
    )
    archive.add(tmp_path / "x.ctm")
    hit = archive.search("roman type")[0]
    assert (round(hit.start, 2), round(hit.end, 2)) == (2.0, 4.01)
    assert [m.unit for m in hit.matches] == ["roman", "type"]
    assert hit.snippet == "roman x [roman type] y"


def test_other_ways_of_reading_are_a_change(tmp_path):
    from rankine.spoken.lattice.formats import Reading

    source = _sausages(tmp_path / "s.sausage", "u [ Hello 1 ]")
    archive = Archive.create(tmp_path / "a", SMALL)
    archive.add(source, scoring=Scoring(Reading(lower=False)))
    assert archive.knows("Hello")
    assert archive.add(source, scoring=Scoring(Reading(lower=True)))[:3] == (0, 1, 0)
    assert not archive.knows("Hello")


def test_a_word_in_near_empty_slots_is_found(tmp_path):
    archive = Archive.create(tmp_path / "a", replace(SMALL, skip=0.2))
    archive.add(_sausages(tmp_path / "s.sausage", "u [ rare 0.1 ] [ usual 1 ]"))
    assert archive.search("rare")


def test_words_as_they_are_written(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    archive.add(_sausages(tmp_path / "s.sausage", "u [ 'cause 1 ] [ u.s. 1 ] [ caf\u00e9 1 ] [ b 1 ]"))
    assert archive.parse("'cause U.S.").words == ("'cause", "u.s.")
    assert archive.parse("cafe\u0301!").words == ("caf\u00e9",)
    assert archive.parse("\u201cu.s. caf\u00e9\u201d b").phrases == ((0, 2),)
    with pytest.raises(rk.InputError, match="at most 100"):
        archive.parse("b " * 101)


def test_words_without_a_sound(tmp_path):
    archive = Archive.create(tmp_path / "a")
    changes = archive.add(_sausages(tmp_path / "s.sausage", "u [ *** 1 ] [ book 1 ]"))
    assert changes[:2] == (1, 0)
    assert not changes.errors
    assert archive.search("book")[0].document == "u"


def test_more_damage(tmp_path):
    archive = filled(tmp_path / "a", ["d"])
    part = next((tmp_path / "a").glob("*.part"))
    part.write_bytes(b"")
    with pytest.raises(rk.InputError, match="0 bytes instead of"):
        Archive(tmp_path / "a")
    manifest = tmp_path / "a" / "manifest.json"
    for value in ("null", '"2"'):
        head, body = manifest.read_text().split("\n", 1)
        manifest.write_text(head + "\n" + body.replace('"format": 1', f'"format": {value}'))
        with pytest.raises(rk.InputError):
            Archive(tmp_path / "a")
        manifest.write_text(head + "\n" + body)
    assert archive is not None


def test_tables_of_recordings(tmp_path):
    from rankine.spoken.index.about import read_about

    (tmp_path / "t.tsv").write_bytes('\ufeffutterance\ttitle\nu\tthe "first\nv\tsecond" one\n'.encode())
    assert read_about(tmp_path / "t.tsv")["u"].texts == {"title": 'the "first'}
    (tmp_path / "t.csv").write_text('utterance,title\nu,"a, b"\n')
    assert read_about(tmp_path / "t.csv")["u"].texts == {"title": "a, b"}
    (tmp_path / "l.tsv").write_bytes(b"utterance\n\xe9\n")
    with pytest.raises(rk.InputError, match=r"l\.tsv, line 2"):
        read_about(tmp_path / "l.tsv")
    (tmp_path / "o.tsv").write_text("utterance\toffset\nu\tinf\n")
    with pytest.raises(rk.InputError, match="offset must be"):
        read_about(tmp_path / "o.tsv")
    archive = Archive.create(tmp_path / "a", SMALL)
    changes = archive.add(_sausages(tmp_path / "s.sausage", "u [ a 1 ]"), {"other": About("x")})
    assert "1 utterances of the table are not in" in changes.errors[0]
    assert archive.search("a")[0].to_dict()["start"] is None  # a sausage has no times
