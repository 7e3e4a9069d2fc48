"""The experiment on speech: its declared queries."""

import pytest

from experiments.speech import spoken as e
from experiments.speech.spoken import SpokenCollection, collection, judged_queries
from rankine.errors import InputError
from rankine.spoken.lattice.formats import Reading

from ..own import talks


def test_the_declared_queries(real_data):
    for name, count in (("lj", 161), ("aishell", 200)):
        recordings = collection(name)
        judged = judged_queries(recordings)
        assert len(judged.queries) == count
        assert all(len(r) >= 5 for r in judged.qrels.values())
        assert judged == judged_queries(recordings)


@pytest.mark.parametrize(("language", "blank"), [("en", " "), ("zh", "")])
def test_queries_and_relevance_by_hand(language, blank):
    """Phrases that begin or end with a stop word, or occur in fewer than five texts, are no queries."""
    texts = {f"u{i}": ["of", "green", "apples", "of"] for i in range(5)} | {"v": ["green", "pears"]}
    if language == "zh":
        texts = {u: ["的" if w == "of" else w for w in t] for u, t in texts.items()}
    judged = judged_queries(SpokenCollection("x", language, "", Reading(), texts))
    assert set(judged.queries.values()) == {"green", "apples", f"green{blank}apples"}
    relevant = {judged.queries[q]: sorted(recordings) for q, recordings in judged.qrels.items()}
    assert relevant["green"] == ["u0", "u1", "u2", "u3", "u4", "v"]
    assert relevant[f"green{blank}apples"] == ["u0", "u1", "u2", "u3", "u4"]


def test_a_folder_of_ones_own(tmp_path, monkeypatch):
    """The declared queries are words of the transcripts; the report stands in a folder of the same name."""
    place = talks(tmp_path)
    monkeypatch.setattr(e, "LEAST", 3)
    monkeypatch.setattr(e, "RANKERS", {"SVM-MAP": "svm-map", "AdaRank": "adarank"})
    results = e.experiment([str(place)], "en", tmp_path / "report", 1)
    assert results.tables[0].rows[0][:2] == ("talks", "as given")
    assert all(0 < float(x) <= 1 for x in results.tables[0].rows[0][3:])
    assert (tmp_path / "report" / "talks" / "talks-figure1.png").exists()
    assert "talks" in (tmp_path / "report" / "talks" / "report.md").read_text().splitlines()[0]


def test_what_is_missing_in_a_folder_of_ones_own(tmp_path):
    place = talks(tmp_path, 6)

    def refused(text, language="en", data=str(place)):
        with pytest.raises(InputError, match=text):
            e.experiment([data], language, tmp_path / "report", 1)

    refused(r"talks: 0 sequences of one to three words occur in at least 5 transcripts, at least 8 queries are needed")
    refused(r"talks: there is no words.txt.gz or words.txt in this folder; expected transcripts.tsv", "zh")
    refused(r"--language must be one of en, zh; got 'de'", "de")
    refused(r"unknown set 'nowhere'\. There are: lj, aishell, a folder of your own", data="nowhere")
    (place / "transcripts.tsv").write_text("tape-01 without a tab\n")
    refused(r"transcripts.tsv, line 1: expected an utterance, a tab and its text")
    (place / "transcripts.tsv").write_text("somebody\tsaid something\n")
    refused(
        r"lattices: 6 of 6 lattices have no transcript, e.g. tape-01, tape-02, tape-03; transcripts are called some"
    )
    (place / "transcripts.tsv").unlink()
    refused(r"talks: there is no transcripts.tsv in this folder")
