"""``rankine spoken search``."""

import json
import re
from dataclasses import replace

import pytest

from rankine.cli.shared.printing import print_hits
from rankine.spoken.archive import Archive
from rankine.spoken.index.about import About
from rankine.spoken.lattice.formats import one_best, write_slf
from rankine.spoken.learn.weights import Weights, is_evidence
from rankine.spoken.query.grammar import EXAMPLES

from ...spoken.cases import SMALL, sausages, spoken
from ..running import rankine


@pytest.fixture
def place(tmp_path):
    """A folder with an archive of two recordings."""
    (tmp_path / "lattices").mkdir()
    for name, text in (("a", "spoken words remain"), ("b", "written words fade")):
        words = [(w, i, i + 1.0, 0.9) for i, w in enumerate(text.split())]
        (tmp_path / "lattices" / f"{name}.slf").write_bytes(write_slf(one_best(words)))
    about = {"a": About("A", {"title": "First", "speaker": "ann"}, "", 60.0), "b": About("B", {"speaker": "bob"})}
    Archive.create(tmp_path / "arch").lattices.index(tmp_path / "lattices", about)
    return tmp_path


def test_a_table_of_hits(place):
    out = rankine(place, "spoken", "search", "arch", "spoken words").stdout
    assert out.splitlines()[1].startswith("1\tA@60.0-62.0\tFirst\t1:00.0\t")
    assert "[spoken words] remain" in out
    assert out.splitlines()[0].split("\t") == ["", "hit", "title", "at", "score", "certainty", "heard", "around it"]
    assert "\theard\tspoken:0.90 words:0.90\t" in out


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ('"fade spoken"', 'no place holds the phrase "fade spoken"'),
        ("fade -words", "all places hold words, which the query excludes"),
        ("fade near/1 spoken", "no place has fade and spoken with at most 1 word between them"),
        ("fade speaker:ann", "the filters leave none of the 1 places"),
    ],
)
def test_why_nothing_is_found(place, query, reason):
    for flag in ((), ("--per-recording", "2")):
        done = rankine(place, "spoken", "search", "arch", query, *flag)
        assert f"nothing found: {reason}" in done.stderr
        assert done.stdout == ""
    assert json.loads(rankine(place, "spoken", "search", "arch", query, "-o", "json").stdout) == []


@pytest.mark.parametrize(
    ("query", "recordings"),
    [("-written words", ["A"]), ("-speaker:ann words", ["B"]), ('-"spoken words" words', ["B"])],
)
def test_a_query_may_begin_with_a_minus(place, query, recordings):
    out = rankine(place, "spoken", "search", "arch", query, "-k1", "-o", "json").stdout
    assert [h["recording"] for h in json.loads(out)] == recordings
    done = rankine(place, "spoken", "search", "arch", "-words", code=1)
    assert "only excludes" in done.stderr


def test_explanations(place):
    out = rankine(place, "spoken", "search", "arch", "spoken", "-k", "1", "--explain").stdout
    assert out.splitlines()[2].startswith("A@60.0-61.0: ")
    assert "“spoken” was heard here, expected 0.90 times" in out.splitlines()[3]
    hits = json.loads(rankine(place, "spoken", "search", "arch", "spoken", "--explain", "-o", "json").stdout)
    assert "“spoken” was heard here, expected 0.90 times" in hits[0]["explanation"][0]


def test_hits_of_recordings(tmp_path):
    spoken(tmp_path / "a", "word one | word two | other")
    run = rankine(tmp_path, "spoken", "search", "a", "word", "-o", "trec").stdout
    assert sorted(line.split()[2] for line in run.splitlines()[:2]) == ["talk@0.00-2.00", "talk@2.00-4.00"]
    assert [line.split()[3] for line in run.splitlines()[:2]] == ["1", "2"]
    grouped = rankine(tmp_path, "spoken", "search", "a", "word", "-o", "trec", "--per-recording", "2").stdout
    assert [line.split()[2:4] for line in grouped.splitlines()] == [["talk", "1"]]
    table = rankine(tmp_path, "spoken", "search", "a", "word", "--per-recording", "2").stdout
    assert [line.split("\t")[0] for line in table.splitlines()[1:]] == ["1", ""]
    assert sorted(line.split("\t")[1] for line in table.splitlines()[1:]) == ["talk@0.0-0.5", "talk@2.0-2.5"]
    assert (
        "at least 1, got 0" in rankine(tmp_path, "spoken", "search", "a", "word", "--per-recording", "0", code=1).stderr
    )


def test_the_number_of_a_recording_stands_once(place, capsys):
    hit = Archive(place / "arch").search("spoken", k=1)[0]
    print_hits("spoken", [replace(hit, rank=i + 1, recording_rank=n) for i, n in enumerate((1, 1, 1, 2, 3, 3))])
    assert [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()[1:]] == ["1", "", "", "2", "3", ""]


def test_a_terminal_shows_the_recording_and_what_was_said(place, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    first, second = Archive(place / "arch").search("words", k=2)
    hit = replace(first if first.recording == "A" else second, date="2026-11")
    print_hits("words", [replace(hit, recording_rank=1), replace(hit, recording_rank=1), replace(hit, title="")])
    lines = [re.sub(r"\x1b\[[\d;]*m", "", line).rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines[1].split() == ["hit", "at", "score", "certainty", "heard"]
    assert lines[3:5] == ["   First · 2026-11", "   ann: spoken [words] remain"]
    assert lines[2].startswith("1  A@61.0-62.0  1:01.0  ")
    assert lines[6] == "   ann: spoken [words] remain"  # of the same recording
    assert lines[8] == "   ann, 2026-11: spoken [words] remain"
    assert all(len(line) <= 80 for line in lines)


def test_a_small_score_is_not_none(place, capsys):
    hit = Archive(place / "arch").search("spoken", k=1)[0]
    for score, text in ((3e-5, "<0.001"), (0.0005, "0.001"), (0.25, "0.250"), (0.0, "0.000")):
        print_hits("spoken", [replace(hit, score=score)])
        assert capsys.readouterr().out.splitlines()[1].split("\t")[4] == text


def test_json(place):
    hits = json.loads(rankine(place, "spoken", "search", "arch", "words", "-o", "json", "--speaker", "bob").stdout)
    assert [h["recording"] for h in hits] == ["B"]
    (place / "q.tsv").write_text("x\tfade\n")
    by_query = json.loads(rankine(place, "spoken", "search", "arch", "--queries", "q.tsv", "-o", "json").stdout)
    assert by_query["x"][0]["recording"] == "B"


def test_a_run_of_many_queries(place):
    (place / "q.tsv").write_text("1\tspoken\n2\tzzyzx qqq\n3\tfade\n")
    done = rankine(place, "spoken", "search", "arch", "--queries", "q.tsv", "-o", "trec")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[0][:4] == ["1", "Q0", "A", "1"]
    assert {line[0] for line in lines} >= {"1", "3"}
    assert {line[5] for line in lines} == {"rankine"}
    Archive(place / "arch").lattices.add([("has blanks", one_best([("blank", 0.0, 1.0, 1.0)]))])
    done = rankine(place, "spoken", "search", "arch", "blank", "-o", "trec", code=1)
    assert "a TREC run cannot hold the name 'has blanks'" in done.stderr


def test_what_cannot_be_searched(place):
    assert "give a query" in rankine(place, "spoken", "search", "arch", code=1).stderr
    assert "give a query" in rankine(place, "spoken", "search", "arch", "a", "--queries", "q.tsv", code=1).stderr
    assert "occurs in this archive" in rankine(place, "spoken", "search", "arch", "\u6e29", code=1).stderr


def test_a_mistake_is_pointed_at(place):
    (place / "q.tsv").write_text("1\tspoken sepaker:ann\n2\tfade\n")
    done = rankine(place, "spoken", "search", "arch", "spoken sepaker:ann", code=1)
    first, line, caret = done.stderr.splitlines()
    assert first.startswith("rankine: unknown field 'sepaker'. Did you mean 'speaker'?")
    assert line[caret.index("^") :] == "sepaker:ann"
    done = rankine(place, "spoken", "search", "arch", "\u6e29\x1b*b", code=1)
    assert done.stderr.splitlines()[1:] == ["  \u6e29\\x1b*b", "    ^"]
    done = rankine(place, "spoken", "search", "arch", "--queries", "q.tsv", "-o", "trec")
    assert done.stderr.startswith("rankine: query 1: unknown field 'sepaker'.")
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout.startswith("2 Q0 B 1 ")


def test_notes_and_filters(place):
    done = rankine(place, "spoken", "search", "arch", "wrds")
    assert "wrds: did you mean words (2)?" in done.stderr
    (place / "q.tsv").write_text("1\tthe\n")
    done = rankine(place, "spoken", "search", "arch", "--queries", "q.tsv")
    assert "query 1: all words of the query are stop words" in done.stderr
    done = rankine(place, "spoken", "search", "arch", "words", "--since", "5.11.2026", code=1)
    assert "since: expected a year (2023), a month (2023-05) or a day (2023-05-17); got '5.11.2026'" in done.stderr
    done = rankine(place, "spoken", "search", "arch", "words tag:x", code=1)
    assert done.stderr == "rankine: no recording of this archive has tags, so tag:x leaves none\n"
    hits = json.loads(rankine(place, "spoken", "search", "arch", "words -speaker:ann", "-o", "json").stdout)
    assert [h["recording"] for h in hits] == ["B"]


def test_help_shows_the_grammar(place):
    text = " ".join(rankine(place, "spoken", "search", "--help").stdout.split())
    for example, _ in EXAMPLES:
        assert " ".join(example.split()) in text


def test_candidates_tell_what_they_miss(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    archive.lattices.index(
        sausages(tmp_path / "s.sausage", *(f"d{i} [ a 0.{i + 2} ] [ {'bc'[i % 2]} 1 ]" for i in range(6)))
    )
    done = rankine(tmp_path, "spoken", "search", "a", "a", "--candidates", "2", "-k", "4", "-o", "trec")
    assert len(done.stdout.splitlines()) == 4  # at least k are scored
    assert "of the first 4 places of all, 4 are among the candidates" in done.stderr
    assert "candidates" not in rankine(tmp_path, "spoken", "search", "a", "a", "-o", "trec").stderr
    names = [name for name in archive.ranker_names if not is_evidence(name)]
    archive.weights.use(Weights.of({"word-cn-1": -1.0}, archive.ranker_names))  # the last come first
    done = rankine(tmp_path, "spoken", "search", "a", "a", "--candidates", "2", "-k", "2", "-o", "trec")
    assert "of the first 2 places of all, 0 are among the candidates" in done.stderr
    archive.weights.use(Weights(tuple(names), (1.0,) * len(names), "query-minmax", "test", {"candidates": 4}))
    done = rankine(tmp_path, "spoken", "search", "a", "a -b", "-o", "trec")
    assert len(done.stdout.splitlines()) == 2
    assert "the weights in use rank 4 places; the query and its filters leave 2 of them" in done.stderr
    done = rankine(tmp_path, "spoken", "search", "a", "a -b -c", "-o", "trec")
    assert "nothing found: the weights in use rank 4 places; the query and its filters leave 0 of them" in done.stderr
