"""Metadata against a plain model: cells that are set, cleared, imported and taken back."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.index.about import About, read_about
from rankine.spoken.metadata.metadata import CellChange, Metadata, login_name, record_texts
from rankine.spoken.store.store import Store

from ..cases import SMALL, filled, sausages


@pytest.fixture
def archive(tmp_path):
    """Two recordings; the index of one holds texts, as those of older releases do."""
    archive = Archive.create(tmp_path / "a", SMALL)
    source = sausages(tmp_path / "s.sausage", "tape-a [ press 1 ]", "tape-b [ press 1 ]")
    from rankine.spoken.recordings.changes import add_source

    about = {"tape-a": About("tape-a", {"title": "Old", "date": "2021", "speaker": "ann"})}
    add_source(archive.index, source, about, None, None, 1, False, 2000, lambda done, total: None, False)
    archive.refresh()
    return archive


def test_what_the_store_says_wins(archive):
    about = archive.metadata
    assert about.get("tape-a") == {"title": "Old", "date": "2021", "speakers": "ann"}
    assert about.get("tape-b") == {}
    before = datetime.now(UTC).isoformat(timespec="seconds")
    assert about.set("tape-a", {"speaker": "Bob; Cy", "Tape no": "7"}, by="eve") == [
        CellChange("tape-a", "speakers", "ann", "Bob; Cy"), CellChange("tape-a", "tape-no", "", "7"),
    ]  # fmt: skip
    assert about.clear(["tape-a", "tape-b"], ["title"]) == [CellChange("tape-a", "title", "Old", "")]
    assert about.get("tape-a") == {"date": "2021", "speakers": "Bob; Cy", "tape-no": "7"}
    assert about.all() == {"tape-a": about.get("tape-a"), "tape-b": {}}
    assert about.fields == ["date", "speakers", "tape-no"]
    first, second = about.history()
    assert (first.who, first.what, first.rows, first.undone) == ("eve", "set speakers, tape-no", 2, False)
    assert (second.who, second.what) == (login_name(), "clear title")
    assert before <= first.time <= second.time
    hit = archive.search("press recording:tape-a")[0]
    assert (hit.title, hit.date, hit.speaker) == ("", "2021", "Bob; Cy")
    archive.check()
    assert about.undo().id == second.id
    assert about.get("tape-a")["title"] == "Old"
    assert about.undo(by="eve").id == first.id
    assert about.get("tape-a")["speakers"] == "ann"
    with pytest.raises(rk.InputError, match="there is no change of metadata to undo"):
        about.undo()
    assert about.undo(3).what == f"undo {second.id}"  # an undo is taken back
    assert "title" not in about.get("tape-a")
    archive.check()


def test_nothing_changes_twice(archive):
    about = archive.metadata
    assert about.set("tape-a", {"title": "Old"}) == []
    assert about.history() == []
    assert about.set(["tape-b", "tape-b"], {"title": "New"}, dry_run=True) == [CellChange("tape-b", "title", "", "New")]
    assert about.get("tape-b") == {}
    assert len(about.set("tape-b", {"title": "New"})) == 1
    assert about.set("tape-b", {"title": "New"}) == []
    assert len(about.history()) == 1
    assert str(CellChange("a", "title", "", "New")) == "a: title (empty) → New"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda a: a.get("tape-c"), "no recording is called 'tape-c'. Did you mean 'tape-"),
        (lambda a: a.set("tape-c", {"title": "x"}), "no recording is called 'tape-c'"),
        (lambda a: a.set("tape-a", {"title": " "}), r"title: expected a value, got none; clear empties a field"),
        (lambda a: a.set("tape-a", {}), "expected a field and its value"),
        (lambda a: a.set("tape-a", {"tag": "x", "tags": "y"}), "the field 'tags' is given twice"),
        (lambda a: a.set("tape-a", {"date": "5/11/2023"}), "date: '5/11/2023' means"),
        (lambda a: a.clear("tape-a", ["titel", "tite"]), "unknown field 'tite'. Did you mean 'title'?"),
        (lambda a: a.undo(7), "no change has number 7; the last ones are none"),
        (lambda a: a.merge({"tape-a": {"title": "x"}, "tape-c": {}}), "no recording is called 'tape-c'"),
    ],
)  # fmt: skip
def test_what_is_refused_changes_nothing(archive, call, message):
    with pytest.raises(rk.InputError, match=message):
        call(archive.metadata)
    assert archive.metadata.history() == []


def test_judgments_are_no_metadata(archive):
    book = archive.judgments.store
    number = book.add(book.query("press"), "tape-a", 1)
    archive.metadata.set("tape-a", {"title": "x"})
    assert [b.what for b in archive.metadata.history()] == ["set title"]
    with pytest.raises(rk.InputError, match=f"no change has number {number}"):
        archive.metadata.undo(number)
    archive.metadata.undo()
    assert book.all().n_judgments == 1


def test_texts_of_a_table_are_merged(archive):
    texts = {
        "tape-a": {"title": "New", "speaker": ""},
        "tape-b": {"date": "5/11/2023", "title": ""},
        "gone": {"title": "x"},
    }
    changes = record_texts(archive.folder, texts, "table", by="eve")
    assert changes == [CellChange("tape-a", "title", "Old", "New"), CellChange("tape-b", "date", "", "5/11/2023")]
    assert archive.metadata.get("tape-a") == {"title": "New", "date": "2021", "speakers": "ann"}
    assert [(b.who, b.what) for b in archive.metadata.history()] == [("eve", "table")]
    assert record_texts(archive.folder, texts) == []


def test_indexing_again_wipes_nothing(archive, tmp_path):
    source = tmp_path / "s.sausage"
    archive.metadata.set("tape-a", {"title": "New"})
    table = tmp_path / "t.tsv"
    table.write_text("utterance\ttitle\ttags\tspeaker\ntape-a\t\t\t\ntape-b\tB\tx; y\tBob\n")
    changes = archive.lattices.index(source, read_about(table))
    assert (changes.updated, changes.unchanged) == (0, 2)
    assert archive.metadata.get("tape-a") == {"title": "New", "date": "2021", "speakers": "ann"}
    assert archive.metadata.get("tape-b") == {"title": "B", "speakers": "Bob", "tags": "x; y"}
    assert archive.metadata.history()[-1].what == "table of recordings"
    table.write_text(table.read_text().replace("Bob", "Cy").replace("tape-a\t", "tape-a\tNewer"))
    assert archive.lattices.index(source, read_about(table)).unchanged == 2  # what is said is no part of the index
    assert archive.metadata.get("tape-b")["speakers"] == "Cy"
    archive.metadata.undo()
    archive.lattices.index(source)
    archive.lattices.index(source, {"tape-b": About("tape-b", {"title": "C"}, "x.wav")})
    assert archive.metadata.get("tape-b") == {"title": "C", "speakers": "Bob", "tags": "x; y"}
    assert archive.metadata.get("tape-a")["title"] == "New"


def test_importing_and_exporting(archive, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("file,title,tags\ntape-a.wav,,x; y\ntape-b.wav,B,\nz,Z,\n")
    done = archive.metadata.import_table(table, dry_run=True)
    assert archive.metadata.history() == []
    again = archive.metadata.import_table(table, by="eve")
    assert again == done
    assert again.rows == 2
    assert again.errors == [f"{table}, line 4: no recording is called 'z'."]
    assert archive.metadata.get("tape-a") == {"title": "Old", "date": "2021", "speakers": "ann", "tags": "x; y"}
    cleared = archive.metadata.import_table(table, clear=["title"]).changes
    assert cleared == [CellChange("tape-a", "title", "Old", "")]
    with pytest.raises(rk.InputError, match="no column is called 'notes', so it cannot clear the field"):
        archive.metadata.import_table(table, clear=["notes"])
    for ending in ("csv", "tsv", "json", "jsonl"):
        out = tmp_path / f"out.{ending}"
        assert archive.metadata.export(out) == 2
        assert archive.metadata.import_table(out) == ([], [], [], 2, [])


# -- a plain model

NAMES, FIELDS, VALUES = ("a", "b", "c"), ("title", "place", "speakers"), ("x", "y", "z")
CELLS = st.dictionaries(st.sampled_from(FIELDS), st.sampled_from(VALUES), min_size=1)
ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("set"), st.sampled_from(NAMES), CELLS),
        st.tuples(st.just("merge"), st.dictionaries(st.sampled_from(NAMES), CELLS)),
        st.tuples(
            st.just("clear"), st.sampled_from(NAMES), st.sets(st.sampled_from(("title", "speakers")), min_size=1)
        ),
        st.tuples(st.just("undo"), st.none() | st.integers(1, 12)),
    ),
    max_size=14,
)


class Model:
    """Batches in a list: each has cells, or the number of the batch that it takes back."""

    def __init__(self, base):
        self.base, self.batches = base, []

    def undone(self):
        gone = set()
        for number in range(len(self.batches), 0, -1):
            content = self.batches[number - 1]
            if isinstance(content, int) and number not in gone:
                gone.add(content)
        return gone

    def cells(self):
        out = {name: dict(cells) for name, cells in self.base.items()}
        gone = self.undone()
        for number, content in enumerate(self.batches, 1):
            if number not in gone and not isinstance(content, int):
                for name, cells in content.items():
                    out[name] |= cells
        return out

    def shown(self):
        return {name: {f: v for f, v in cells.items() if v} for name, cells in self.cells().items()}

    def write(self, table):
        now = self.cells()
        changed = {n: {f: v for f, v in cells.items() if now[n].get(f, "") != v} for n, cells in table.items()}
        changed = {n: cells for n, cells in changed.items() if cells}
        if changed:
            self.batches.append(changed)

    def undo(self, number):
        gone = self.undone()
        if number is None:
            live = [n for n, c in enumerate(self.batches, 1) if n not in gone and not isinstance(c, int)]
            number = live[-1] if live else 0
        if not 1 <= number <= len(self.batches) or number in gone:
            return False
        self.batches.append(number)
        return True


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    return filled(tmp_path_factory.mktemp("plain") / "a", NAMES)


@settings(max_examples=150, deadline=None)
@given(ACTIONS)
def test_any_sequence_comes_to_what_the_model_says(plain, actions):
    Store(plain.folder).make()  # an empty one
    about, model = plain.metadata, Model({name: {} for name in NAMES})
    for action, *rest in actions:
        if action == "undo":
            if model.undo(rest[0]):
                about.undo(rest[0])
            else:
                with pytest.raises(rk.InputError, match=r"no change|already"):
                    about.undo(rest[0])
        elif action == "merge":
            about.merge(rest[0])
            model.write(rest[0])
        elif action == "set":
            about.set(*rest)
            model.write({rest[0]: rest[1]})
        else:
            about.clear(*rest)
            model.write({rest[0]: dict.fromkeys(rest[1], "")})
        assert about.all() == {
            n: dict(sorted(c.items(), key=lambda p: FIELDS.index(p[0]))) for n, c in model.shown().items()
        }
    assert len(Store(plain.folder).batches()) == len(model.batches)
    assert Metadata(plain.index).all() == model.shown()
    plain.check()
