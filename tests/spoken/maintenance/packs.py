"""Archives to be packed, damaged and repaired."""

import json
import shutil

from rankine.spoken.archive import Archive
from rankine.spoken.index.settings import Settings
from rankine.spoken.lattice.formats import one_best, write_slf

from ... import folders

TAPES = {"one": "spoken words remain", "deep/two": "written words fade", "three": "spoken letters arrive"}


def recognised(folder):
    """An archive whose lattices are its own, with texts, judgments and weights."""
    archive = Archive.create(folder, Settings({"word": "words"}))
    lattices = folder / "recognised"
    lines = []
    for name, text in TAPES.items():
        words = [(word, float(i), i + 1.0, 0.9) for i, word in enumerate(text.split())]
        path = lattices / f"{name}.slf"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(write_slf(one_best(words)))
        segments = [{"file": f"{name}.slf", "start": 0.0}]
        content = {"size": 1, "time": 1, "file": name, "samples": name}
        line = {"recording": name, "print": "00", "audio": f"/tapes/{name}.wav", "ending": ".slf", **content}
        lines.append(line | {"segments": segments})
    (lattices / "recognised.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return indexed(archive)


def indexed(archive):
    """Index its own lattices, as ``add_recordings`` does."""
    from rankine.spoken.index.about import About
    from rankine.spoken.recognise.journal import RecordingJournal

    lattices = archive.folder / "recognised"
    RecordingJournal(lattices).write_table()
    about = {n: About(n, {"title": f"Tape {n}", "speaker": "ann"}, f"/tapes/{n}.wav") for n in TAPES}
    archive.lattices.index(lattices, about, batch=1, listed=True)
    book = archive.judgments.store
    book.add(book.query("words"), "one", 1.0, "ann")
    return archive


def saved(place, name="archive"):
    """An archive that an earlier commit wrote."""
    shutil.copytree(folders.OPENS / name, place / name)
    return Archive(place / name)


def found_in(archive, *queries):
    """The hits of some queries, in words that can be compared."""
    queries = queries or ("spoken words", "letters", "written words")
    return [
        (h.recording, str(h.start), h.title, h.speaker, round(h.score, 9)) for q in queries for h in archive.search(q)
    ]
