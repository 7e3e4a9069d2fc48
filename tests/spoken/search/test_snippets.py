"""Lines of words around a place: the same words as the text, with their times."""

from rankine.spoken.archive import Archive
from rankine.spoken.lattice.formats import one_best
from rankine.spoken.recordings.places import segment
from rankine.spoken.search.snippets import MISSING, read_words

from ..cases import SMALL


def test_a_line_has_the_words_of_its_snippet(several):
    n = 0
    for text in ("w0", "w1 w2", '"w3 w4"', "w5"):
        for hit in several.search(text, k=50):
            plain = hit.snippet.removeprefix("… ").removesuffix(" …").replace("[", "").replace("]", "")
            assert [word.text for word in hit.line] == plain.split(" ")
            n += 1
    assert n > 100


def test_words_have_their_times_in_the_audio_file(several):
    for place in range(0, 60, 7):
        where = segment(several.index, place)
        for word in read_words(where.part, where.row):
            assert where.start - 1e-3 <= word.start <= word.end <= where.end + 1e-3
            assert 0 < word.posterior <= 1
            assert word.middle == (word.start + word.end) / 2


def test_marks(tmp_path):
    archive = Archive.create(tmp_path / "a", SMALL)
    said = "the old storm came in winter".split()
    words = [(w, i / 2, i / 2 + 0.5, 0.6 if w == "storm" else 0.9) for i, w in enumerate(said)]
    archive.lattices.add([("tape", one_best(words))])
    (hit,) = archive.search("storm winter")
    assert [(w.text, w.mark) for w in hit.line if w.mark] == [("storm", "heard"), ("winter", "heard")]
    (hit,) = archive.search("wintre")
    assert hit.certainty == "sounds like"
    assert [w.text for w in hit.line if w.mark == "sounds like"] == ["winter"]
    assert hit.to_dict()["line"][0].keys() == {"text", "start", "end", "posterior", "mark"}
    assert MISSING not in hit.snippet
