"""Example words: of open recordings only."""

from rankine.spoken.archive import Archive
from rankine.spoken.lattice.formats import one_best
from rankine.web.live import example_words

from ..spoken.cases import SMALL


def test_examples(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    assert example_words(archive.index) == []

    def said(text):
        return one_best([(word, i / 2, i / 2 + 0.5, 0.9) for i, word in enumerate(text.split())])

    archive.lattices.add([("a", said("lighthouse keeper and the storm")), ("b", said("murderer keeper"))])
    assert example_words(archive.index) == ["lighthouse", "murderer", "keeper", "storm"]
    archive.metadata.set("b", {"rights": "on request"})
    assert example_words(archive.index) == ["lighthouse", "keeper", "storm"]
    assert example_words(archive.index, 1) == ["lighthouse"]
