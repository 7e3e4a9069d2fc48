"""Commands that would do nonsense in silence: each ends in a sentence, and in exit code 1 where there is no result."""

import bz2
import os
import re

import numpy as np
import pytest

import rankine as rk
from rankine.io import save_qrels, save_run
from rankine.sample import judged_set

from .running import rankine

LINEAR = ("--loss", "ranksvm-l2", "-C", "0.01")


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    """Files with usual and unusual contents; tests write to copies of the folder only."""
    folder = tmp_path_factory.mktemp("sets")
    data = judged_set(n_queries=6, seed=1)

    def write(name, y, qid=data.qid, doc_ids=None):
        rk.save_letor(rk.RankingData(data.X, y, qid, doc_ids), folder / name)

    write("train.txt", data.y, doc_ids=data.doc_ids)
    write("copy.txt", data.y, doc_ids=data.doc_ids)
    rk.save_letor(judged_set(n_queries=4, seed=2), folder / "valid.txt")
    write("unnamed.txt", data.y)
    write("fractions.txt", np.where(data.y > 0, 0.9, 0.3))
    write("zeros.txt", 0 * data.y)
    write("equal.txt", 1 + 0 * data.y)
    write("single.txt", data.y, np.arange(len(data.y)))
    write("large.txt", np.where(data.y > 1, 1000, data.y))
    write("negative.txt", np.where(data.y > 0, 1, -1))
    save_qrels(rk.TrecTable.from_columns(data.qid, data.doc_ids, data.y), folder / "qrels.txt")
    rng = np.random.default_rng(0)
    for name in ("a.run", "b.run"):
        save_run(rk.TrecTable.from_columns(data.qid, data.doc_ids, rng.random(len(data.y))), folder / name)
    lines = (folder / "a.run").read_text().splitlines(keepends=True)
    (folder / "missing.run").write_text("".join(line for line in lines if not line.startswith("3 ")))
    numbers = np.arange(len(data.y)).astype(str).astype(object)
    save_run(rk.TrecTable.from_columns(data.qid, numbers, data.y), folder / "numbers.run")
    save_qrels(rk.TrecTable.from_columns(data.qid, data.doc_ids, 0 * data.y), folder / "none.txt")
    rk.LinearRanker("ranksvm-l2", C=0.01).fit(data).save(folder / "m.json")
    rk.LinearRanker("ranksvm-l2", C=0.01).fit(data).save(folder / "model.txt")
    with pytest.warns(UserWarning, match="nothing can be learned"):
        rk.LinearRanker("svm-map", C=0.01).fit(rk.RankingData(data.X, 0 * data.y, data.qid)).save(folder / "null.json")
    return folder


@pytest.fixture
def folder(sets, tmp_path):
    for path in sets.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


EQUAL = "in every query all grades are equal: there is nothing to learn"
LOW = "no document is relevant, for no grade is 1 or more (the largest is 0.9): AP is 0 for every order"
SAME = "every query of --valid is one of the training data"


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        # grades that nothing can be learned from
        ("train fractions.txt --loss svm-map -o x.json", LOW),
        ("train fractions.txt --loss ranksvm-l2 -m AP -o x.json", LOW),
        ("train fractions.txt -m AP -o x.json", LOW),
        ("train fractions.txt --ranker adarank -o x.json", LOW),
        ("tune fractions.txt -m AP --folder t", LOW),
        ("train zeros.txt --loss svm-map -o x.json", EQUAL),
        ("train zeros.txt -o x.json", EQUAL),
        ("train equal.txt --ranker rankboost -o x.json", EQUAL),
        ("train equal.txt --ranker regression -o x.json", EQUAL),
        ("train equal.txt --ranker single -o x.json", EQUAL),
        ("tune zeros.txt --folder t", EQUAL),
        ("train single.txt --loss listmle -o x.json", "every query has one document: there is nothing to rank"),
        ("tune single.txt --ranker adarank --folder t", "every query has one document: there is nothing to rank"),
        ("train train.txt --loss listmle --valid zeros.txt -o x.json", f"zeros.txt: {EQUAL}"),
        ("bound m.json zeros.txt", f"zeros.txt: there is nothing to bound: {EQUAL}"),
        # an output that is also an input
        ("train train.txt -o train.txt", "would replace train.txt, which is read"),
        ("train train.txt --loss listmle --valid valid.txt -o valid.txt", "would replace valid.txt"),
        ("tune train.txt --folder t -o train.txt", "would replace train.txt"),
        ("rank m.json train.txt -o m.json", "would replace m.json"),
        ("rank m.json train.txt -o ./train.txt", "would replace train.txt"),
        ("convert train.txt train.txt", "would replace train.txt"),
        ("export m.json --to solr -o m.json", "would replace m.json"),
        ("compare qrels.txt a.run b.run --plot a.run", "would replace a.run"),
        # validation data that is learned from
        ("train train.txt --loss listmle --valid train.txt -o x.json", SAME),
        ("train train.txt --loss listmle --valid copy.txt -o x.json", f"copy.txt: {SAME}"),
        ("tune train.txt --valid copy.txt --folder t", SAME),
        # options that would be ignored
        ("train train.txt --loss listmle --path 1:10 -C 7 --valid valid.txt -o x.json", "--path tries several C"),
        ("train train.txt --ranker adarank -C 5 -o x.json", "-C sets the parameter C, which the ranker 'adarank' has"),
        ("train train.txt --valid valid.txt --folds 3 -o x.json", "--folds is of the folds, and --valid takes their"),
        ("train train.txt --loss listmle --budget 5 -o x.json", "--budget sets the parameter budget, which the ranker"),
        ("train train.txt --ranker rankboost --solver newton -o x.json", "--solver sets the parameter solver, which"),
        ("train train.txt --loss ranksvm --weights yue -o x.json", "no option 'A', position weights (--weights)"),
        ("tune train.txt --ranker adarank -C 5 --folder t", "-C sets the parameter C, which the ranker 'adarank' has"),
        ("tune train.txt --rounds 7 --folder t", "--rounds sets the parameter n_rounds, which the ranker 'linear' has"),
        ("tune train.txt --valid valid.txt --folds 3 --folder t", "--folds is of the folds"),
        ("tune train.txt --valid valid.txt --seed 3 --folder t", "--seed is of the folds"),
        ("rank m.json train.txt --scores --tag x", "--scores writes numbers alone, and --tag is of a run"),
        ("rank m.json train.txt --scores --documents qrels.txt", "and --documents is of a run"),
        ("compare --models m.json model.txt train.txt -c", "only --details and -o json go with it"),
        ("compare --models m.json model.txt train.txt --gain linear", "only --details and -o json go with it"),
        ("compare qrels.txt a.run b.run -q -o json", "-q is part of the table"),
        ("evaluate qrels.txt a.run -m AP --gain linear", "--gain linear is for nDCG and DCG that do not name"),
        ("train train.txt --loss svm-map --schedule pass -o x.json", "schedule is for solver='cutting-plane'"),
        ("bound m.json train.txt --held-out --norm 3", "--norm is of bounds from training data"),
        ("describe m.json --top 3", "--top is of data, and this is a model"),
        # runs and judgments that do not belong together
        ("evaluate qrels.txt numbers.run", "no document of the run is judged: the run has '"),
        ("compare qrels.txt a.run numbers.run", "no document of the run is judged: the run has '"),
        ("evaluate none.txt a.run --empty skip", "none of the 6 queries has a relevant document: --empty skip leaves"),
        # values that were meant otherwise
        ("convert train.txt x.txt.lzma2", "expected a file name ending in one of"),
        ("train train.txt --loss listmle --path 1:1e-3 --valid valid.txt -o x.json", "write 1e-3:1 instead of 1:1e-3"),
        ("train large.txt --loss consistent-dcg -o x.json", "squared: scale the features or the grades down"),
        ("train train.txt --loss ranksvm-l2 -C 1e300 -o x.json", "too large for these numbers"),
        ("train train.txt --loss svm-map -C 1e300 -o x.json", "too large for these numbers"),
        ("train negative.txt --loss ranksvm-l2 -m nDCG@10 -o x.json", "nDCG@10 needs grades ≥ 0"),
        ("train negative.txt -o x.json", "negative.txt, query 1: nDCG@10 needs grades ≥ 0, got -1; -m names another"),
        ("tune negative.txt --folder t", "negative.txt, query 1: nDCG@10 needs grades ≥ 0, got -1; -m names another"),
        # names of other packages
        ("train train.txt --loss lambdarank -o x.json", "consistent-ndcg@10, with --ranker boosted"),
        ("train train.txt --loss rank:pairwise -o x.json", "the nearest here is ranksvm-l2"),
        ("train train.txt --ranker mart -o x.json", "--ranker boosted --loss squared"),
        ("train train.txt --ranker LambdaMART -o x.json", "LambdaMART is trees by pairs"),
        ("tune train.txt --ranker xgboost --folder t", "--set library=xgboost"),
        ("train train.txt --ranker svm-map -o x.json", "it is a loss, which several rankers can learn by: --loss"),
        ("train train.txt --loss adarank -o x.json", "it is a ranker: --ranker adarank"),
        ("train train.txt --ranker boosted --set n_estimators=9 -o x.json", "'n_estimators'. It is n_trees here."),
        # messages that name what is there
        ("compare qrels.txt m.json model.txt", "m.json: is a model, which ranks judged data: give a data set in place"),
        ("compare qrels.txt a.run b.run --baseline c", "there is no system 'c' to be the baseline, only a, b."),
        ("compare qrels.txt a.run missing.run", "missing lacks 1 of the queries of a, such as 3: -c counts missing"),
        ("describe qrels.txt", "qrels.txt: looks like TREC qrels, which have no features"),
        ("describe a.run", "a.run: looks like a TREC run (query, Q0, document, rank, score, tag)"),
        ("train train.txt --loss svm-map --weights bad -o x.json", "partial-order, yue, and learn (LinearRanker only)"),
    ],
)  # fmt: skip
def test_it_is_refused_in_one_line(folder, command, sentence):
    before = {name: (folder / name).read_bytes() for name in os.listdir(folder)}
    done = rankine(folder, *command.split(), code=1)
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert {name: (folder / name).read_bytes() for name in os.listdir(folder)} == before


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("rank m.json unnamed.txt", "unnamed.txt has no document names: the run has numbers, 1 to n within each query"),
        ("evaluate qrels.txt missing.run a.run", "* The means are over different numbers of queries (missing 5, a 6)"),
        ("evaluate train.txt m.json", "m.json: the model was trained on this data: expect less on new queries"),
        ("rank null.json train.txt", "warning: null.json: the model learned nothing"),
        ("export null.json --to solr -o s.json", "warning: null.json: the model learned nothing"),
        (
            "tune fractions.txt --loss svm-map --loss ranksvm-l2 -C 0.1 --folds 2 --workers 1",
            "warning: 1 of 2 combinations learned nothing, e.g. loss svm-map, C 0.1",
        ),
        (
            "tune train.txt --loss svm-map --loss ranksvm-l2 --weights yue -C 0.1 --folds 2 --workers 1",
            "warning: 1 of 2 combinations failed, e.g. loss ranksvm-l2, loss_options A=yue, C 0.1: failed: ranksvm-l2:",
        ),
    ],
)  # fmt: skip
def test_it_is_said(folder, command, sentence):
    assert sentence in rankine(folder, *command.split()).stderr


def test_a_path_tries_what_was_written(folder):
    options = ("--loss", "ranksvm-l2", "--path", "0.3:4", "--valid", "valid.txt", "-o", "x.json")
    lines = rankine(folder, "train", "train.txt", *options).stdout.splitlines()
    assert [line.split("\t")[0] for line in lines[1:4]] == ["0.3", "1", "4"]


def test_a_measure_that_was_not_asked_for_is_left_out_where_it_is_0(folder):
    done = rankine(folder, "train", "fractions.txt", *LINEAR, "-o", "x.json")
    assert done.stdout.startswith("data\tqueries\tnDCG@10\n")


def test_a_model_is_known_by_its_content(folder):
    of_json, of_text = (
        rankine(folder, "evaluate", "train.txt", name).stdout.split() for name in ("m.json", "model.txt")
    )
    assert of_json[7:] != []
    assert of_json[8:] == of_text[8:]
    assert "LinearRanker" in rankine(folder, "describe", "model.txt").stdout


def test_names_of_documents_come_from_a_file(folder):
    data = rk.load_letor(folder / "train.txt")
    names = np.empty(data.n_documents, object)
    names[data.order] = data.doc_ids
    (folder / "names.txt").write_text("\n".join(names) + "\n")
    given = rankine(folder, "rank", "m.json", "unnamed.txt", "--documents", "names.txt")
    assert given.stderr == ""
    assert given.stdout == rankine(folder, "rank", "m.json", "train.txt").stdout
    for text, message in (
        ("a\nb\n", "2 names, but the data has"),
        ("a b\n" * len(names), "line 1: expected the name"),
    ):
        (folder / "names.txt").write_text(text)
        done = rankine(folder, "rank", "m.json", "unnamed.txt", "--documents", "names.txt", code=1)
        assert f"names.txt{': ' if 'names,' in message else ', '}{message}" in done.stderr


def test_some_queries_that_are_learned_and_judged_are_counted(folder):
    data, other = rk.load_letor(folder / "train.txt"), judged_set(n_queries=3, seed=5)
    both = rk.RankingData(
        np.concatenate([data.subset([0]).X, other.X]), np.concatenate([data.subset([0]).y, other.y]),
        np.concatenate([data.subset([0]).qid, other.qid + 100]),
    )  # fmt: skip
    rk.save_letor(both, folder / "both.txt")
    done = rankine(folder, "train", "train.txt", *LINEAR, "--valid", "both.txt", "-o", "x.json")
    assert "warning: both.txt: 1 of the 4 queries of --valid are in the training data too" in done.stderr


def test_bzip2_is_bzip2(folder):
    rankine(folder, "convert", "train.txt", "x.txt.bz2")
    assert bz2.decompress((folder / "x.txt.bz2").read_bytes()).startswith(b"0 qid:1 ")


def test_large_numbers_are_short(folder):
    cell = rankine(folder, "evaluate", "large.txt", "m.json", "-m", "DCG@10").stdout.split()[-1]
    assert re.fullmatch(r"\d\.\d+e\+3\d\d", cell)
