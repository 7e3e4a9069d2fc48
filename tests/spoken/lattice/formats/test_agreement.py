"""What is read is what a slow, obvious reader reads: files that we write, and files that were changed by a little."""

import re

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.lattice import formats
from rankine.spoken.lattice.confusion import confusion_network
from rankine.spoken.lattice.lattice import random_lattice
from rankine.spoken.lattice.positions import pspl
from rankine.spoken.lattice.posteriors import arc_posteriors

from .... import reference_lattices as slow
from .cases import BYTES

NUMBERS = [
    "0",
    "1",
    "-1",
    "0.5",
    "1e308",
    "-1e308",
    "1e999",
    "nan",
    "-inf",
    "18446744073709551616",
    "1_0",
    "1" * 40,
    "-1e16",
]
FILES = BYTES


def check(path, format=None):
    """Every utterance is refused, naming the file, or agrees with the slow reader and goes through all that follows."""
    accepted = 0
    try:
        for piece in formats.pieces(formats.files(path, format)[0]):
            try:
                lattice = formats.load(piece, formats.Reading())
            except rk.InputError as error:
                assert str(path) in str(error)
                continue
            if lattice.n_paths <= 1000:
                assert slow.agrees(piece, lattice, formats.TABLE[piece.format].parse(piece, formats.Reading()))
            follow(lattice)
            accepted += 1
    except rk.InputError as error:
        assert str(path) in str(error)
    return accepted


def follow(lattice):
    """Posteriors are probabilities, whatever the scores."""
    try:
        by_arc = arc_posteriors(lattice)
    except rk.InputError:
        return
    for x in (by_arc.posterior, by_arc.transition):
        assert ((x >= 0) & (x <= 1 + 1e-6)).all()
    for units in (pspl(lattice, by_arc), confusion_network(lattice, "pivot", by_arc)):
        assert (np.bincount(units.position, units.posterior, units.n_positions) <= 1 + 1e-6).all()
        if not np.isnan(lattice.start).any():
            assert np.isfinite(units.start).all()


def written(kind, lattice):
    network = confusion_network(lattice)
    if kind == "kaldi":
        return formats.write_kaldi(lattice, {w: i + 1 for i, w in enumerate(lattice.units)})
    row = formats.TABLE[kind]
    content = {"network": network, "words": formats.transcript_of(network)}
    return row.write(content.get(row.writes, lattice))


@pytest.mark.parametrize("kind", formats.written())
def test_what_we_write_is_read_as_the_slow_reader_reads_it(tmp_path, kind):
    rng = np.random.default_rng(3)
    path = tmp_path / f"x{formats.TABLE[kind].endings[0]}"
    accepted = 0
    for _ in range(30):
        lattice = random_lattice(rng, int(rng.integers(2, 8)), int(rng.integers(2, 12)), 4)
        path.write_bytes(written(kind, lattice))
        accepted += check(path, kind)
    assert accepted >= 25


@pytest.mark.parametrize("name", FILES)
def test_changed_files_are_refused_or_read_as_the_slow_reader_reads_them(tmp_path, name):
    path, data = tmp_path / name, FILES[name]
    path.write_bytes(data)
    assert check(path) > 0
    accepted = 0
    rng = np.random.default_rng(4)
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] = rng.integers(256)
        path.write_bytes((data[:at], changed, data[:at] + data[at + 1 :])[at % 3])
        accepted += check(path) > 0
    assert accepted > len(data) / (20 if b"</" in data else 10)  # few changes of XML leave XML


@pytest.mark.parametrize("name", [n for n in FILES if n != "b.ark"])
def test_numbers_repeated_fields_and_moved_lines(tmp_path, name):
    path, text = tmp_path / name, FILES[name].decode()
    contents = []
    for i, match in enumerate(re.finditer(r"-?[0-9.]+", text)):
        numbers = NUMBERS[i % 3 :: 3]
        contents += [text[: match.start()] + number + text[match.end() :] for number in numbers]
    for match in re.finditer(r"\S+", text):
        contents += [f"{text[: match.end()]} {' '.join([match[0]] * n)}{text[match.end() :]}" for n in (1, 9)]
        contents.append(text[: match.start()] + text[match.end() :])
    lines = text.split("\n")
    for i in range(len(lines)):
        contents += ["\n".join(lines[:i] + lines[i + 1 :]), "\n".join([*lines[:i], lines[i], *lines[i:]])]
        contents.append("\n".join([*lines[:i], *lines[i + 1 :], lines[i]]))
    accepted = 0
    for content in contents:
        path.write_text(content)
        accepted += check(path) > 0
    assert accepted > len(contents) / 20  # few changes of JSON leave JSON
