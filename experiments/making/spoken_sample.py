"""Make the spoken sample that Rankine brings along: python -m experiments.making.spoken_sample (needs Debian's flite).

Its own sentences are spoken by two of flite's voices, noise is added, PocketSphinx recognises them, and lattices are
pruned to a few kilobytes. A recording is relevant to a query if its sentence contains the words. It writes audio
(.ogg), lattices (.slf.gz), the table for indexing, queries and qrels.
"""

import gzip
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import soundfile
import soxr

from rankine.spoken import arc_posteriors
from rankine.spoken.lattice.formats import Piece, Reading, write_slf
from rankine.spoken.lattice.scoring import Scoring
from rankine.spoken.recognise.audio.audio import blocks
from rankine.spoken.recognise.run import PocketSphinx

PLACE = Path(__file__).parents[2] / "src" / "rankine" / "sample" / "spoken"
VOICES = ("rms", "slt")
QUERIES = (
    "lighthouse", "Skerryvore", "storm", "harbour", "herring", "Stromness", "market", "winter", "railway",
    "Rankine", "bridge", "steam", "engine", "station", "garden", "apple", "Corrigan", "roses", "orchard",
    "orchestra", "Zawistowski", "piano", "choir", "symphony", "doctor", "Okonkwo", "hospital", "medicine", "school",
    "village", "election", "council", "newspaper", "strike", "Ardnamurchan", "coal", "flood", "museum",
    "clean water", "valley",
)  # fmt: skip


def spoken(text: str, voice: str, rng: np.random.Generator) -> np.ndarray:
    """A sentence at 16 kHz with noise at 12 to 22 dB below it."""
    with tempfile.NamedTemporaryFile(suffix=".wav") as file:
        subprocess.run(["flite", "-voice", voice, "-t", text, "-o", file.name], check=True)
        samples, rate = soundfile.read(file.name, dtype="float32")
    samples = soxr.resample(samples, rate, 16000)
    noise = np.cumsum(rng.normal(size=len(samples)))  # rumbling, as of traffic
    noise = noise - np.convolve(noise, np.ones(400) / 400, "same") + 0.5 * rng.normal(size=len(samples))
    level = 10 ** (-rng.uniform(12, 22) / 20) * np.sqrt(np.mean(samples**2) / np.mean(noise**2))
    return (0.7 * (samples + level * noise) / np.abs(samples).max()).clip(-1, 1).astype(np.float32)


def main() -> None:
    """Write everything anew."""
    rng = np.random.default_rng(11)
    sentences = (PLACE / "sentences.txt").read_text(encoding="utf-8").splitlines()
    for folder in ("audio", "lattices"):
        shutil.rmtree(PLACE / folder, ignore_errors=True)
        (PLACE / folder).mkdir()
    recognise = PocketSphinx()
    scoring = Scoring(Reading(lower=True))
    rows = ["utterance\trecording\ttitle\tspeaker\taudio\toffset"]
    for number, text in enumerate(sentences, 1):
        name, voice = f"tape-{number:02d}", VOICES[number % 2]
        samples = spoken(text, voice, rng)
        soundfile.write(PLACE / "audio" / f"{name}.ogg", samples, 16000, format="OGG", subtype="VORBIS")
        heard = np.concatenate(list(blocks(PLACE / "audio" / f"{name}.ogg", 16000)))
        content = recognise(heard)
        if content is None:
            raise SystemExit(f"{name}: nothing was recognised")
        lattice = scoring.open(Piece(name, "slf", "memory", gzip.decompress(content)))
        pruned = lattice.prune(arc_posteriors(lattice).posterior, 1e-3)
        (PLACE / "lattices" / f"{name}.slf.gz").write_bytes(gzip.compress(write_slf(pruned), 9, mtime=0))
        rows.append(f"{name}\t{name}\t\t{voice}\taudio/{name}.ogg\t0")
    (PLACE / "recordings.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    words = [f" {' '.join(t.lower().replace(',', ' ').replace('.', ' ').split())} " for t in sentences]
    queries, qrels = [], []
    for q, query in enumerate(QUERIES, 1):
        queries.append(f"{q}\t{query}")
        relevant = [f" {query.lower()} " in w or f" {query.lower()}s " in w for w in words]
        if not any(relevant):
            raise SystemExit(f"no sentence contains {query}")
        qrels += [f"{q} 0 tape-{d:02d} {int(s)}" for d, s in enumerate(relevant, 1)]
    (PLACE / "queries.tsv").write_text("\n".join(queries) + "\n", encoding="utf-8")
    (PLACE / "qrels.txt").write_text("\n".join(qrels) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
