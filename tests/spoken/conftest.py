"""Archives that tests of several rooms use."""

import numpy as np
import pytest

from rankine.spoken.archive import Archive
from rankine.spoken.index.about import About
from rankine.spoken.lattice.formats import write_slf
from rankine.spoken.lattice.scoring import Scoring
from rankine.spoken.learn.judgments import Judged
from rankine.spoken.recordings.places import place_names

from ..victims import Victims
from .cases import SMALL, lattice


@pytest.fixture(autouse=True)
def victims(request):
    """Victims around the folder of a test, beside it and in it; whatever an archive does, they stay as they are."""
    if "tmp_path" not in request.fixturenames:
        yield None
        return
    place = request.getfixturevalue("tmp_path")
    around = [Victims(place.parent / f"{place.name}-victims")]
    if "lattice" not in request.path.parts:  # there the folder itself is what is read
        around.append(Victims(place / ".victims"))
    yield around[0]
    for some in around:
        some.check()


@pytest.fixture
def resting(monkeypatch):
    """No file counts as one that is being written; each would be looked at twice, with a pause."""
    monkeypatch.setattr("rankine.spoken.recognise.audio.settled._RECENT", 0.0)


@pytest.fixture
def several(tmp_path):
    """An archive whose recordings have one to four utterances."""
    folder = tmp_path / "lattices"
    folder.mkdir()
    about = {}
    for i in range(60):
        (folder / f"u{i:02d}.slf").write_bytes(write_slf(lattice(i)))
        texts = {"speaker": "ann" if i < 30 else "bob", "date": f"2026-{1 + i // 10:02d}-01", "title": f"t{i // 3}"}
        about[f"u{i:02d}"] = About(f"d{i // 3:02d}", texts if i % 3 == 0 else {}, "x.wav", 10.0 * i)
    about = {u: a._replace(texts=about[f"u{3 * (int(u[1:]) // 3):02d}"].texts) for u, a in about.items()}
    archive = Archive.create(tmp_path / "archive", SMALL)
    changes = archive.lattices.index(folder, about, Scoring(), batch=7)
    assert changes[:4] == (20, 0, 0, 0)
    return archive


@pytest.fixture(scope="module")
def taught(tmp_path_factory):
    """An archive of 60 recordings; relevant is where the word was likely."""
    place = tmp_path_factory.mktemp("taught")
    around = Victims(place / "victims")
    archive = Archive.create(place / "a", SMALL)
    archive.lattices.add([(f"d{i:02d}", lattice(i, 12)) for i in range(60)])
    queries = {str(i): f"w{i} w{(i * 5 + 1) % 12}" for i in range(12)}
    qrels = {}
    for key, text in queries.items():
        query = archive.parse(text)
        places = archive.candidates(query)
        counts = archive.score(query, places)[:, 1]  # word bigrams
        good = places[counts > max(np.quantile(counts, 0.7), 0)]
        qrels[key] = dict.fromkeys(place_names(archive.index, good), 1.0)
    yield archive, Judged(queries, {k: v for k, v in qrels.items() if v} | {"0": {"d00": 1.0}})
    around.check()
