"""The steps of a history: what people do to a spoken archive and to its files.

A step is a function that chooses at random, by what the model says is there. It changes files at once. What it does to
the archive, and what that means for the model, is its plan.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .history_model import IN, Item, Row
from .history_world import KINDS, WHO, Ears, World, word


class Plan(NamedTuple):
    """What a step does to the archive, what that means for the model, and how it is done again after a kill.

    ``refusals``: parts of errors that say that it has been done already.
    """

    act: Callable[[], object]
    effect: Callable[[], object]
    again: Callable[[], object] | None = None
    refusals: tuple[str, ...] = ()
    killable: bool = True


def _nothing() -> None:
    """The archive is not concerned."""


FILES_ONLY = Plan(_nothing, _nothing, killable=False)


# -- files


def _file(world: World, rng: random.Random) -> Path:
    return Path(rng.choice(sorted(world.model.files)))


def new(world: World, rng: random.Random) -> Plan | None:
    """One or two new recordings."""
    for _ in range(rng.randint(1, 2)):
        if len(world.model.files) < 10:
            world.record(world.free_path(rng))
    return FILES_ONLY


def rename(world: World, rng: random.Random) -> Plan | None:
    """A file gets another name, perhaps in another folder."""
    world.move(_file(world, rng), world.free_path(rng))
    return FILES_ONLY


def tag(world: World, rng: random.Random) -> Plan | None:
    """A file gets a title: other bytes, the same sound."""
    path = _file(world, rng)
    if str(path) in world.model.tags:
        return None
    world.tag(path)
    return FILES_ONLY


def edit(world: World, rng: random.Random) -> Plan | None:
    """Another sound under the same path."""
    world.record(_file(world, rng))
    return FILES_ONLY


def copy(world: World, rng: random.Random) -> Plan | None:
    """A second file of one sound."""
    if len(world.model.files) >= 10:
        return None
    old, target = _file(world, rng), world.free_path(rng)
    shutil.copyfile(old, target)
    world.model.files[str(target)] = world.model.files[str(old)]
    if str(old) in world.model.tags:
        world.model.tags[str(target)] = world.model.tags[str(old)]
    world.stamp(target)
    return FILES_ONLY


def swap(world: World, rng: random.Random) -> Plan | None:
    """Two files swap their names."""
    if len(world.model.files) < 2:
        return None
    one, other = (Path(path) for path in rng.sample(sorted(world.model.files), 2))
    between = world.audio / "between.wav"
    for old, target in ((one, between), (other, one), (between, other)):
        world.move(old, target)
    return FILES_ONLY


def lose(world: World, rng: random.Random) -> Plan | None:
    """A file is removed from the disk; its recording stays in the archive."""
    if len(world.model.files) < 2:
        return None
    path = _file(world, rng)
    path.unlink()
    del world.model.files[str(path)]
    world.model.tags.pop(str(path), None)
    world.pending = True
    return FILES_ONLY


def _move_folder(world: World) -> None:
    """The folder of recordings gets another place; recordings in the model stay where they were last seen."""
    model = world.model
    world.places += 1
    old, new_place = world.audio, world.folder / f"audio{world.places}"
    old.rename(new_place)
    world.audio, world.pending = new_place, True
    for table in (model.files, model.tags):
        moved = {str(new_place / Path(path).relative_to(old)): value for path, value in table.items()}
        table.clear()
        table.update(moved)  # type: ignore[arg-type]


def move(world: World, rng: random.Random) -> Plan | None:
    """The folder of recordings is moved."""
    _move_folder(world)
    return FILES_ONLY


def relocate(world: World, rng: random.Random) -> Plan | None:
    """The folder of recordings is moved, and the archive looks for them there."""
    _move_folder(world)

    return Plan(lambda: world.open().recordings.relocate(world.audio), lambda: world.model.relocate(world.audio))


# -- recordings


def _add(world: World, *sources: Path) -> None:
    added = world.open().recordings.add(list(sources), [Ears()])
    if added.errors:
        raise AssertionError(f"errors: {added.errors}")


def add(world: World, rng: random.Random) -> Plan | None:
    """The folder of recordings is added."""

    def effect() -> None:
        world.model.add_root(world.audio)
        world.model.add(world.listed())
        world.pending = False

    return Plan(lambda: _add(world, world.audio), effect)


def add_deleted(world: World, rng: random.Random) -> Plan | None:
    """A recording that was deleted is added by itself."""
    model = world.model
    away = {i.sound for i in model.items if i.sound is not None and i.state != IN}
    paths = [path for path in sorted(model.files) if model.files[path] in away]
    if not paths:
        return None
    path = rng.choice(paths)

    def effect() -> None:
        model.add_root(Path(path).parent)
        model.add([(path, Path(path).stem)], {path})

    return Plan(lambda: _add(world, Path(path)), effect)


def index(world: World, rng: random.Random) -> Plan | None:
    """Transcripts without audio are indexed: a new one, or one that has changed, or none."""
    model = world.model
    if rng.random() < 0.7:
        name = f"talk{rng.randrange(4)}"
        world.sounds += 1
        model.talks[name] = word(world.sounds, "ta")
        text = f"WEBVTT\n\n00:00.000 --> 00:01.000\n<v Ann>{model.talks[name]}\n\n00:01.000 --> 00:02.000\n<v Bob>yes\n"
        (world.talks / f"{name}.vtt").write_text(text)
    if not model.talks:
        return None
    return Plan(lambda: world.open().lattices.index(world.talks), model.index)


def delete(world: World, rng: random.Random) -> Plan | None:
    """One or two recordings are deleted."""
    model = world.model
    there = sorted(model.there)
    if len(there) < 2:
        return None
    names = rng.sample(there, rng.randint(1, min(2, len(there) - 1)))
    return Plan(
        lambda: world.open().recordings.delete(names), lambda: model.delete(names), lambda: _delete_again(world, names),
        killable=not world.pending,
    )  # fmt: skip


def _delete_again(world: World, names: Sequence[str]) -> None:
    """A deletion that was killed may not be made: recordings return when they are added, and are deleted then."""
    for _ in range(2):
        left = set(names) & set(world.open().recordings.names)
        if left:
            world.open().recordings.delete(sorted(left))
        if not world.pending:
            _add(world, world.audio)


def undelete(world: World, rng: random.Random) -> Plan | None:
    """A recording comes back from the bin."""
    names = sorted(world.model.deleted)
    if not names:
        return None
    name = rng.choice(names)
    refusals = ("nothing is to be undeleted",)
    return Plan(
        lambda: world.open().recordings.undelete([name]),
        lambda: world.model.undelete(name),
        refusals=refusals,
    )


def purge(world: World, rng: random.Random) -> Plan | None:
    """The bin is emptied."""
    return Plan(lambda: world.open().recordings.purge(0), world.model.purge)


# -- what people type in


def _shown(world: World, kind: str, item: Item, key: Any) -> Any:
    return (item.base | world.model.cells(kind, item)).get(key, "")


def _typed(world: World, kind: str, table: dict[str, dict[Any, Any]], act: Callable[[], object]) -> Plan:
    """A plan that types in cells of recordings."""
    there = world.model.there
    rows = [
        Row(kind, there[name], key, value) for name, cells in table.items() for key, value in cells.items()
        if KINDS[kind].repeats or _shown(world, kind, there[name], key) != value
        or (key == "title" and there[name].titles)  # tags may have filled it
    ]  # fmt: skip
    return Plan(act, lambda: world.model.note(world.new_changes(), rows))


def type_in(world: World, rng: random.Random) -> Plan | None:
    """Somebody types in something of any kind about one or two recordings."""
    kind = rng.choice(sorted(KINDS))
    there = sorted(name for name, item in world.model.there.items() if KINDS[kind].fits(item))
    if not there:
        return None
    names = rng.sample(there, rng.randint(1, min(2, len(there))))
    key, value = KINDS[kind].make(rng)
    table = {name: {key: value} for name in names}
    return _typed(world, kind, table, lambda: KINDS[kind].write(world.open(), names, key, value))


def import_table(world: World, rng: random.Random) -> Plan | None:
    """Metadata of several recordings from a table."""
    there = sorted(world.model.there)
    if not there:
        return None
    names = rng.sample(there, rng.randint(1, min(4, len(there))))
    table: dict[str, dict[Any, Any]] = {
        name: {"shelf": f"s{rng.randrange(3)}", "notes": "from a table"} for name in names
    }
    path = world.folder / "table.tsv"
    lines = [f"{name}\t{cells['shelf']}\t{cells['notes']}\n" for name, cells in table.items()]
    path.write_text("recording\tshelf\tnotes\n" + "".join(lines))
    return _typed(world, "about", table, lambda: world.open().metadata.import_table(path, by=WHO))


def undo(world: World, rng: random.Random) -> Plan | None:
    """A change that somebody typed in is taken back, or an undo is."""
    model = world.model
    numbers = [n for n in model.changes if n > 0 and model.counts(n)]
    if not numbers:
        return None
    number = first = rng.choice(numbers[-4:])
    while model.changes[first].undoes:
        first = model.changes[first].undoes or 0
    kind = KINDS[model.changes[first].rows[0].kind]
    return Plan(
        lambda: kind.undo(world.open(), number), lambda: model.note(world.new_changes(), [], number),
        refusals=("is undone already",),
    )  # fmt: skip


def weights(world: World, rng: random.Random) -> Plan | None:
    """Other weights are used, or the shipped ones."""
    from rankine.spoken.learn.weights import Weights

    names, model = world.open().ranker_names, world.model
    own = Weights.of({names[0]: float(rng.randint(1, 3))}, names) if rng.random() < 0.7 else None

    def effect() -> None:
        model.weights = None if own is None else own.id
        if own is not None and own.id not in model.history:
            model.history.append(own.id)

    return Plan(lambda: world.open().weights.use(own), effect)


# -- the archive as a whole


def merge(world: World, rng: random.Random) -> Plan | None:
    """Parts of the index are merged."""
    return Plan(lambda: world.open().merge(), _nothing)


def pack(world: World, rng: random.Random) -> Plan | None:
    """The archive is packed and unpacked in another place, where everything goes on; the bin is not packed."""
    from rankine.spoken import Archive
    from rankine.spoken.recordings.roots import RecordingRoots

    world.places += 1
    old, target, packed = world.archive, world.folder / f"archive{world.places}", world.folder / "packed.zip"
    with_index = rng.random() < 0.5 or not all(item.lattices for item in world.model.there.values())

    def act() -> None:
        Archive(old).pack(packed, index=with_index, closed=True, replace=True)
        Archive.unpack(packed, target)

    def effect() -> None:
        before = RecordingRoots(old, Archive(old).index.manifest)
        RecordingRoots(target, Archive(target).index.manifest).add(before.given, before.named.folders)
        world.archive = target
        shutil.rmtree(old)
        world.model.purge()

    return Plan(act, effect, refusals=("into a new or an empty folder",))


# each step and how often it is taken; a further kind of rows is a row of KINDS
STEPS: dict[str, tuple[Callable[[World, random.Random], Plan | None], int]] = {
    "new": (new, 3), "rename": (rename, 3), "tag": (tag, 2), "edit": (edit, 2), "copy": (copy, 2), "swap": (swap, 2),
    "lose": (lose, 1), "move": (move, 1), "relocate": (relocate, 2), "add": (add, 8), "add deleted": (add_deleted, 6),
    "index": (index, 4), "delete": (delete, 6), "undelete": (undelete, 6), "purge": (purge, 1),
    "type in": (type_in, 16), "import": (import_table, 1), "undo": (undo, 6), "weights": (weights, 1),
    "merge": (merge, 1), "pack": (pack, 2),
}  # fmt: skip
