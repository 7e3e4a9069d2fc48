"""``rankine trec_eval`` prints what trec_eval prints."""

import pytest

from .running import rankine


@pytest.mark.parametrize(
    ("file", "options"),
    [("out.test", []), ("out.test.a", ["-m", "all_trec"]), ("out.test.aq", ["-m", "all_trec", "-q"])],
)
def test_printed_files_byte_for_byte(real_data, file, options):
    folder = real_data / "trec_eval"
    done = rankine(folder, "trec_eval", *options, "qrels.test", "results.test")
    assert done.stdout == (folder / file).read_text()
    assert done.stderr == ""


def test_options_as_trec_eval_has_them(folder):
    def lines(*options):
        return [
            line.split() for line in rankine(folder, "trec_eval", *options, "qrels.txt", "one.run").stdout.splitlines()
        ]

    assert lines("-mP.1,2", "-m", "map") == [
        ["map", "all", "0.5417"],
        ["P_1", "all", "0.0000"],
        ["P_2", "all", "0.5000"],
    ]
    assert lines("-c", "-mnum_q") == [["num_q", "all", "3"]]
    assert lines("-M1", "-mnum_ret") == [["num_ret", "all", "2"]]
    assert lines("-J", "-mrecip_rank") == [["recip_rank", "all", "0.7500"]]
    assert lines("-n", "-q", "-mnum_rel", "-l9") == [["num_rel", q, "0"] for q in ("q1", "q2")]
    assert lines("-N100", "-mutility.0,0,0,1")[0][0] == "utility_0,0,0,1"
    assert lines("-q", "-m", "set")[0][:2] == ["num_ret", "q1"]


def test_unknown_measures_are_told_before_files_are_read(folder):
    done = rankine(folder, "trec_eval", "-m", "ndcg_cut@10", "none", "none", code=1)
    assert done.stderr.startswith("rankine: trec_eval has no measure 'ndcg_cut@10'")
