"""``rankine spoken convert``."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .common import Journal, Source, Workers, finish, reads_lattices, write_all

if TYPE_CHECKING:
    from ...spoken import Lattice
    from ...spoken.lattice.batch import Scoring
    from ...spoken.lattice.formats import Piece

_WRITTEN = ("slf", "openfst", "kaldi", "kaldi-text", "mesh", "sausage", "ctm")
_ENDINGS = {"slf": ".slf", "openfst": ".fst"}


@reads_lattices
def convert(
    source: Source,
    target: Annotated[
        str, typer.Argument(help="A file, or a folder for formats of one utterance a file (slf, openfst).")
    ],
    to: Annotated[
        str | None, typer.Option(help=f"{', '.join(_WRITTEN)}; default: told by the target's ending.")
    ] = None,
    workers: Workers = None,
) -> None:
    """Write lattices in another format; all that it can hold is kept.

    `rankine spoken convert lat.1.gz slf/ --words words.txt --to slf`

    `rankine spoken convert lattices/ best.ctm`
    """
    from ...errors import InputError
    from ...spoken.lattice.formats import FORMATS

    place = Path(target)
    if to is None and not place.is_dir():
        bare = place.with_suffix("") if place.suffix in (".gz", ".xz", ".zst") else place
        to = next((f.name for f in FORMATS.values() if bare.suffix in f.endings), None)
    if to not in _WRITTEN:
        raise InputError(f"--to must be one of {', '.join(_WRITTEN)}; got {to!r}")
    one_file = bool(place.suffix) and not place.is_dir()
    if to in _ENDINGS and one_file and len(list(_first_two(source))) > 1:
        raise InputError(f"several utterances do not fit into one {to} file: name a folder", target)
    if to == "kaldi":
        _kaldi(source, target, workers)
    elif to in _ENDINGS and not one_file:
        _folder(source, place, to, workers)
    else:
        write_all(source, partial(_text, source.scoring, to), target, workers, settings=f"convert {to}")


def _first_two(source: Source) -> Any:
    from itertools import islice

    from ...spoken.lattice.formats import files, pieces

    return islice((p for file in files(source.place, source.format) for p in pieces(file)), 2)


def _text(scoring: Scoring, to: str, piece: Piece) -> bytes:
    from dataclasses import replace

    from ...spoken import confusion_network
    from ...spoken.lattice import formats as f

    networks = {"mesh": f.write_mesh, "sausage": f.write_sausage, "ctm": f.write_ctm}
    if to in networks:
        return networks[to](confusion_network(replace(scoring.open(piece), name=piece.name)))
    lattice = _scaled(scoring, to, piece)
    if to == "kaldi-text":
        return f.write_kaldi_text(lattice, scoring.reading.frame)
    return f.write_slf(lattice) if to == "slf" else f.write_openfst(lattice)


def _scaled(scoring: Scoring, to: str, piece: Piece) -> Lattice:
    """The lattice with its scores such that the new file, read as it is by default, gives the same posteriors."""
    from dataclasses import replace

    import numpy as np

    from ...spoken.lattice.formats import load

    lattice = replace(load(piece, scoring.reading), name=piece.name)
    target = 0.1 if to.startswith("kaldi") and scoring.reading.frame < 0.02 else 1.0
    if scoring.use == "scores":
        lattice = replace(lattice, posterior=np.full(len(lattice), np.nan))
    if scoring.beam is not None:
        found = scoring.weigh(lattice, piece.format)
        with np.errstate(divide="ignore"):
            lattice = lattice.beam(scoring.beam, np.log(found.transition))
    said = lattice.unit >= 0
    return replace(
        lattice,
        acoustic=lattice.acoustic * (scoring.scale(piece.format) / target),
        language=lattice.language * scoring.language_scale + scoring.penalty * said,
    )


def _folder(source: Source, place: Path, to: str, workers: int | None) -> None:
    """One file an utterance, each whole or absent."""
    from ...errors import InputError
    from ...files import replacing

    place.mkdir(parents=True, exist_ok=True)
    with Journal(str(place / ".convert.part"), source, to) as journal:
        for outcome in source.each(partial(_text, source.scoring, to), workers, journal.done):
            if outcome.error is None:
                target = place / f"{outcome.name}{_ENDINGS[to]}"
                if outcome.name in journal.names or not target.resolve().is_relative_to(place.resolve()):
                    raise InputError(f"{outcome.name!r} is the name of two utterances, or none for a file")
                target.parent.mkdir(parents=True, exist_ok=True)
                with replacing(target) as temporary:
                    temporary.write_bytes(outcome.result)
            journal.add(outcome, keep=False)
    finish(journal.bad, journal.good)


def _kaldi(source: Source, target: str, workers: int | None) -> None:
    """A binary archive and, beside it, ``….words.txt`` with the numbers of its words."""
    from ...errors import InputError
    from ...files import open_target, replacing
    from ...spoken.lattice.formats import write_kaldi

    numbers: dict[str, int] = {}
    bad, good = [], 0
    with open_target(target) as out:
        for outcome in source.each(partial(_scaled, source.scoring, "kaldi"), workers):
            try:
                if outcome.error is not None:
                    raise InputError(outcome.error)
                for unit in outcome.result.units:
                    numbers.setdefault(unit, len(numbers) + 1)
                out.write(write_kaldi(outcome.result, numbers, source.scoring.reading.frame))
            except InputError as error:
                bad.append(str(error))
                continue
            good += 1
        with replacing(f"{target}.words.txt") as temporary:
            plain = {w: n for w, n in numbers.items() if not any(c.isspace() for c in w)}
            lines = ["<eps> 0", *(f"{word} {number}" for word, number in plain.items())]
            temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
    finish(bad, good)
