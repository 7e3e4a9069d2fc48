"""The collections of the experiments: folds, transcripts, errors."""

import pytest

import rankine as rk
from experiments.collections import (
    check_letor_sets,
    err_of,
    letor_folds,
    letor_set,
    named_sets,
    speech_folder,
    transcripts,
    words_of,
)
from rankine.errors import InputError

from .own import judged_file


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


def test_files_of_ones_own_are_one_set_cut_up_by_query(tmp_path):
    data = judged_file(tmp_path)
    half = data.n_queries // 2
    rk.save_letor(data.subset(range(half)), tmp_path / "a.txt")
    rk.save_letor(data.subset(range(half, data.n_queries)), tmp_path / "b.txt")
    name = named_sets([str(tmp_path / "a.txt"), "mq2008", str(tmp_path / "b.txt")])
    assert name[0] == "mq2008"
    assert letor_set(name[1]).title == "a.txt and b.txt"
    folds = list(letor_folds(name[1]))
    tested = [q for fold in folds for q in fold.test.query_ids]
    assert sorted(map(str, tested)) == sorted(map(str, data.query_ids))
    for fold in folds:
        parts = [{*part.query_ids} for part in fold]
        assert sum(map(len, parts)) == len(set.union(*parts)) == data.n_queries
    whole = list(letor_folds(named_sets([str(tmp_path / "mine.txt")])[0]))
    assert [list(fold.test.query_ids) for fold in whole] == [list(fold.test.query_ids) for fold in folds]
    assert err_of(name[1]) == "ERR(gmax=4)"
    assert err_of("mq2008") == "ERR(gmax=2)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 qid:1 1:1\n0 qid:1 1:2\n", "mine.txt: five folds need at least 5 queries, got 1"),
        ("1 qid:1 1:1\n1 qid:1 1:2\n", "mine.txt: experiments need documents of different grade, and no query has any"),
        ("-1 qid:1 1:1\n1 qid:1 1:2\n", "mine.txt: experiments need grades of at least 0, got -1"),
    ],
)
def test_files_that_do_not_suit(tmp_path, text, message):
    (tmp_path / "mine.txt").write_text(text)
    with pytest.raises(InputError, match=message):
        check_letor_sets(named_sets([str(tmp_path / "mine.txt")]))


def test_names_that_are_neither_sets_nor_files(tmp_path):
    with pytest.raises(InputError, match=r"unknown set 'mq2007'\. Did you mean 'mq2008'\? .* a file of your own"):
        named_sets(["mq2007"])
    with pytest.raises(InputError, match=r"nowhere.txt: there is no such file"):
        named_sets([str(tmp_path / "nowhere.txt")])
