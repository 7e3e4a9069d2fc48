"""The one error that bad input raises, and the wording helpers that its messages share."""

import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from types import ModuleType

DISTRIBUTION = "rankine-ltr"  # what pip calls the package; the import and the command are rankine
LONG_QUERY = 1000  # more documents than one query plausibly has
LONG_QUERY_REASON = "few queries have so many documents"

# C0 and C1 controls, marks and overrides of the direction of writing, line separators, lone surrogates
_CONTROLS = "\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_CONTROL = re.compile(f"[{_CONTROLS}]")
_CONTROL_IN_LINES = re.compile(f"(?![\n\t])[{_CONTROLS}]")


def shown(text: object, lines: bool = False) -> str:
    r"""Text without control characters, for a terminal; ``lines`` keeps line breaks and tabs.

    >>> print(shown("tape\x1b[2J\u202e\n"))
    tape\x1b[2J\u202e\x0a
    """
    return (_CONTROL_IN_LINES if lines else _CONTROL).sub(_escape, str(text))


def _escape(match: re.Match[str]) -> str:
    number = ord(match[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"


class InputError(ValueError):
    """Input that Rankine cannot accept. The message states what was expected, what was given, and where.

    It is one line; ``below`` are further lines that point at a place in a text. ``what`` is the message without where.

    >>> raise InputError("expected a number, got 'x'", where="train.txt, line 17")
    Traceback (most recent call last):
    rankine.errors.InputError: train.txt, line 17: expected a number, got 'x'
    """

    def __init__(self, message: str, where: str | None = None, below: str = "") -> None:
        self.what, self.message = message, f"{where}: {message}" if where else message
        self.below = below
        super().__init__(f"{self.message}\n{below}" if below else self.message)


class InputNote(UserWarning):
    """What a reader took for granted about its input; not an error. The command line prints it as one line.

    >>> import warnings
    >>> warnings.simplefilter("ignore", InputNote)  # nobody is told
    """


class OneQueryWarning(UserWarning):
    """Rows without query ids were taken as one query, and they look like several."""


def warn_of_rows(n_rows: int, reason: str, stacklevel: int) -> None:
    """Warn that rows without query ids were taken as one query, and say why this matters."""
    warnings.warn(
        f"all {n_rows} rows were taken as one query, since there are no query ids, and {reason}: "
        "pass qid=, one id per row",
        OneQueryWarning,
        stacklevel=stacklevel,
    )


@contextmanager
def naming(where: str) -> Iterator[None]:
    """Errors of input that arise inside name this place, unless they begin with it already.

    >>> with naming("set.parquet"):
    ...     raise InputError("expected at least one row, got none")
    Traceback (most recent call last):
    rankine.errors.InputError: set.parquet: expected at least one row, got none
    """
    try:
        yield
    except InputError as error:
        if str(error).startswith(where):
            raise
        raise InputError(str(error), where) from None


def nearest(name: str, names: Iterable[str]) -> str:
    """A hint with the closest of ``names``, empty if none is close.

    >>> nearest("ndgc", ["nDCG", "AP"])
    " Did you mean 'nDCG'?"
    """
    by_lower = {n.lower(): n for n in reversed(list(names))}
    match = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return f" Did you mean '{by_lower[match[0]]}'?" if match else ""


def unknown(what: str, name: object, names: Iterable[str]) -> InputError:
    """The error for a name that a table does not have; it lists the names that there are.

    >>> unknown("loss", "ranksvn", ["ranksvm", "listnet"])
    InputError("unknown loss 'ranksvn'. Did you mean 'ranksvm'? There are: ranksvm, listnet")
    """
    there = list(names)
    return InputError(f"unknown {what} {name!r}.{nearest(str(name), there)} There are: {', '.join(there)}")


def is_utf8(text: str) -> bool:
    """Whether text can be written as UTF-8.

    >>> is_utf8("é"), is_utf8(chr(0xD800))
    (True, False)
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def shorten(text: str, limit: int = 40) -> str:
    """``repr`` of a piece of input, cut to a readable length.

    >>> shorten("a" * 100, limit=5)
    "'aaaaa…'"
    """
    return repr(text if len(text) <= limit else text[:limit] + "…")


def install(extra: str) -> str:
    """The command that installs an extra, in a clone of the repository or beside an installed package.

    >>> install("web")
    'pip install -e ".[web]"'
    """
    return f'pip install -e ".[{extra}]"' if _is_clone(Path(__file__)) else f'pip install "{DISTRIBUTION}[{extra}]"'


def _is_clone(module: Path) -> bool:
    """Whether a module of the package stands in src/rankine beside a pyproject.toml."""
    source = module.resolve().parents[1]
    return source.name == "src" and (source.parent / "pyproject.toml").is_file()


def needs(package: str, extra: str) -> ModuleType:
    """Import an optional package; if it is not installed, raise an error that names the command to install it.

    >>> needs("no_such_package", "spoken")
    Traceback (most recent call last):
    rankine.errors.InputError: this needs the package no_such_package: pip install -e ".[spoken]"
    """
    try:
        return import_module(package)
    except ImportError as error:
        if error.name is not None and error.name.split(".")[0] != package.split(".")[0]:
            raise
        name = package.split(".")[0]
        raise InputError(f"this needs the package {name}: {install(extra)}") from None


@contextmanager
def writing_to(path: object) -> Iterator[None]:
    """Within it an error of the system that names no file names this one, as of writing to a file that is open.

    >>> with writing_to("x.txt"):
    ...     raise OSError(28, "No space left on device")
    Traceback (most recent call last):
    OSError: [Errno 28] No space left on device: 'x.txt'
    """
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None


def in_lines(error: Exception) -> str:
    """An error as :func:`in_one_line` gives it, and the lines that point at a place in a text."""
    if isinstance(error, InputError) and error.below:
        return f"{shown(error.message)}\n{shown(error.below, lines=True)}"
    return in_one_line(error)


def in_one_line(error: Exception) -> str:
    """An error as one line; of a file that cannot be used, its name and the reason.

    >>> in_one_line(FileNotFoundError(2, "No such file or directory", "x.txt"))
    'x.txt: No such file or directory'
    """
    if isinstance(error, OSError) and error.filename is not None:
        name = error.filename.decode("utf-8", "replace") if isinstance(error.filename, bytes) else error.filename
        return shown(f"{name}: {error.strerror}")
    if isinstance(error, MemoryError):
        return "there is not enough memory" + (f" ({shown(error)})" if str(error) else "")
    return shown(error)
