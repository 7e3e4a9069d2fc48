"""The table of targets that models can be written for. Looking at it imports nothing heavy."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from ..errors import unknown


class TargetRow(NamedTuple):
    """A target: the module and the function that write for it, what it is in one line, and the forms that it holds.

    A model states its ``form``. ``named``: features have names there. ``runs``: what was written can be run here, to be
    compared with the model. ``packages`` are those that it needs besides, of the extra "export".
    """

    module: str
    function: str
    explanation: str
    forms: tuple[str, ...] = ("linear",)
    named: bool = True
    runs: bool = False
    packages: tuple[str, ...] = ()

    def load(self) -> Callable[..., bytes]:
        """The function that writes a model."""
        return getattr(import_module(f".{self.module}", __package__), self.function)


TABLE = {
    "opensearch": TargetRow("search_engines", "to_opensearch", "the Learning-to-Rank plugin of OpenSearch"),
    "elasticsearch": TargetRow("search_engines", "to_opensearch", "the Learning-to-Rank plugin of Elasticsearch"),
    "solr": TargetRow("search_engines", "to_solr", "the learning-to-rank module of Solr"),
    "onnx": TargetRow(
        "onnx",
        "to_onnx",
        "any program that runs ONNX",
        ("linear", "trees", "layers"),
        named=False,
        runs=True,
        packages=("onnx",),
    ),
}


def row_of(target: str) -> TargetRow:
    """The row of a target.

    >>> row_of("sorl")
    Traceback (most recent call last):
    rankine.errors.InputError: unknown target 'sorl'. Did you mean 'solr'? There are: opensearch, ...
    """
    if target not in TABLE:
        raise unknown("target", target, TABLE)
    return TABLE[target]
