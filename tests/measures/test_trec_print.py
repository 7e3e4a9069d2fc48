"""What trec_eval prints: its own test files, options, and the order of measures and queries."""

import numpy as np
import pytest

import rankine as rk
from rankine.io import TrecTable
from rankine.measures.trec_eval.names import NICKNAMES, TREC_NAMES
from rankine.measures.trec_print import TrecOptions, requested, trec_lines

from .cases import is_judged, random_trec

QRELS = {"b": {"x": 1, "y": 0, "z": -1}, "a": {"x": 3, "y": 12}, "c": {"z": 1}}
RUN = {"b": {"w": 4.0, "x": 3.0, "y": 2.0, "z": 1.0}, "a": {"x": 1.0, "y": 1.0}, "d": {"x": 1.0}}


def printed(names, qrels=QRELS, run=RUN, **options):
    lines = trec_lines(TrecTable.from_dict(qrels), TrecTable.from_dict(run, tag="mine"), names, TrecOptions(**options))
    return list(lines)


@pytest.mark.parametrize(
    ("file", "names", "per_query"), [("out.test", [], False), ("out.test.a", ["all_trec"], False),
                                     ("out.test.aq", ["all_trec"], True)]
)  # fmt: skip
def test_printed_files_are_reproduced(real_data, file, names, per_query):
    folder = real_data / "trec_eval"
    qrels, run = rk.io.load_qrels(folder / "qrels.test"), rk.io.load_run(folder / "results.test")
    lines = trec_lines(qrels, run, names, TrecOptions(per_query=per_query))
    assert "".join(f"{line}\n" for line in lines) == (folder / file).read_text()


def test_measures_stand_in_the_order_of_trec_eval():
    assert requested(["recall.7,3", "map", "P"]) == {"map": None, "P": None, "recall": "7,3"}
    assert list(requested([])) == list(NICKNAMES["official"])
    assert requested(["all_trec", "relstring.20"])["relstring"] == "20"
    order = list(TREC_NAMES)
    for names in NICKNAMES.values():
        assert [n for n in order if n in names] == list(
            requested([next(k for k, v in NICKNAMES.items() if v == names)])
        )
    for name, hint in (("nDCG@10", "rankine evaluate"), ("mapp", "Did you mean 'map'")):
        with pytest.raises(rk.InputError, match=f"no measure '{name}'.*{hint}"):
            requested([name])


def test_queries_stand_in_the_order_of_their_names():
    assert printed(["map", "num_q", "runid"], per_query=True) == [
        "map                   \ta\t1.0000",
        "map                   \tb\t0.5000",
        "runid                 \tall\tmine",
        "num_q                 \tall\t2",
        "map                   \tall\t0.7500",
    ]
    assert printed(["map"], summary=False) == []
    assert printed(["map", "gm_map", "num_rel"], complete=True) == [
        "num_rel               \tall\t4",
        "map                   \tall\t0.5000",
        "gm_map                \tall\t0.0171",
    ]


def test_strings_of_relevance():
    assert printed(["relstring"], per_query=True) == [
        "relstring             \ta\t'>3'",
        "relstring             \tb\t'-10.'",
    ]
    assert printed(["relstring.2"], per_query=True, judged_only=True)[1] == "relstring_2           \tb\t'10'"
    assert printed(["relstring"], per_query=True, complete=True)[2] == "relstring             \tc\t''"


def test_options():
    def value(name, **options):
        return printed([name], **options)[-1].split("\t")[2]

    assert value("num_ret") == "6"
    assert value("num_ret", judged_only=True) == "4"
    assert value("num_ret", depth=1) == "2"
    assert value("num_rel_ret", depth=1) == "1"
    assert value("num_rel") == "3"
    assert value("num_rel", complete=True) == "4"
    assert value("num_q", complete=True) == "3"
    assert value("num_rel", level=2) == "2"
    assert value("utility.0,0,0,1", documents=100) == f"{(98 + 96) / 2:.4f}"
    assert value("P.1", level=4) == "0.5000"
    for bad, message in (
        (lambda: value("map", depth=0), "at least 1"),
        (lambda: value("P.0"), "at least 1"),
        (lambda: printed(["map"], run={"a": {"1": 1.0, "2": 2.0}}), "the run has '1', '2', the judgments have 'x'"),
    ):
        with pytest.raises(rk.InputError, match=message):
            bad()


def test_grades_are_whole():
    with pytest.warns(rk.errors.InputNote, match="whole grades only"):
        lines = printed(
            ["relstring", "num_rel"], {"q": {"a": 0.9, "b": 1.5}}, {"q": {"a": 2.0, "b": 1.0}}, per_query=True
        )
    assert [line.split("\t")[2] for line in lines] == ["1", "'01'", "1"]


def test_version_9(real_data):
    """Recall points are rounded up, all_trec has no unj, and -c prints no query that a run lacks."""
    folder = real_data / "trec_eval"
    qrels, run = rk.io.load_qrels(folder / "qrels.test"), rk.io.load_run(folder / "results.trunc")
    lines = list(trec_lines(qrels, run, ["all_trec"], TrecOptions(per_query=True, complete=True, version=9)))
    printed = {tuple(line.split("\t")[:2]): line.split("\t")[2] for line in lines}
    assert {query for _, query in printed} == {"301", "303", "all"}
    assert not any(name.startswith(("unj", "rbp")) for name, _ in printed)
    want = {"iprec_at_recall_0.10": "0.2699", "11pt_avg": "0.1268", "gm_map": "0.0045", "num_rel": "561", "num_q": "3"}
    assert {name: printed[f"{name:<22}", "all"] for name in want} == want
    assert printed["iprec_at_recall_0.10  ", "301"] == "0.2096"


def test_numbers_are_never_nan():
    rng = np.random.default_rng(5)
    for _ in range(100):
        qrels, run = random_trec(rng)
        if is_judged(qrels, run):
            lines = printed(["all_trec", "yaap", "dcg"], qrels, run, per_query=True, judged_only=True, complete=True)
            assert not any("nan" in line.split("\t")[2] for line in lines)


@pytest.mark.parametrize(("name", "hint"), [("NDCG@10", "ndcg_cut.10"), ("P@5", "P.5"), ("AP@7", "map_cut.7")])
def test_a_cutoff_after_the_sign_of_others_is_hinted_at(name, hint):
    with pytest.raises(rk.InputError, match=f"trec_eval has no measure '{name}'. Did you mean '{hint}'"):
        requested([name])
