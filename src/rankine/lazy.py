"""Packages whose names are loaded when first used, so that importing them is quick.

The names stand once, in the stub beside the package (``__init__.pyi``), where type checkers and editors read them too.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def attach(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package, from the imports of its stub.

    >>> get, _, names = attach("rankine.io", import_module("rankine.io").__file__)
    >>> "load_letor" in names, get("load_letor").__module__
    (True, 'rankine.io.letor.reader')
    """
    with open(f"{file.removesuffix('.py')}.pyi", encoding="utf-8") as stub:
        lines = [line.split() for line in stub if line.startswith("from .")]  # from .home import name as name
    homes = {name: home[1:] for _, home, _, name, *_ in lines}

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if not homes[name]:  # a module of the package
            return import_module(f".{name}", package)
        value = getattr(import_module(f".{homes[name]}", package), name)
        setattr(sys.modules[package], name, value)
        return value

    def listing() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return get, listing, [name for name, home in homes.items() if home]
