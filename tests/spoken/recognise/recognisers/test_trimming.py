"""Lattices of segments that overlap: each word counts once, and posteriors stay."""

import gzip
import json
import sys
from dataclasses import dataclass
from itertools import pairwise
from math import inf

import numpy as np
import pytest
import soundfile

from rankine.spoken import read_lattice
from rankine.spoken.lattice.formats import write_slf
from rankine.spoken.lattice.lattice import random_lattice
from rankine.spoken.lattice.posteriors import arc_posteriors
from rankine.spoken.recognise import Command, SegmentError, recognise
from rankine.spoken.recognise.audio.cutting import ALL, windows
from rankine.spoken.recognise.recognisers.pocketsphinx import PocketSphinx
from rankine.spoken.recognise.recognisers.trimming import trimmed, trimmed_ending, without_outer_words

from ...lattice.formats.cases import TRANSCRIPTS
from ..cases import heard


def mass(lattice):
    """(word, start, end) with the posterior of all its arcs together."""
    posterior, out = arc_posteriors(lattice).posterior, {}
    for u, p, s, e in zip(lattice.unit, posterior, lattice.start, lattice.end, strict=True):
        if u >= 0:
            key = (lattice.units[u], round(s, 6), round(e, 6))
            out[key] = out.get(key, 0.0) + p
    return out


@pytest.mark.parametrize("seed", range(50))
def test_inner_words_keep_their_posteriors(seed, tmp_path):
    rng = np.random.default_rng(seed)
    lattice = random_lattice(rng, n_nodes=7, n_arcs=14)
    inner = tuple(np.sort(rng.random(2) * 7))
    expected = {key: p for key, p in mass(lattice).items() if inner[0] <= (key[1] + key[2]) / 2 < inner[1]}
    assert mass(without_outer_words(lattice, inner)) == pytest.approx(expected)
    content = trimmed(gzip.compress(write_slf(lattice)), ".slf.gz", inner)
    assert (content is None) == (not expected)
    if content is not None:
        (tmp_path / "x.slf.gz").write_bytes(content)
        assert mass(read_lattice(tmp_path / "x.slf.gz")) == pytest.approx(expected)


def test_what_stays_as_it_is():
    assert trimmed(b"anything", ".slf.gz", ALL) == b"anything"
    assert trimmed(None, ".slf.gz", (0.0, 1.0)) is None
    content = trimmed(b"-1.0 some words\n", ".nbest", (0.0, 1.0))  # words without times
    assert {b"W=some", b"W=words"} <= set(gzip.decompress(content).split())
    with pytest.raises(SegmentError, match=r"the recogniser wrote cannot be read: utterance.own: in none of"):
        trimmed(b"\0", ".own", (0.0, 1.0))


def units_of(content, tmp_path):
    if content is None:
        return set()
    (tmp_path / "x.slf.gz").write_bytes(content)
    return {unit.lower().strip(",.!") for unit in read_lattice(tmp_path / "x.slf.gz").units}


TIMED = {
    **{
        name: text for name, text in TRANSCRIPTS.items() if name not in ("x.stm", "ohms.xml")
    },  # whose times are minutes
    "x.ctm": "u 1 0.5 0.5 hello 0.9\nu 1 1.0 0.5 world 0.6\nu 1 2 0.5 yes\n",
    "x.stm": "u 1 Ann 0.5 1.5 <o,f0> hello world\nu 1 Bob 2 2.5 yes\n",
    "x.nbest": (
        "NBestList2.0\n(-150) hello ( st: 0.50 et: 0.99 g: -10 a: -100 ) world ( st: 1.00 et: 1.49 g: -9 a: -90 ) "
        "yes ( st: 2.00 et: 2.49 g: -9 a: -90 )\n"
    ),
    "x.mesh": (
        "name u\nnumaligns 3\nalign 0 hello 0.7 *DELETE* 0.3\ninfo 0 hello 0.5 0.5 0 0 0\nalign 1 world 1\n"
        "info 1 world 1 0.5 0 0 0\nalign 2 yes 1\ninfo 2 yes 2 0.5 0 0 0\n"
    ),
}


@pytest.mark.parametrize("name", TIMED)
def test_every_format_with_times_is_trimmed(name, tmp_path):
    """As a recogniser of Python writes it, and as a command does, whose output is SLF before it is trimmed."""
    content, ending = TIMED[name].encode(), f".{name.partition('.')[2]}"
    (tmp_path / name).write_bytes(content)
    program = tmp_path / "program.py"
    program.write_text(f"import shutil, sys\nshutil.copy({str(tmp_path / name)!r}, sys.argv[2])\n")
    by_command = Command(f"'{sys.executable}' '{program}' {{audio}} {{output}}{ending}")(np.ones(100, np.int16))
    assert {"hello", "world", "yes"} <= units_of(by_command, tmp_path)
    for inner, left in (((1.1, 9.0), {"world", "yes"}), ((0.0, 1.1), {"hello"}), ((3.0, 9.0), set())):
        assert trimmed_ending(ending, inner) == ".slf.gz"
        for out in (trimmed(content, ending, inner), trimmed(by_command, ".slf.gz", inner)):
            assert units_of(out, tmp_path) & {"hello", "world", "yes"} == left


@dataclass(frozen=True)
class Steps:
    """Hears a word in each half second, whose loudness tells it; what is cut is no word."""

    rate: int = 1000
    ending: str = ".json"

    def __call__(self, samples):
        loud = np.abs(samples.astype(int))
        edges = np.flatnonzero(np.diff(loud, prepend=-1, append=-1))
        words = [
            {"word": f"word{chr(97 + loud[a] // 100 - 30)}", "start": a / 1000, "end": b / 1000, "probability": 0.9}
            for a, b in pairwise(edges.tolist()) if b - a == 500 and loud[a]
        ]  # fmt: skip
        return json.dumps({"segments": [{"words": words}]}).encode()


def test_words_at_forced_cuts_are_found_once(tmp_path):
    """Speech without a pause, heard by a recogniser that writes JSON: each word counts in one segment."""
    loud = np.repeat([*[0] * 6, *(3000 + 100 * k for k in range(24)), *[0] * 6], 500) * np.tile([1, -1], 36 * 250)
    soundfile.write(tmp_path / "a.wav", loud.astype(np.int16), 1000)
    done = recognise([tmp_path / "a.wav"], tmp_path / "out", Steps(), longest=5.0)
    assert done.errors == []
    lattices = sorted((tmp_path / "out").glob("a@*"))
    assert len(lattices) > 2
    assert {path.name.partition(".")[2] for path in lattices} == {"slf.gz"}
    units = [unit for path in lattices for unit in read_lattice(path).units]
    assert sorted(units) == [f"word{chr(97 + k)}" for k in range(24)]
    other = recognise([tmp_path / "a.wav"], tmp_path / "out", Steps(), longest=6.0)  # nothing of before is taken
    assert (other.done, other.errors) == (1, [])
    assert sorted(u for p in (tmp_path / "out").glob("a@*") for u in read_lattice(p).units) == sorted(units)


def test_a_lattice_of_pocketsphinx(tmp_path):
    content = PocketSphinx()(heard("tape-70"))
    (tmp_path / "a.slf.gz").write_bytes(content)
    (tmp_path / "b.slf.gz").write_bytes(trimmed(content, ".slf.gz", (1.0, inf)))
    expected = {key: p for key, p in mass(read_lattice(tmp_path / "a.slf.gz")).items() if (key[1] + key[2]) / 2 >= 1.0}
    assert len(expected) > 5
    assert mass(read_lattice(tmp_path / "b.slf.gz")) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_words_of_overlapping_windows_count_once(seed):
    """Words wherever they are: a recogniser that hears every word that is whole in a window, with its times."""
    rng = np.random.default_rng(seed)
    ends = np.cumsum(rng.uniform(0.05, 0.9, size=200))
    words = list(zip(np.append(0, ends[:-1]), ends, strict=True))
    samples = np.rint(rng.normal(0, 1000, int(ends[-1] * 1000) + 1)).astype(np.int16)
    counted = []
    for window in windows(samples, 1000, 10.0):
        start, stop = window.start, window.start + len(window.samples) / 1000
        for a, b in words:
            if start <= a and b <= stop and window.inner[0] <= (a + b) / 2 - start < window.inner[1]:
                counted.append((a, b))
    assert counted == words
