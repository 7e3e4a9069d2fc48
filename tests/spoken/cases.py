"""Small archives that tests of the index, of search and of learning share."""

import json
from dataclasses import replace

import numpy as np

from rankine.spoken.archive import Archive
from rankine.spoken.index import schema
from rankine.spoken.index.about import About
from rankine.spoken.index.settings import Settings
from rankine.spoken.lattice.formats import one_best, write_slf
from rankine.spoken.lattice.lattice import random_lattice
from rankine.spoken.lattice.scoring import Scoring
from rankine.system.files import sealed

SMALL = Settings(kinds={"word": "words", "character": "characters"}, prune=1e-3)


def lattice(seed, n_units=6):
    rng = np.random.default_rng(seed)
    return random_lattice(rng, int(rng.integers(3, 8)), int(rng.integers(4, 16)), n_units)


def filled(place, names, **options):
    archive = Archive.create(place, replace(SMALL, **options))
    archive.lattices.add([(name, lattice(i)) for i, name in enumerate(names)])
    return archive


def answers(archive, queries=("w0 w1", "w2", '"w1 w3"', "w4 w0 w5")):
    """All that a search gives, but for the last digits of sums."""
    return [
        (text, hit.recording, round(hit.score, 10), round(hit.start, 5), hit.snippet, hit.matches)
        for text in queries
        for hit in archive.search(text, k=50)
    ]


def cells(archive, kind, form):
    """Recording → its segments' (position, unit) → posterior, read one by one from the arrays."""
    out = {}
    postings = schema.Postings(kind, form)
    for reader in archive.index.parts:
        units, first = schema.units(kind).read(reader.part).all(), schema.UTTERANCES.read(reader.part)
        ptr = postings.bounds(reader.part).tolist()
        utterance, position, p = (array.tolist() for array in postings.read(reader.part))
        segments = [{} for _ in range(first[-1])]
        for u, unit in enumerate(units):
            for i in range(ptr[u], ptr[u + 1]):
                segments[utterance[i]][position[i], unit] = reader.posteriors[p[i]]
        for d, recording in enumerate(reader.names):
            out[recording] = segments[first[d] : first[d + 1]]
    return out


def state(place):
    """The fingerprint of each recording of an archive in which every checksum is right."""
    archive = Archive(place)
    archive.check()
    return dict(archive.index.fingerprints)


def sausages(place, *lines):
    """A file of confusion networks, one on each line."""
    place.write_text("".join(f"{line}\n" for line in lines))
    return place


def talk(n, words=None, pause=0.7):
    """A CTM of n words, 0.4 s each with a confidence of 0.9, and a pause after every twelve; some words are given."""
    lines = []
    for i in range(n):
        word = (words or {}).get(i, f"w{i * i % 97}")
        lines.append(f"rec 1 {0.4 * i + pause * (i // 12):.2f} 0.4 {word} 0.9\n")
    return "".join(lines)


def recordings(place, seed):
    """A small archive at random: recordings of several segments, some out of order, some of several audio files."""
    rng = np.random.default_rng(seed)
    folder = place / f"lattices{seed}"
    folder.mkdir()
    about = {}
    for d in range(int(rng.integers(1, 4))):
        shuffled, files = rng.random() < 0.2, rng.random() < 0.2
        for u in range(int(rng.integers(1, 5))):
            name, n = f"d{d}u{u}", int(rng.integers(2, 6))
            (folder / f"{name}.slf").write_bytes(write_slf(random_lattice(rng, n, int(rng.integers(1, 9)), 4)))
            offset = 0.0 if shuffled else 10.0 * u
            about[name] = About(f"d{d}", {}, f"{u // 2}.wav" if files else "x.wav", offset)
    archive = Archive.create(place / f"archive{seed}", SMALL)
    archive.lattices.index(folder, about, Scoring(), batch=2)
    return archive


def spoken(place, text, pause=1.0):
    """An archive of one recording; ``|`` stands for a pause, where it is cut into segments."""
    words, now = [], 0.0
    for word in text.split():
        if word == "|":
            now += pause
            continue
        words.append((word, now, now + 0.5, 0.9))
        now += 0.5
    archive = Archive.create(place, SMALL)
    archive.lattices.add([("talk", one_best(words))])
    return archive


def without_store(folder):
    """Remove the store of an archive, and what the manifest says of it, as releases until 0.1 have made archives."""
    (folder / "store.sqlite").unlink()
    manifest = json.loads((folder / "manifest.json").read_bytes().partition(b"\n")[2])
    del manifest["store"]
    (folder / "manifest.json").write_bytes(sealed(json.dumps(manifest)))
