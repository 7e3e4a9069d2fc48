"""``rankine spoken``: lattices of recognisers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..console import print_table

if TYPE_CHECKING:
    from ..spoken import Lattice

NAME = "spoken"
app = typer.Typer(
    help="Lattices of speech recognisers: HTK SLF files (also .gz) or folders of them, Kaldi archives.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

Source = Annotated[str, typer.Argument(help="An .slf file, a folder of them, or a Kaldi archive of lattices.")]
Words = Annotated[str | None, typer.Option(help="words.txt of a Kaldi archive.")]
Scale = Annotated[float, typer.Option("--acoustic-scale", help="Multiplies acoustic scores.")]
Prune = Annotated[float, typer.Option(help="Leave out posteriors up to this.")]
Units = Annotated[str, typer.Option(help="words, characters, pinyin, pinyin-toneless, or a pronunciation dictionary.")]
Output = Annotated[str | None, typer.Option("-o", "--output", help="A file instead of standard output.")]


@app.callback()
def _group() -> None:
    pass


@app.command()
def inspect(source: Source, words: Words = None, scale: Scale = 1.0) -> None:
    """Sizes and best path of every lattice.

    `rankine spoken inspect lattices/`
    """
    import numpy as np

    from ..spoken import arc_posteriors

    rows: list[tuple[Any, ...]] = []

    def look(name: str, lattice: Lattice) -> None:
        found = arc_posteriors(lattice, acoustic_scale=scale)
        with np.errstate(divide="ignore"):
            best = lattice.words(lattice.best_path(np.log(found.transition)))
        rows.append((name, lattice.n_nodes, len(lattice), len(lattice.units), f"{lattice.n_paths:.3g}", " ".join(best)))

    bad = _each(source, words, look)
    print_table(source, ["utterance", "nodes", "arcs", "units", "paths", "best path"], rows)
    _finish(bad, len(rows))


@app.command()
def pspl(
    source: Source, words: Words = None, scale: Scale = 1.0, prune: Prune = 1e-4, units: Units = "words",
    output: Output = None,
) -> None:  # fmt: skip
    """Position-specific posteriors as (utterance, position, unit, posterior, start, end).

    `rankine spoken pspl lattices/ --units characters -o pspl.tsv`
    """
    from ..spoken import arc_posteriors
    from ..spoken import pspl as compute

    _write(source, words, units, output, lambda x: compute(x, arc_posteriors(x, acoustic_scale=scale), prune))


@app.command()
def cn(
    source: Source, words: Words = None, scale: Scale = 1.0, prune: Prune = 1e-4, units: Units = "words",
    output: Output = None,
    method: Annotated[str, typer.Option(help="pivot, or mangu (clustering, after pruning arcs at 1e-4).")] = "pivot",
) -> None:  # fmt: skip
    """Confusion networks as (utterance, slot, unit, posterior, start, end).

    `rankine spoken cn lat.1.gz --words words.txt -o cn.tsv`
    """
    from ..spoken import arc_posteriors, confusion_network

    def compute(lattice: Lattice) -> Any:
        found = arc_posteriors(lattice, acoustic_scale=scale)
        if method != "mangu":
            return confusion_network(lattice, method, found, prune)
        small = lattice.keep(found.posterior > 1e-4)
        return confusion_network(small, method, arc_posteriors(small, acoustic_scale=scale), prune)

    _write(source, words, units, output, compute)


def _write(source: str, words: str | None, units: str, output: str | None, compute: Callable[[Any], Any]) -> None:
    from ..io.files import replacing
    from ..spoken.units import to_units

    split = _split(units)
    lines = ["utterance\tposition\tunit\tposterior\tstart\tend"]
    done = 0

    def one(name: str, lattice: Lattice) -> None:
        nonlocal done
        found = compute(lattice if split is None else to_units(lattice, split))
        for (position, unit, p), begin, end in zip(found.triples(), found.start, found.end, strict=True):
            lines.append(f"{name}\t{position}\t{unit}\t{p:.6f}\t{begin:.3f}\t{end:.3f}")
        done += 1

    bad = _each(source, words, one)
    text = "\n".join(lines) + "\n"
    if output is None:
        sys.stdout.write(text)
    else:
        with replacing(output) as temporary:
            temporary.write_text(text, encoding="utf-8")
    _finish(bad, done)


def _split(units: str) -> Any:
    from ..errors import InputError
    from ..spoken.units import characters, lexicon, pinyin

    if units == "words":
        return None
    if units == "characters":
        return characters
    if units in ("pinyin", "pinyin-toneless"):
        return pinyin(tones=units == "pinyin")
    if not Path(units).is_file():
        raise InputError(f"units must be words, characters, pinyin, pinyin-toneless or a dictionary; got {units!r}")
    return lexicon(units)


def _each(source: str, words: str | None, work: Callable[[str, Lattice], None]) -> list[str]:
    """Do the work for every lattice; a bad one is reported and passed over."""
    from ..errors import InputError
    from ..progress import bar

    bad: list[str] = []
    files = _files(source)
    with bar("lattices", total=len(files) if files else None) as update:
        for number, (name, load) in enumerate(_loaders(source, words, files), 1):
            try:
                work(name, load())
            except InputError as error:
                bad.append(f"{name}: {error}")
            update(number)
    return bad


def _files(source: str) -> list[Path]:
    place = Path(source)
    if place.is_dir():
        from ..errors import InputError

        found = sorted(p for p in place.iterdir() if ".slf" in p.suffixes)
        if not found:
            raise InputError("no .slf files in this folder", source)
        return found
    if not place.exists():
        raise FileNotFoundError(2, "there is no such file or folder", source)
    return [place] if ".slf" in place.suffixes else []


def _loaders(source: str, words: str | None, files: list[Path]) -> Iterator[tuple[str, Callable[[], Lattice]]]:
    from ..spoken import read_archive, read_lattice

    if files:
        for file in files:
            yield file.name.split(".")[0], lambda file=file: read_lattice(file)  # type: ignore[misc]
        return
    for name, lattice in read_archive(source, words=words):
        yield name, lambda lattice=lattice: lattice  # type: ignore[misc]


def _finish(bad: list[str], good: int) -> None:
    for line in bad:
        typer.echo(f"rankine: passed over {line}", err=True)
    if bad:
        typer.echo(f"rankine: {len(bad)} of {len(bad) + good} lattices could not be used", err=True)
        raise typer.Exit(1)
