"""A spoken archive with its recordings and transcripts in a folder of its own, and the model of what it must hold."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from .history_model import Item, Model, Row
from .scenes import slf

WHO = "historian"
OPENS = Path(__file__).parent.parent / "tests" / "opens"
_SYLLABLES = "ba ke li mo nu pa re si to vu".split()
_QUERIES = ("printing press", "river", "letter engine")
_FIELDS = ("title", "notes", "tags", "shelf")
_TIME = 1_000_000_000  # seconds: files rest for long, so that nobody waits for them


def word(number: int, begin: str = "so") -> str:
    """The word that is heard in a sound, or stands in a transcript."""
    return begin + "".join(_SYLLABLES[int(digit)] for digit in f"{number:03d}")


class Ears:
    """A recogniser that hears which sound it is, and notes that it was asked."""

    rate, ending = 16000, ".slf"
    log: ClassVar[Path]

    def __call__(self, samples: np.ndarray) -> bytes:
        """A lattice with the word of the sound."""
        sound = int(samples[100])
        with open(Ears.log, "a") as file:
            file.write(f"{sound}\n")
        return slf("heard", word(sound))


class Kind(NamedTuple):
    """A kind of rows that people type in.

    ``make`` invents a key and a value, ``write`` types it in for recordings, ``read`` is what an archive shows by
    recording and key, ``undo`` takes a change back. ``repeats``: a value that is there already makes a row too.
    ``fits`` tells of which recordings it can be said.
    """

    make: Callable[[Any], tuple[Any, Any]]
    write: Callable[[Any, list[str], Any, Any], object]
    read: Callable[[Any], dict[str, dict[Any, Any]]]
    undo: Callable[[Any, int], object]
    repeats: bool
    fits: Callable[[Item], bool] = lambda item: True


def _make_cell(rng) -> tuple[str, str]:
    return rng.choice(_FIELDS), rng.choice(("", "one", "two", f"value {rng.randrange(1000)}"))


def _write_cell(archive, names, key, value) -> None:
    if value:
        archive.metadata.set(names, {key: value}, WHO)
    elif key in archive.metadata.fields or key != "shelf":
        archive.metadata.clear(names, [key], WHO)


def _make_grade(rng) -> tuple[tuple[str, str], float]:
    return (rng.choice(_QUERIES), rng.choice(("", "", "0.5-1"))), float(rng.randrange(3))


def _write_grade(archive, names, key, value) -> None:
    text, place = key
    query = archive.judgments.store.query(text)
    archive.judgments.store.add_all([(query, f"{n}@{place}" if place else n, value) for n in names], WHO)


def _read_grades(archive) -> dict[str, dict[Any, Any]]:
    from rankine.spoken.store.store import split_place

    judged, names = archive.judgments.all(), set(archive.recordings.names)
    out: dict[str, dict[Any, Any]] = {}
    for query, grades in judged.qrels.items():
        for recording, grade in grades.items():
            name, place = split_place(recording, names)
            out.setdefault(name, {})[judged.queries[query], place] = grade
    return out


def _make_correction(rng) -> tuple[str, str]:
    return "common", word(rng.randrange(1000), "fix")


def _write_correction(archive, names, key, value) -> None:
    """Correct the word that is heard in all sounds, or the last one of a transcript."""
    rows = []
    for name in names:
        words = archive.corrections.words(name, as_heard=True)
        spoken = words[0] if words[0].text == "heard" else words[-1]
        rows.append((f"{name}@{spoken.start:.2f}-{spoken.end:.2f}", value))
    archive.corrections.add_all(rows, WHO)


def _read_corrections(archive) -> dict[str, dict[Any, Any]]:
    orphans = {c.id for c in archive.corrections.orphans()}
    return {c.recording: {"common": c.written} for c in archive.corrections.all() if c.id not in orphans}


def _read_notes(archive) -> dict[str, dict[Any, Any]]:
    out: dict[str, dict[Any, Any]] = {}
    for note in archive.notes.all():
        if not note.gone:
            out.setdefault(note.recording, {})[note.text] = note.key
    return out


def _read_members(archive) -> dict[str, dict[Any, Any]]:
    out: dict[str, dict[Any, Any]] = {}
    for name in archive.collections.names:
        for member in archive.collections.get_all(name):
            if not member.gone:
                out.setdefault(member.recording, {})[name] = "in"
    return out


def _write_notes(archive, names, key, value) -> None:
    rows = [archive.notes.row(name, value, key, False) for name in names]
    archive.notes.write(rows, value, WHO)


def _said_in(archive, text: str) -> set[str]:
    """The recordings in which a word is certain."""
    from rankine.errors import InputError

    try:
        return {hit.recording for hit in archive.search(text, 50) if hit.certainty == "heard"}
    except InputError as error:
        if "occurs in this archive" not in str(error):
            raise
        return set()


KINDS = {
    "about": Kind(_make_cell, _write_cell, lambda a: a.metadata.all(), lambda a, n: a.metadata.undo(n, WHO), False),
    "judgment": Kind(_make_grade, _write_grade, _read_grades, lambda a, n: a.judgments.store.store.undo(n, WHO), True),
    "correction": Kind(
        _make_correction, _write_correction, _read_corrections, lambda a, n: a.corrections.undo(n, WHO), True,
        lambda item: item.sound is not None or item.text is not None,
    ),
    "note": Kind(
        lambda rng: (f"text {rng.randrange(100)}", rng.choice(("note", "tag"))), _write_notes, _read_notes,
        lambda a, n: a.notes.undo(n, WHO), True,
    ),
    "member": Kind(
        lambda rng: (rng.choice(("talk", "book")), "in"),
        lambda a, names, key, value: a.collections.add(key, names, by=WHO), _read_members,
        lambda a, n: a.collections.undo(n, WHO), False,
    ),
}  # fmt: skip


class World:
    """The folder, the archive in it, and the model."""

    def __init__(self, folder: Path, begin: str) -> None:
        self.folder, self.model = folder, Model()
        self.archive, self.audio, self.talks = folder / "archive", folder / "audio", folder / "talks"
        self.sounds = self.clock = self.places = self.slack = 0
        self.pending = False  # files have changed since they were added
        for place in (self.audio, self.talks):
            place.mkdir(parents=True)
        os.environ["RANKINE_SETTINGS"] = str(folder / "settings.json")
        Ears.log = folder / "asked"
        Ears.log.write_text("")
        self._begin(begin)

    def _begin(self, begin: str) -> None:
        from rankine.spoken import Archive
        from rankine.spoken.index import changes as working
        from rankine.spoken.index.settings import Settings

        working._SMALL_PART, working._HIDDEN_SHARE = 0, 0.5  # as in large archives
        if begin == "new":
            Archive.create(self.archive, Settings({"word": "words"}))
            return
        shutil.copytree(OPENS / begin, self.archive)
        archive = Archive(self.archive)
        archive.recordings.purge(days=0)
        closed = [name for name, cells in archive.metadata.all().items() if "rights" in cells]
        if closed:  # what people type in about them would be refused
            archive.metadata.set(closed, {"rights": "open"}, by="the keeper")
        items = {name: Item(name, base=cells) for name, cells in archive.metadata.all().items()}
        for item in items.values():
            item.lattices = begin == "recorded"
        self.model.items += items.values()
        grades = KINDS["judgment"].read(archive)
        rows = [
            Row("judgment", items[n], key, v) for n, some in grades.items() if n in items for key, v in some.items()
        ]
        self.model.note([0], rows)
        self.model.history = archive.weights.history
        self.model.weights = None if archive.weights.learned is None else archive.weights.learned.id

    def open(self):
        """The archive."""
        from rankine.spoken import Archive

        return Archive(self.archive)

    # -- files

    def name_of(self, path: str) -> str:
        """The name that a file gives to its recording."""
        return Path(path).relative_to(self.audio).with_suffix("").as_posix()

    def listed(self) -> list[tuple[str, str]]:
        """All audio files in the order in which they are added, with their names."""
        below = sorted(Path(path).relative_to(self.audio).as_posix().split("/") for path in self.model.files)
        paths = [str(self.audio.joinpath(*parts)) for parts in below]
        return [(path, self.name_of(path)) for path in paths]

    def free_path(self, rng) -> Path:
        """A path at which there is no file."""
        paths = [self.audio / place / f"{name}.wav" for place in ("", "deep") for name in "abcdefgh"]
        path = rng.choice([p for p in paths if str(p) not in self.model.files])
        path.parent.mkdir(exist_ok=True)
        return path

    def record(self, path: Path) -> None:
        """Write a new sound; some are as long as others."""
        import soundfile

        self.sounds += 1
        soundfile.write(path, np.full(1600 + self.sounds % 2, self.sounds, np.int16), 16000)
        self.model.files[str(path)] = self.sounds
        self.model.tags.pop(str(path), None)
        self.stamp(path)

    def stamp(self, path: Path) -> None:
        """Give a file a time of its own, long ago."""
        self.clock += 1
        os.utime(path, (_TIME + self.clock, _TIME + self.clock))
        self.pending = True

    def tag(self, path: Path) -> None:
        """Write a title into a wav file: other bytes, the same sound."""
        data = path.read_bytes()
        end = data.index(b"data")
        end += 8 + int.from_bytes(data[end + 4 : end + 8], "little")
        title = f"tag {self.clock:03d}"
        text = title.encode() + b"\0" * (2 - len(title) % 2)
        info = b"INFOINAM" + len(text).to_bytes(4, "little") + text
        whole = data[:end] + b"\0" * (end % 2) + b"LIST" + len(info).to_bytes(4, "little") + info
        path.write_bytes(b"RIFF" + (len(whole) - 8).to_bytes(4, "little") + whole[8:])
        self.model.tags[str(path)] = title
        self.stamp(path)

    def move(self, old: Path, new: Path) -> None:
        """Rename a file."""
        old.rename(new)
        for table in (self.model.files, self.model.tags):
            if str(old) in table:
                table[str(new)] = table.pop(str(old))  # type: ignore[index]
            else:
                table.pop(str(new), None)
        self.pending = True

    # -- what the store holds

    def new_changes(self) -> list[int]:
        """The numbers of changes that were typed in and are not in the model yet."""
        from rankine.spoken.store.store import Store

        batches = Store(self.archive).batches()
        return [b.id for b in batches if b.who == WHO and b.id not in self.model.changes]

    def rows(self) -> set[tuple]:
        """All that was ever typed in, as the store has it."""
        from rankine.spoken.store.store import Store
        from rankine.spoken.store.tables import KINDS as TABLES

        out: set[tuple] = set()
        with Store(self.archive).reading() as db:
            for kind, columns in TABLES.items():
                names = ", ".join(c.name for c in columns if c.name != "recording")
                out |= {(kind, *row) for row in db.execute(f"SELECT id, batch, {names} FROM {kind}")}
        return out

    def differences(self) -> list[str]:
        """Where the archive is not what the model says."""
        model, archive = self.model, self.open()
        archive.check()
        there = model.there
        if sorted(archive.recordings.names) != sorted(there):
            return [f"recordings are {sorted(archive.recordings.names)}, not {sorted(there)}"]
        out = [f"{kind} {line}" for kind in KINDS for line in self._typed(kind, KINDS[kind].read(archive))]
        deleted = {d.name for d in archive.recordings.deleted}
        if deleted != model.deleted:
            out.append(f"deleted are {sorted(deleted)}, not {sorted(model.deleted)}")
        for name, item in there.items():
            if item.sound is not None or item.text is not None:
                hits = archive.search(word(item.sound) if item.text is None else item.text)
                want = (name, item.path or "")
                got = (hits[0].recording, hits[0].audio) if hits else None
                out += [f"search finds {got}, not {want}"] if got != want else []
        out += self._corrected(archive)
        asked = Counter(map(int, Ears.log.read_text().split()))
        if asked - model.heard and (asked - model.heard).total() > self.slack:
            out.append(f"heard too often: {dict(asked - model.heard)}")
        weights = None if archive.weights.learned is None else archive.weights.learned.id
        if (weights, archive.weights.history) != (model.weights, model.history):
            out.append(f"weights are {weights} {archive.weights.history}, not {model.weights} {model.history}")
        return out

    def _corrected(self, archive) -> list[str]:
        """Where corrected words are not found, or words that were corrected are."""
        fixed = {n: c["common"] for n, item in self.model.there.items() if (c := self.model.cells("correction", item))}
        out = []
        for text in set(fixed.values()):
            sure = _said_in(archive, text)
            want = {name for name, value in fixed.items() if value == text}
            out += [f"{text} is found in {sorted(sure)}, not {sorted(want)}"] if sure != want else []
        sounds = {name for name in fixed if self.model.there[name].sound is not None}
        before = sounds & _said_in(archive, "heard")
        return out + ([f"heard as before: {sorted(before)}"] if before else [])

    def _typed(self, kind: str, shown: dict[str, dict[Any, Any]]) -> list[str]:
        out = []
        for name, item in self.model.there.items():
            want, got = dict(self.model.cells(kind, item)), dict(shown.get(name, {}))
            if kind == "about":
                if "title" not in want and got.get("title") in item.titles:
                    del got["title"]  # from the tags of its file
                want = {key: value for key, value in (item.base | want).items() if value}
            if got != want:
                out.append(f"of {name}: {got}, not {want}")
        return out
