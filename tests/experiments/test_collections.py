"""The collections of the experiments: folds, transcripts, errors."""

import pytest

from rankine.errors import InputError
from rankine.experiments.collections import check_letor_sets, letor_folds, speech_folder, transcripts, words_of


def test_folds_go_round(sets):
    for i, fold in enumerate(letor_folds("mq2008")):
        assert {q // 10 for q in fold.train.query_ids} == {(i + j) % 5 + 1 for j in range(3)}
        assert {q // 10 for q in fold.valid.query_ids} == {(i + 3) % 5 + 1}
        assert {q // 10 for q in fold.test.query_ids} == {(i + 4) % 5 + 1}


def test_unknown_sets_and_missing_data(sets, monkeypatch):
    with pytest.raises(InputError, match=r"unknown set 'mq2007'\. Did you mean 'mq2008'"):
        check_letor_sets(["mq2008", "mq2007"])
    with pytest.raises(InputError, match=r"unknown set 'jl'\..* There are: lj, aishell"):
        speech_folder("jl")
    with pytest.raises(FileNotFoundError):
        check_letor_sets(["ohsumed"])
    monkeypatch.delenv("RANKINE_DATA")
    with pytest.raises(InputError, match="set RANKINE_DATA to the folder that holds letor/mq2008"):
        next(letor_folds("mq2008"))
    with pytest.raises(InputError, match="set RANKINE_DATA to the folder that holds speech/lj"):
        transcripts("lj")


def test_transcripts(sets):
    folder = sets / "speech" / "lj"
    folder.mkdir(parents=True)
    (folder / "transcripts.tsv").write_text("a\tThe first,\tone.\n\nb\tIt's two\n", encoding="utf-8")
    assert transcripts("lj") == {"a": "The first,\tone.", "b": "It's two"}
    assert words_of(transcripts("lj")["b"]) == ["it's", "two"]
