"""The bundled samples are public, and complete."""

import numpy as np

import rankine as rk
from rankine.sample import bundled_sample, judged_set
from rankine.spoken.index.about import read_about
from rankine.spoken.learn.judgments import read_qrels, read_queries


def test_the_spoken_sample_is_complete():
    with rk.sample.spoken_sample() as folder:
        about = read_about(folder / "recordings.tsv")
        queries, qrels = read_queries(folder / "queries.tsv"), read_qrels(folder / "qrels.txt")
        assert {p.name.removesuffix(".slf.gz") for p in (folder / "lattices").iterdir()} == set(about)
        assert all((folder / row.audio).is_file() for row in about.values())
    assert len(queries) == 40
    assert set(queries) == set(qrels)
    assert all(set(grades) == set(about) and any(grades.values()) for grades in qrels.values())


def test_the_bundled_sample_is_what_the_generator_makes():
    made, bundled = judged_set(), bundled_sample()
    assert np.array_equal(made.X, bundled.X)
    assert np.array_equal(made.y, bundled.y)
    assert made.doc_ids.tolist() == bundled.doc_ids.tolist()


def test_every_relevant_recording_holds_the_query():
    with rk.sample.spoken_sample() as folder:
        sentences = (folder / "sentences.txt").read_text().lower().splitlines()
        queries, qrels = read_queries(folder / "queries.tsv"), read_qrels(folder / "qrels.txt")
        assert len(list((folder / "lattices").glob("*.slf.gz"))) == len(list((folder / "audio").glob("*.ogg"))) == 80
    for query, grades in qrels.items():
        for document, grade in grades.items():
            assert grade == 0 or queries[query].lower() in sentences[int(document[-2:]) - 1]
