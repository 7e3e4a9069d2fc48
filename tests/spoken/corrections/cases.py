"""Recordings that are heard as they are told, with times, and archives of them."""

from dataclasses import dataclass

from rankine.spoken import Archive
from rankine.spoken.index.settings import Settings
from rankine.spoken.lattice.formats import write_slf
from rankine.spoken.lattice.lattice import Lattice

from ..hearings.cases import STEP, write_recordings

KINDS = Settings({"word": "words", "character": "characters"})


def heard(text, step=0.5):
    """A lattice of words one after the other; ``one|other`` is heard as the one, perhaps as the other."""
    arcs = []
    for i, token in enumerate(text.split()):
        for score, word in enumerate(token.split("|")):
            arcs.append((i, i + 1, word, -1.0 * score, step * i, step * (i + 1)))
    return Lattice.from_arcs(arcs, 0, len(text.split()))


@dataclass(frozen=True)
class Timed:
    """A recogniser that hears texts, by the number of the recording."""

    texts: tuple = ()
    rate: int = 16000
    ending: str = ".slf"

    @property
    def settings(self):
        return repr(self.texts)

    def __call__(self, samples):
        return write_slf(heard(self.texts[int(samples.max()) // STEP - 1]))


class OtherTimed(Timed):
    """The same by another name."""


def archive_of(folder, **texts):
    """An archive of lattices that it does not keep."""
    archive = Archive.create(folder, KINDS)
    archive.lattices.add([(name, heard(text)) for name, text in texts.items()])
    return archive


def recognised_archive(folder, *texts):
    """An archive that has recognised recordings r00, r01, …"""
    write_recordings(folder / "audio", range(len(texts)))
    archive = Archive.create(folder / "archive", KINDS)
    archive.recordings.add([folder / "audio"], [Timed(texts)])
    return archive


def reading(archive, name, as_heard=False):
    return " ".join(word.text for word in archive.corrections.words(name, as_heard))


def hits(archive, query):
    """The places where all words of a query are certain."""
    return [(hit.recording, round(hit.start, 2), round(hit.end, 2)) for hit in archive.search(query)
            if hit.certainty == "heard"]  # fmt: skip
