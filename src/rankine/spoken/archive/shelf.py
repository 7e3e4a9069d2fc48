"""The weights of an archive: all that were ever used, in order, and which are used now."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...files import sealed, unsealed, write_file
from ..learn.weights import Weights

_FOLDER, _CURRENT = "weights", "current.json"


class Shelf:
    """The weights in an archive's folder. Whoever calls :meth:`use` holds the archive's lock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / _FOLDER

    def _state(self) -> dict[str, Any]:
        path = self.folder / _CURRENT
        return unsealed(path, "the list of weights") if path.exists() else {"current": None, "history": []}

    @property
    def history(self) -> list[str]:
        """The ids of all weights that were used, the oldest first."""
        return list(self._state()["history"])

    def current(self) -> Weights | None:
        """The weights that search uses, None for equal ones."""
        name = self._state()["current"]
        if name is not None and not (self.folder / f"{name}.json").exists():
            raise InputError(
                f"the weights {name} are in use but missing: go back with `weights --use`", str(self.folder)
            )
        return None if name is None else Weights.read(self.folder / f"{name}.json")

    def use(self, weights: Weights | None) -> None:
        """Use these weights from now on, or equal ones (None); the change is complete or not made at all."""
        self.folder.mkdir(exist_ok=True)
        history, name = self.history, None
        if weights is not None:
            name = weights.id
            write_file(self.folder / f"{name}.json", weights.to_bytes(), durable=True)
            history += [name] if name not in history else []
        content = json.dumps({"current": name, "history": history}, indent=1)
        write_file(self.folder / _CURRENT, sealed(content), durable=True)

    def get(self, name: str) -> Weights:
        """Earlier weights, by their id."""
        if name not in self.history:
            raise InputError(f"no weights are called {name!r}; there are: {', '.join(self.history) or 'none'}")
        return Weights.read(self.folder / f"{name}.json")

    def check(self) -> None:
        """Read all of them; raise InputError if a file is missing or damaged."""
        for name in self.history:
            self.get(name)
