"""The weights of an archive: all that were ever used, in order, and which are used now."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, TypedDict

from msgspec import Meta

from ...errors import InputError
from ...files import sealed, unsealed, write_file
from ...places import folder_inside, inside
from ...records import checked
from ..learn.weights import Weights

_FOLDER, _CURRENT = "weights", "current.json"
_Id = Annotated[str, Meta(pattern="^[0-9a-f]{4,64}$")]


class _List(TypedDict):
    current: _Id | None
    history: list[_Id]


class Shelf:
    """The weights in an archive's folder. Whoever calls :meth:`use` holds the archive's lock."""

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

    def current(self) -> Weights | None:
        """The weights that search uses, None for the shipped ones."""
        name = self._state()["current"]
        if name is not None and not self._path(name).exists():
            raise InputError(
                f"the weights {name} are in use but missing: go back with `weights --use`", str(self.folder)
            )
        return None if name is None else Weights.read(self._path(name))

    def use(self, weights: Weights | None) -> None:
        """Use these weights from now on, or the shipped ones (None); the change is complete or not made at all."""
        self.folder.mkdir(exist_ok=True)
        history, name = self.history, None
        if weights is not None:
            name = weights.id
            write_file(self._path(name), weights.to_bytes(), durable=True)
            history += [name] if name not in history and weights.ranker != "uniform" else []
        content = json.dumps({"current": name, "history": history}, indent=1)
        write_file(inside(self.folder, _CURRENT), sealed(content), durable=True)

    def get(self, name: str) -> Weights:
        """Earlier weights, by their id."""
        if name not in self.history:
            raise InputError(f"no weights are called {name!r}; there are: {', '.join(self.history) or 'none'}")
        return Weights.read(self._path(name))

    def check(self) -> None:
        """Read all of them; raise InputError if a file is missing or damaged."""
        for name in self.history:
            self.get(name)
