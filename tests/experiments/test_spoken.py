"""The experiment on speech: its declared queries."""

import pytest

from rankine.experiments.spoken import SpokenCollection, collection, judged_queries
from rankine.spoken.lattice.formats import Reading


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
    relevant = {judged.queries[q]: sorted(documents) for q, documents in judged.qrels.items()}
    assert relevant["green"] == ["u0", "u1", "u2", "u3", "u4", "v"]
    assert relevant[f"green{blank}apples"] == ["u0", "u1", "u2", "u3", "u4"]
