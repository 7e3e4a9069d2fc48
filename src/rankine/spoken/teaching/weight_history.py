"""The weights of an archive: all that were ever used or proposed, in order, and which are used now.

A set of weights is a file of its own, called by its id. The list of them says which are in use, and when. A *candidate*
was learned and is not used; it becomes used when somebody keeps it. Nothing is ever removed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, NamedTuple, NotRequired, TypedDict

from msgspec import Meta

from ...errors import InputError, shorten
from ...system.files import sealed, unsealed, write_file
from ...system.paths import folder_inside, inside
from ...system.records import checked
from ..learn.weights import Weights

LONGEST = 100  # characters of a name
_FOLDER, _CURRENT = "weights", "current.json"
_Id = Annotated[str, Meta(pattern="^[0-9a-f]{4,64}$")]
_Name = Annotated[str, Meta(max_length=LONGEST)]


class _Note(TypedDict):
    """What is said about a set of weights besides what is in its file."""

    name: _Name
    time: str
    by: str
    verdict: dict[str, float | str]


class _Use(TypedDict):
    """Which weights were used from when on, and who said so."""

    id: _Id | None
    time: str
    by: str


class _List(TypedDict):
    current: _Id | None
    history: list[_Id]
    candidates: NotRequired[list[_Id]]
    notes: NotRequired[dict[_Id, _Note]]
    uses: NotRequired[list[_Use]]


class KeptWeights(NamedTuple):
    """A set of weights, its name, when and by whom it was stored, how it did in its test, and whether it is in use.

    What it was learned from is in ``weights.provenance``. ``candidate``: it was never used.
    """

    id: str
    weights: Weights
    name: str = ""
    time: str = ""
    by: str = ""
    verdict: Mapping[str, float | str] = {}
    in_use: bool = False
    candidate: bool = False


class WeightHistory:
    """The weights in an archive's folder. Whoever calls :meth:`use` or :meth:`propose` holds the archive's lock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder_inside(folder, _FOLDER)

    def _state(self) -> _List:
        path = inside(self.folder, _CURRENT)
        if not path.exists():
            return {"current": None, "history": []}
        return checked(unsealed(path, "the list of weights"), _List, "the list of weights", str(path))

    def _path(self, name: str) -> Path:
        return inside(self.folder, f"{name}.json")

    @property
    def history(self) -> list[str]:
        """The ids of all weights that were used, the oldest first."""
        return list(self._state()["history"])

    @property
    def candidates(self) -> list[str]:
        """The ids of weights that were learned and never used, the oldest first."""
        return [name for name in self._state().get("candidates", []) if name not in self.history]

    def current(self) -> Weights | None:
        """The weights that search uses, None for the shipped ones."""
        name = self._state()["current"]
        if name is not None and not self._path(name).exists():
            raise InputError(
                f"the weights {name} are in use but missing: go back with `weights --use`", str(self.folder)
            )
        return None if name is None else Weights.read(self._path(name))

    def use(self, weights: Weights | None, by: str = "", **said: Any) -> None:
        """Use these weights from now on, or the shipped ones (None); the change is complete or not made at all.

        ``said``: their ``name``, and the ``verdict`` on them.
        """
        state, name = self._state(), None
        if weights is not None:
            name = self._store(state, weights, by, said)
            state["history"] += [name] if name not in state["history"] and weights.ranker != "uniform" else []
        uses = state.setdefault("uses", [])
        if not uses:  # what was used before the first change
            uses.append({"id": state["current"], "time": "", "by": ""})
        if uses[-1]["id"] != name:
            uses.append({"id": name, "time": _now(), "by": by})
        self._write({**state, "current": name})

    def propose(self, weights: Weights, by: str = "", **said: Any) -> None:
        """Store weights that are not used; one can keep them later."""
        state = self._state()
        name = self._store(state, weights, by, said)
        candidates = state.setdefault("candidates", [])
        candidates += [name] if name not in candidates else []
        self._write(state)

    def _store(self, state: _List, weights: Weights, by: str, said: Mapping[str, Any]) -> str:
        """Write the file of a set of weights, and what is said about it; its id."""
        self.folder.mkdir(exist_ok=True)
        if not self._path(weights.id).exists():
            write_file(self._path(weights.id), weights.to_bytes(), durable=True)
        notes = state.setdefault("notes", {})
        note: _Note = notes.get(weights.id, {"name": "", "time": _now(), "by": by, "verdict": {}})
        new_name = said.get("name") or note["name"]
        check_weights_name(new_name)
        taken = next((n for n, other in notes.items() if new_name and other["name"] == new_name), weights.id)
        if taken != weights.id:
            raise InputError(f"the weights {taken} are called {new_name!r} already", str(self.folder))
        notes[weights.id] = {**note, "name": new_name, "verdict": said.get("verdict") or note["verdict"]}
        return weights.id

    def _write(self, state: _List) -> None:
        self.folder.mkdir(exist_ok=True)
        write_file(inside(self.folder, _CURRENT), sealed(json.dumps(state, indent=1, ensure_ascii=False)), durable=True)

    def before(self) -> Weights | None:
        """The weights that were in use before those that are now; None: the shipped ones."""
        state = self._state()
        uses = [use["id"] for use in state.get("uses", [])] or [None, *state["history"]]
        if state["current"] in uses:
            uses = uses[: len(uses) - uses[::-1].index(state["current"]) - 1]
        if not uses:
            raise InputError("no other weights were used before these", str(self.folder))
        return None if uses[-1] is None else Weights.read(self._path(uses[-1]))

    def get(self, name: str) -> Weights:
        """Earlier weights or a candidate, by their id or name."""
        state = self._state()
        names = [*state["history"], *state.get("candidates", [])]
        called = {note["name"]: key for key, note in state.get("notes", {}).items() if note["name"]}
        if called.get(name, name) not in names:
            raise InputError(f"no weights are called {name!r}; there are: {', '.join(names) or 'none'}")
        return Weights.read(self._path(called.get(name, name)))

    def all(self) -> list[KeptWeights]:
        """All sets of weights that are kept, the oldest first, candidates last."""
        state = self._state()
        nothing: _Note = {"name": "", "time": "", "by": "", "verdict": {}}
        out = []
        for key in [*state["history"], *self.candidates]:
            note = state.get("notes", {}).get(key, nothing)
            unused = key not in state["history"]
            out.append(KeptWeights(key, self.get(key), **note, in_use=key == state["current"], candidate=unused))
        return out

    def check(self) -> None:
        """Read all of them; raise InputError if a file is missing or damaged."""
        for name in [*self.history, *self.candidates]:
            self.get(name)


def check_weights_name(name: str) -> None:
    """Raise InputError unless a text can be the name of a set of weights."""
    if name in ("shipped", "uniform") or len(name) > LONGEST or not name.isprintable() or name != name.strip():
        raise InputError(
            f"expected a name of at most {LONGEST} characters in one line, other than shipped and uniform; "
            f"got {shorten(name)}"
        )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
