"""What must be in a spoken archive after any sequence of operations: a plain model, with dicts and lists.

A recording is known by its sound. It has a name while it is in the archive. What people typed in belongs to the
recording, whatever it is called, and wherever it is: in the archive, in the bin, or gone from the bin.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

IN, BIN, GONE = "in", "bin", "gone"


@dataclass(eq=False)
class Item:
    """A recording: a recording that has a sound, a transcript, or a recording of an archive that was there before."""

    name: str
    sound: int | None = None
    path: str | None = None  # where its file was when it was last added
    seen: int = 0  # grows with every change
    state: str = IN
    lattices: bool = False  # the archive holds what was heard
    text: str | None = None  # the word of a transcript
    base: dict[str, str] = field(default_factory=dict)  # cells that the index has
    titles: set[str] = field(default_factory=set)  # in tags of its files


class Row(NamedTuple):
    """What somebody typed in: its kind, the recording, what about it, and the value."""

    kind: str
    item: Item
    key: Any
    value: Any


@dataclass
class Change:
    """A change of the store: rows, or the change that it takes back."""

    number: int
    rows: list[Row]
    undoes: int | None = None


class Model:
    """The archive as it should be, and the files beside it."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.bin: list[Item] = []  # in the order of deletion
        self.files: dict[str, int] = {}  # sounds of audio files by path
        self.tags: dict[str, str] = {}  # titles in their tags
        self.talks: dict[str, str] = {}  # words of transcripts by name
        self.heard: Counter[int] = Counter()
        self.clock = 0
        self.changes: dict[int, Change] = {}
        self.weights: str | None = None
        self.history: list[str] = []
        self.roots: set[Path] = set()  # folders that recordings were added from

    # -- what is there

    @property
    def there(self) -> dict[str, Item]:
        """The recordings of the archive by name."""
        return {item.name: item for item in self.items if item.state == IN}

    @property
    def deleted(self) -> set[str]:
        """The names in the bin that no recording has."""
        return {item.name for item in self.bin} - set(self.there)

    def counts(self, number: int) -> bool:
        """Whether a change counts: no undo that counts takes it back."""
        return not any(c.undoes == number and self.counts(c.number) for c in self.changes.values())

    def cells(self, kind: str, item: Item) -> dict[Any, Any]:
        """What counts of all that was said about a recording."""
        out: dict[Any, Any] = {}
        for number in sorted(self.changes):
            rows = [row for row in self.changes[number].rows if row.kind == kind and row.item is item]
            if rows and self.counts(number):
                out |= {row.key: row.value for row in rows}
        return out

    def typed(self) -> int:
        """How many rows were typed in."""
        return sum(len(change.rows) for change in self.changes.values())

    # -- what happens

    def add(self, found: Iterable[tuple[str, str]], given: Collection[str] = ()) -> None:
        """Audio files are added: (path, name) in order; ``given`` are those that are given by themselves."""
        looked = list(found)
        groups: dict[int, list[str]] = {}
        for path, _ in looked:
            groups.setdefault(self.files[path], []).append(path)
        stay: dict[str, Item | None] = {}
        for sound, paths in groups.items():
            item = next((i for i in self.items if i.sound == sound), None)
            if item is None:
                stay[paths[0]] = None
                continue
            path = item.path if item.path in paths else paths[0]
            if item.state == IN and item.path not in paths and self.files.get(item.path or "") == sound:
                continue  # copies of a recording that is elsewhere
            if item.state == IN or path in given:
                stay[path] = item
        for path, name in self._names({p: (n, stay[p]) for p, n in looked if p in stay}).items():
            self._take(path, name, stay[path])

    def _names(self, stay: dict[str, tuple[str, Item | None]]) -> dict[str, str]:
        """The name that each recording gets; other content under a known path is an edited recording."""
        moving = [item for path, (_, item) in stay.items() if item and item.path != path]
        staying = [item for _, item in stay.values() if item]
        self.edited = {
            path: owner for path, (_, item) in stay.items()
            if item is None and (owner := self._owner(path)) and owner not in staying
        }  # fmt: skip
        fixed = [i for i in self.there.values() if i not in moving and i not in self.edited.values()]
        taken, out = {i.name for i in fixed}, {}
        for path, (name, item) in sorted(stay.items(), key=lambda pair: pair[1][1] is None):
            if path in self.edited:
                out[path] = self.edited[path].name
            elif item and item.path == path and (item.state == IN or item.name not in taken):
                out[path] = item.name
            else:
                options = [name, *([item.name] if item else []), f"{name}{Path(path).suffix}"]
                numbered = (f"{name} ({n})" for n in range(2, 1000))
                out[path] = next(o for o in (*options, *numbered) if o not in taken)
            taken.add(out[path])
        return out

    def _owner(self, path: str) -> Item | None:
        """The recording in the archive whose file was last seen at a path."""
        there = [item for item in self.there.values() if item.sound is not None and item.path == path]
        return max(there, key=lambda item: item.seen, default=None)

    def _take(self, path: str, name: str, item: Item | None) -> None:
        sound = self.files[path]
        if item is None:
            item = self.edited.get(path)
        if item is None:
            item = Item(name)
            self.items.append(item)
        if item.sound != sound or not item.lattices:
            self.heard[sound] += 1
        if item in self.bin:
            self.bin.remove(item)
        if (item.path, item.sound) != (path, sound):
            self.clock += 1
            item.seen = self.clock
        item.name, item.path, item.sound, item.state, item.lattices = name, path, sound, IN, True
        item.titles |= {self.tags[path]} if path in self.tags else set()

    def relocate(self, folder: Path) -> None:
        """Recordings are looked for below a folder: by the last parts of their paths, then by their sounds."""
        claims: dict[str, list[Item]] = {}
        for item in sorted(self.items, key=lambda item: item.state != IN):
            parts = Path(item.path).parts[1:] if item.path and item.sound is not None else ()
            paths = (str(Path(folder, *parts[i:])) for i in range(len(parts)))
            if path := next((p for p in paths if p in self.files), None):
                claims.setdefault(path, []).append(item)
        placed: dict[Item, str] = {}
        for path, items in claims.items():
            placed |= {item: path for item in items if self.files[path] == item.sound}
        given = {path for item, path in placed.items() if item.state == IN}
        for path in sorted(set(self.files) - given, key=lambda path: Path(path).parts):
            away = (i for i in self.there.values() if i not in placed and i.path and i.sound == self.files[path])
            if item := next(away, None):
                placed[item] = path
        self._move_roots(placed, folder)

    def add_root(self, folder: Path) -> None:
        """Recordings are added from a folder; it is a root unless it lies below one."""
        if not any(folder.is_relative_to(root) for root in self.roots):
            self.roots.add(folder)

    def _move_roots(self, placed: dict[Item, str], folder: Path) -> None:
        """Recordings were found; a root is where most of its recordings are, and others of it are looked for there."""
        mine: dict[Path, list[Item]] = {}
        for item in self.items:
            above = [root for root in self.roots if item.path and Path(item.path).is_relative_to(root)]
            if above:
                mine.setdefault(max(above, key=lambda root: len(str(root))), []).append(item)
        moved: dict[Path, Path] = {}
        for root, items in mine.items():
            there = [item for item in items if item.state == IN]
            found = Counter[Path]()
            for item in there:
                below = Path(item.path or "").relative_to(root)
                if item in placed and placed[item].endswith(f"/{below}"):
                    found[Path(placed[item].removesuffix(f"/{below}"))] += 1
            for place, n in found.most_common(1):
                if 2 * n > len(there):
                    moved[root] = place
                    for item in items:
                        item.path = str(place / Path(item.path or "").relative_to(root))
        self.roots = {moved.get(root, root) for root in self.roots}
        for item, path in placed.items():
            item.path = path
            self.add_root(folder) if not any(Path(path).is_relative_to(root) for root in self.roots) else None

    def index(self) -> None:
        """Transcripts are indexed: new ones come, changed ones change, deleted ones return."""
        for name, word in self.talks.items():
            item = next((i for i in self.items if i.text is not None and i.name == name), None)
            if item is None:
                item = Item(name, base={"speakers": "Ann; Bob"})
                self.items.append(item)
            if item in self.bin:
                self.bin.remove(item)
            item.text, item.state = word, IN

    def delete(self, names: Iterable[str]) -> None:
        """Recordings go into the bin."""
        for name in names:
            item = self.there[name]
            item.state = BIN
            self.bin.append(item)

    def undelete(self, name: str) -> None:
        """The recording of a name that was deleted last comes back."""
        item = next(i for i in reversed(self.bin) if i.name == name)
        self.bin.remove(item)
        item.state = IN

    def purge(self) -> None:
        """The bin is emptied; what was said stays until a recording returns."""
        for item in self.bin:
            item.state, item.lattices = GONE, False
        self.bin = []

    def note(self, numbers: Iterable[int], rows: list[Row], undoes: int | None = None) -> None:
        """Changes of the store were made."""
        for number in numbers:
            self.changes[number] = Change(number, rows, undoes)
