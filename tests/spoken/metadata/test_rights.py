"""Rights: what they mean, and what search, subtitles and playing do about them."""

from datetime import date, timedelta

import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.index.about import About
from rankine.spoken.index.settings import Settings
from rankine.spoken.lattice.formats import one_best, write_slf
from rankine.spoken.metadata import rights
from rankine.spoken.metadata.metadata import record_texts
from rankine.spoken.metadata.rights import access, check_readable, open_index, read_rights
from rankine.spoken.query.suggestions import suggest
from rankine.spoken.recordings.bin import check_source
from rankine.spoken.search.hits import locate
from rankine.spoken.search.recordings_list import RecordingsList
from rankine.spoken.store.recordings import identify_recordings, settle_names
from rankine.spoken.transcripts.subtitles import subtitles

from ..cases import SMALL
from ..hearings.cases import Second, Told, word_archive, write_recordings

TEXTS = {"a": "the press here", "b": "secret press there", "c": "press paper", "d": "press again"}


@pytest.fixture
def archive(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    for name, text in TEXTS.items():  # a part of the index each
        words = [(w, 0.5 * i, 0.5 * i + 0.5, 0.9) for i, w in enumerate(text.split())]
        archive.lattices.add([(name, one_best(words))])
    return archive


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("open", "open"), ("Public", "open"), ("on-request", "on request"), (" CLOSED ", "closed"),
        ("closed until 2030-01-01", "closed until 2030-01-01"), ("embargoed until May 2030", "closed until 2030-05-01"),
        ("closed until 2030", "closed until 2030-01-01"), ("Closed until 17.5.2030", "closed until 2030-05-17"),
    ],
)  # fmt: skip
def test_reading(text, want):
    assert read_rights(text) == want == read_rights(want)


@pytest.mark.parametrize("text", ["x", "closed until", "closed until 5/11/2030", "closed until soon", "openly"])
def test_what_are_no_rights(text):
    assert read_rights(text) == text
    assert access(text) == "closed"


def test_access():
    today = date(2029, 12, 31)
    assert [access(r, today) for r in ("", "open", "on request", "closed", "nonsense")] == [
        "open", "open", "on request", "closed", "closed",
    ]  # fmt: skip
    assert access("closed until 2030-01-01", today) == "closed"
    assert access("closed until 2030-01-01", today + timedelta(1)) == "open"
    assert access("closed until 9999-12-31") == "closed"


def test_search_leaves_closed_recordings_out(archive):
    every = {h.recording: h for h in archive.search("press")}
    assert set(every) == set(TEXTS)
    assert open_index(archive.index) is archive.index
    archive.metadata.merge(
        {"b": {"rights": "closed"}, "c": {"rights": "closed until 9999"}, "d": {"rights": "closed until 2000"}}
    )
    assert open_index(archive.index).names == ["a", "d"]
    hits = {h.recording: h for h in archive.search("press")}
    assert set(hits) == {"a", "d"}
    assert all(hits[d].snippet == every[d].snippet for d in hits)
    assert {h.recording: h.score for h in archive.search("press", closed=True)} == {
        d: h.score for d, h in every.items()
    }
    note = "2 recordings are not open and left out"
    assert note in archive.search("press").notes
    assert note not in archive.search("press", closed=True).notes
    archive.metadata.undo()
    assert len(archive.search("press")) == 4


def test_nothing_tells_what_closed_recordings_hold(archive):
    assert [s.word for s in suggest(archive.index, "secrte")] == ["secret"]
    archive.metadata.merge(
        {"b": {"rights": "closed", "title": "Hidden tale", "speakers": "Mallory"}, "a": {"title": "Open"}}
    )
    view = open_index(archive.index)
    assert suggest(view, "secrte") == []
    (count,) = (s.count for s in suggest(view, "prss"))
    assert count == pytest.approx(suggest(archive.index, "prss")[0].count * 3 / 4, rel=1e-3)
    assert not any("secret" in note for note in archive.search("press secrte").remarks)
    assert "b" not in {h.recording for h in archive.search("secret")}
    for text, message in (
        ("press title:hiden", "no recording has 'hiden' in its title$"),
        ("press speaker:mallory", "no recording of this archive has a speaker"),
        ("press recording:b", "no recording is called 'b'$"),
        ("press rights:closed", "no recording has 'closed' in its rights"),
    ):  # fmt: skip
        with pytest.raises(rk.InputError, match=message):
            archive.search(text)
    assert {h.recording for h in archive.search("press -title:open")} == {"c", "d"}
    assert [h.recording for h in archive.search("press rights:closed", closed=True)] == ["b"]
    assert {h.recording for h in archive.search("press rights:open")} == {"a", "c", "d"}
    for h in archive.search("press", explain=True):
        assert h.recording != "b"
    archive.metadata.set(list("acd"), {"rights": "closed"})
    nothing = archive.search("press")
    assert nothing == []
    assert nothing.why_empty == "nothing in this archive is open"


def test_on_request(archive):
    """A recording on request is listed, and nothing tells which words it holds, not even how rare they are."""
    archive.metadata.set("b", {"rights": "on request", "title": "Ask for it"})
    assert {h.recording for h in archive.search("press")} == {"a", "c", "d"}
    assert "b" not in {h.recording for h in archive.search("secret")}
    with pytest.raises(rk.InputError, match="is only given on request"):
        check_readable(archive.index, "b")
    assert RecordingsList(archive.index).get("b").title == "Ask for it"
    shown = {h.recording: h for h in archive.search("press", closed=True)}
    assert shown["b"].snippet
    assert shown["b"].rights == "on request"


@pytest.mark.parametrize("means", ["closed", "on request"])
def test_answers_are_those_of_an_archive_without_what_is_not_open(archive, tmp_path, means):
    """Scores, notes, prefixes and suggestions: nothing differs from an archive that never had the recording."""
    archive.metadata.set("b", {"rights": means})
    other = Archive.create(tmp_path / "other", SMALL)
    for name in "acd":
        words = [(w, 0.5 * i, 0.5 * i + 0.5, 0.9) for i, w in enumerate(TEXTS[name].split())]
        other.lattices.add([(name, one_best(words))])
    for text in ("press", "press here", "pre*", "se* press", "prss", "secrte press", '"press here"', "there press"):
        mine, theirs = (some.search(text) for some in (archive, other))
        assert [hit.to_dict() for hit in mine] == [hit.to_dict() for hit in theirs]
        assert [remark for remark in mine.remarks if "not open" not in remark] == theirs.remarks


def test_playing_and_subtitles(archive):
    for value, state in (
        ("closed", "is closed"),
        ("closed until 9999", "is closed until 9999-01-01"),
        ("on request", "is only given on request"),
    ):
        archive.metadata.set("b", {"rights": value})
        for call in (
            lambda **o: subtitles(archive.index, "b", **o),
            lambda **o: check_readable(archive.index, "b", **o),
        ):
            with pytest.raises(rk.InputError, match=f"'b' {state}: closed=True"):
                call()
            call(closed=True)
        with pytest.raises(rk.InputError, match=state):
            locate(archive.index, "b@0-1")
        with pytest.raises(rk.InputError, match="does not know a recording"):
            locate(archive.index, "b@0-1", closed=True)
    check_readable(archive.index, "a")


def test_days_pass(archive, monkeypatch):
    archive.metadata.set("b", {"rights": "closed until 2030-01-01"})
    for day, n in ((date(2029, 12, 31), 3), (date(2030, 1, 1), 4)):
        monkeypatch.setattr(rights, "date", type("Day", (date,), {"today": lambda day=day: day}))
        assert len(archive.search("press")) == n


def test_rights_that_have_ended_are_open_in_filters(archive):
    archive.metadata.merge(
        {"a": {"rights": "closed until 1999"}, "b": {"rights": "closed until 2999"}, "c": {"rights": "on request"}}
    )
    listed = {
        where: set(RecordingsList(archive.index, closed=True).table(where)["recording"])
        for where in ("rights:open", "rights:closed", "-rights:open")
    }
    assert "a" in listed["rights:open"]
    assert not {"b", "c"} & listed["rights:open"]
    assert listed["rights:closed"] == {"b"}
    assert listed["-rights:open"] == {"b", "c"}


def test_words_of_closed_recordings_do_not_occur(tmp_path):
    """What is closed is as if it were not there; words of what is on request are no suggestions."""
    archive = Archive.create(tmp_path / "a", Settings({"word": "words"}))
    texts = {"a": "plain press", "b": "quixotic press", "c": "laborious press"}
    archive.lattices.add(
        (name, one_best([(w, i, i + 1.0, 0.9) for i, w in enumerate(text.split())])) for name, text in texts.items()
    )
    archive.metadata.merge({"b": {"rights": "closed"}, "c": {"rights": "on request"}})

    def suggested(text, closed=False):
        return archive.search(text, closed=closed, lazy=True).suggestion_lines

    for text in ("quixotic", "laborious", "nowhere"):
        with pytest.raises(rk.InputError, match=f"nothing in the query '{text}' occurs in this archive"):
            archive.search(text)
    assert [hit.recording for hit in archive.search("quixotic", closed=True)] == ["b"]
    assert [hit.recording for hit in archive.search("laborious", closed=True)] == ["c"]
    assert "quixotic: no such word was heard" in suggested("quixotic")
    assert suggested("quixotic", closed=True) == []
    for text, word in (("quixotik", "quixotic"), ("laboriuos", "laborious")):
        assert f"{text}: no such word was heard" in suggested(text)
        assert suggested(text, closed=True) == [f"{text}: did you mean {word} (1)?"]
    assert "plian: did you mean plain (1)?" in suggested("plian")


def test_what_is_not_understood_closes(archive, tmp_path):
    table = tmp_path / "meta.csv"
    table.write_text(
        "Identifier,Title,Rights\na,A,Restricted\nb,B,CC-BY 4.0\nc,C,closed until next summer\nd,D,\x07open\n",
        encoding="utf-8",
    )
    done = archive.metadata.import_table(table)
    fields = archive.metadata.all()
    assert [fields[name].get("rights", "") for name in "abcd"] == [
        "Restricted", "", "closed until next summer", "closed",
    ]  # fmt: skip
    assert fields["b"]["licence"] == "CC-BY 4.0"
    assert {hit.recording for hit in archive.search("press")} == {"b"}
    notes = " ".join(done.notes)
    assert "the rights 'Restricted' are not understood, so 1 recording such as 'a' is closed" in notes
    assert "'closed until next summer' are not understood" in notes
    assert "`open` opens it" in notes
    assert len(done.bad_cells) == 1
    archive.metadata.set("a", {"rights": "open"})
    archive.refresh()
    assert {hit.recording for hit in archive.search("press")} == {"a", "b"}
    with pytest.warns(rk.InputNote):
        archive.metadata.set("a", {"rights": "members only"})
    assert access(archive.metadata.get("a")["rights"]) == "closed"


def test_rights_that_are_not_understood_are_told_wherever_they_are_given(archive, tmp_path):
    told = "the rights 'Restricted' are not understood, so 1 recording such as '.' is closed"
    with pytest.warns(rk.InputNote, match=told):
        archive.metadata.set("a", {"rights": "Restricted"})
    with pytest.warns(rk.InputNote, match=told):
        archive.metadata.merge({"b": {"rights": "Restricted"}})
    with pytest.warns(rk.InputNote, match=told):
        record_texts(archive.folder, {"c": {"access": "Restricted"}})
    archive.refresh()
    assert {hit.recording for hit in archive.search("press")} == {"d"}


def test_what_is_added_closed_is_never_open(tmp_path):
    """Seen after every commit: a process that was killed there would leave this."""
    lattices, seen = tmp_path / "lattices", []
    lattices.mkdir()
    for name in TEXTS:
        (lattices / f"{name}.slf").write_bytes(write_slf(one_best([("press", 0.0, 0.5, 0.9)])))
    archive = Archive.create(tmp_path / "a", SMALL)
    texts = {"a": {"rights": "closed"}, "b": {"access": "Restricted"}, "c": {"rights": "on request"}, "d": {}}

    def look(done, total):
        now = Archive(archive.folder)
        seen.append((len(now.recordings.names), set(open_index(now.index).names)))

    with pytest.warns(rk.InputNote, match="not understood"):
        archive.lattices.index(
            lattices, {name: About(name, some) for name, some in texts.items()}, batch=1, progress=look
        )
    look(0, 0)
    assert {recordings for recordings, _ in seen} >= {1, 2, 3, 4}
    assert all(names <= {"d"} for _, names in seen)
    assert seen[-1] == (4, {"d"})
    assert {hit.recording for hit in archive.search("press")} == {"d"}


def test_a_day_in_a_column_of_embargoes(archive, tmp_path):
    (tmp_path / "meta.csv").write_text("recording,Embargo until\na,2999-01-01\nb,1 May 2001\nc,some day\nd,\n")
    notes = archive.metadata.import_table(tmp_path / "meta.csv").notes
    assert [archive.metadata.get(name).get("rights", "") for name in "abcd"] == [
        "closed until 2999-01-01", "closed until 2001-05-01", "closed until some day", "",
    ]  # fmt: skip
    assert "'closed until some day' are not understood" in " ".join(notes)
    archive.refresh()
    assert {hit.recording for hit in archive.search("press")} == {"b", "d"}


def test_rows_that_contradict_each_other_still_close(archive, tmp_path):
    (tmp_path / "meta.csv").write_text("recording,title,rights\na,A,closed\na,Z,closed\nb,B,open\nb,Z,\n")
    errors = archive.metadata.import_table(tmp_path / "meta.csv").errors
    assert len(errors) == 2
    assert errors[0].endswith("no row of it is used, but for its rights")
    assert errors[1].endswith("no row of it is used")
    assert (archive.metadata.get("a"), archive.metadata.get("b")) == ({"rights": "closed"}, {})


def test_an_embargo_until_no_day_never_ends():
    assert access("closed until 2020-02-31") == "closed"
    assert access("closed until 2020-02-28") == "open"


def test_two_rows_that_disagree_close(archive, tmp_path):
    (tmp_path / "meta.csv").write_text("recording,rights\na,open\na,closed\nb,open\n")
    archive.metadata.import_table(tmp_path / "meta.csv")
    assert rights.not_open(archive.index) == ["a"]


def test_a_statement_of_rights_beside_access(archive, tmp_path):
    (tmp_path / "meta.csv").write_text("recording,dc:rights,dcterms:accessRights\na,(c) the archive,closed\nb,CC0,\n")
    archive.metadata.import_table(tmp_path / "meta.csv")
    assert archive.metadata.get("a") == {"rights": "closed", "licence": "(c) the archive"}
    assert archive.metadata.get("b") == {"licence": "CC0"}


@pytest.mark.parametrize("other", ["open", "closed"])
def test_a_closed_recording_that_is_being_renamed_is_never_open(archive, other):
    """The store has the new names and the index still those before, as after a kill between their commits."""
    folder = archive.folder
    identify_recordings(folder, {"a": "print of a", "b": "print of b"})
    archive.metadata.set("b", {"rights": "closed"})
    archive.metadata.set("a", {"rights": other})
    for prints in (
        {"a": "print of a", "new": "print of b"},  # renamed
        {"a": "print of b", "b": "print of a"},  # swapped
        {"x": "print of b", "b": "print of a"},  # and once more
    ):
        identify_recordings(folder, prints)
        opened = Archive(folder)
        assert not {"b"} & {hit.recording for hit in opened.search("press")}
        assert "b" in rights.not_open(opened.index)
        assert opened.index.cells.some(["b"])["b"]["rights"] == "closed"
        assert opened.index.recording_texts["rights"][opened.index.numbers["b"]] == "closed"
        with pytest.raises(rk.InputError, match="is closed"):
            check_readable(opened.index, "b")
    settle_names(folder)
    assert Archive(folder).index.cells.some(["b"])["b"]["rights"] == other  # it is the other recording now


def test_lattices_of_an_archive_obey_its_rights(archive, tmp_path):
    lattices = archive.folder / "recognised"
    lattices.mkdir()
    check_source(lattices)
    check_source(tmp_path)
    archive.metadata.set("b", {"rights": "on request"})
    (tmp_path / "elsewhere" / "deep").mkdir(parents=True)
    (tmp_path / "elsewhere" / "deep" / "linked").symlink_to(lattices)
    (tmp_path / "linked.slf").symlink_to(lattices / "b@1.slf")
    above = tmp_path, tmp_path / "elsewhere", tmp_path / "linked.slf"
    for place in (lattices, lattices / "b@1.slf", archive.folder, *above):
        with pytest.raises(rk.InputError, match="the archive a has 1 recording such as 'b' that may not be read by"):
            check_source(place)
    check_source(tmp_path / "other")
    archive.recordings.delete(["b"])  # its lattices stay until it is purged
    with pytest.raises(rk.InputError, match="1 recording such as 'b'"):
        check_source(lattices)
    archive.recordings.purge(0)
    check_source(lattices)


def test_rights_of_rows_that_cannot_be_used(archive, tmp_path):
    """Where a table says who may hear recordings, a row that cannot be read opens nothing."""
    (tmp_path / "meta.json").write_text(
        '[{"recording": "a", "rights": true}, {"recording": "b", "rights": {"open": 1}}, '
        '{"recording": "c", "rights": "open", "title": true}, {"recording": "d", "title": "T"}]'
    )
    done = archive.metadata.import_table(tmp_path / "meta.json")
    assert archive.metadata.get("a") == {"rights": "true"}
    assert [error.partition(": ")[2] for error in done.errors] == [
        "title: expected text, a number or a list of texts, got 'true'; so 'c' is closed"
    ]
    archive.refresh()
    assert sorted(rights.not_open(archive.index)) == ["a", "b", "c"]
    (tmp_path / "meta.csv").write_text("recording,title,rights\na,T,open\nb,T,open\nd,Tape, part 2,open\nx,T,open,2\n")
    done = archive.metadata.import_table(tmp_path / "meta.csv")
    assert [error.partition(": ")[2] for error in done.errors] == [
        "expected 3 cells as in the head line, got 4; so 'd' is closed",
        "expected 3 cells as in the head line, got 4",
    ]
    archive.refresh()
    assert sorted(rights.not_open(archive.index)) == ["c", "d"]
    (tmp_path / "titles.csv").write_text("recording,title\na,T\nb,Tape, part 2\n")
    done = archive.metadata.import_table(tmp_path / "titles.csv")  # it is not about rights
    archive.refresh()
    assert (len(done.errors), sorted(rights.not_open(archive.index))) == (1, ["c", "d"])


@pytest.mark.parametrize("change", ["delete", "rename"])
def test_an_index_that_was_opened_before_does_not_open_what_was_closed(archive, change):
    folder = archive.folder
    identify_recordings(folder, {"a": "print of a", "b": "print of b"})
    archive.metadata.set("b", {"rights": "closed"})
    before = Archive(folder)
    if change == "delete":
        archive.recordings.delete(["b"])
    else:
        identify_recordings(folder, {"a": "print of a", "new": "print of b"})
        settle_names(folder)
    assert rights.not_open(before.index) == ["b"]
    assert "b" not in {hit.recording for hit in before.search("press")}
    with pytest.raises(rk.InputError, match="is closed"):
        check_readable(before.index, "b")
    archive.metadata.set("a", {"rights": "closed"})
    assert sorted(rights.not_open(before.index)) == ["a", "b"]
    archive.metadata.set("a", {"rights": "open"})
    assert rights.not_open(before.index) == ["b"]


def test_what_stands_beside_a_licence_counts(archive, tmp_path):
    (tmp_path / "meta.csv").write_text(
        "recording,dc:rights,accessRights\na,CC BY 4.0; closed until 2999-01-01,\nb,closed until 2999-01-01,\n"
        "c,Public domain from 2050,\nd,(c) the archive,open\n"
    )
    archive.metadata.import_table(tmp_path / "meta.csv")
    assert archive.metadata.get("a") == {"rights": "closed until 2999-01-01", "licence": "CC BY 4.0"}
    assert archive.metadata.get("b") == {"rights": "closed until 2999-01-01"}
    assert archive.metadata.get("c") == {"rights": "Public domain from 2050"}
    assert archive.metadata.get("d") == {"rights": "open", "licence": "(c) the archive"}
    archive.refresh()
    assert sorted(rights.not_open(archive.index)) == ["a", "b", "c"]


def test_a_statement_of_rights_that_closes(archive, tmp_path):
    (tmp_path / "meta.csv").write_text("recording,Rights statement\na,Closed\nb,CC0 1.0 Universal\nc,on request\n")
    archive.metadata.import_table(tmp_path / "meta.csv")
    archive.refresh()
    assert sorted(rights.not_open(archive.index)) == ["a", "c"]
    assert archive.metadata.get("b") == {"licence": "CC0 1.0 Universal"}


@pytest.fixture
def heard_twice(tmp_path):
    """Three recordings, of which r01 is closed; a second recogniser heard a word in it that the first did not."""
    pytest.importorskip("soundfile")
    audio = write_recordings(tmp_path / "audio", range(3))
    own = Told(tuple(((1.0, f"press {word}"),) for word in ("ink", "lead", "type")))
    other = Second(tuple(((1.0, f"press {word}"),) for word in ("ink", "secret", "type")))
    made = word_archive(tmp_path / "heard")
    made.recordings.add(audio, [own, other])
    made.hearings.weigh("second", 1.0)
    made.metadata.set("r01", {"rights": "closed"})
    made.refresh()
    return made, audio, own


@pytest.mark.parametrize("renamed", [False, True])
def test_further_hearings_tell_nothing_of_what_is_closed(heard_twice, tmp_path, renamed):
    archive, audio, own = heard_twice
    if renamed:
        (audio / "r01.wav").rename(audio / "new.wav")
        (audio / "r02.wav").rename(audio / "r01.wav")
        archive.recordings.add(audio, [own])
    closed, other = ("new", "r01") if renamed else ("r01", "r02")
    assert rights.not_open(archive.index) == [closed]
    told = [hit.recording for hit in archive.search("press", 9)]
    assert sorted(told) == sorted(["r00", other])
    assert "secret" not in str([hit.to_dict() for hit in archive.search("press secret", 9)])
    with pytest.raises(rk.InputError, match="nothing in the query 'secret' occurs in this archive"):
        archive.search("secret", 9)
    assert closed not in [place.hit.recording for place in archive.judgments.next("press secret", 9)]
    archive.metadata.set(closed, {"rights": "open"})
    archive.refresh()
    assert [hit.recording for hit in archive.search("secret", 9)] == [closed]


def test_a_hearing_by_itself_is_closed_where_not_all_is_open(heard_twice):
    archive, _, _ = heard_twice
    hearing = Archive(archive.folder / "hearings" / "second")
    assert sorted(rights.not_open(hearing.index)) == ["r00", "r01", "r02"]
    archive.metadata.set("r01", {"rights": "open"})
    assert rights.not_open(Archive(archive.folder / "hearings" / "second").index) == []
