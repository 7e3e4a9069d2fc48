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
    assert len(lines("-m", "all_trec")) - len(lines("-m", "all_trec", "--like", "9")) == 5


def test_unknown_measures_are_told_before_files_are_read(folder):
    done = rankine(folder, "trec_eval", "-m", "ndcg_cut@10", "none", "none", code=1)
    assert done.stderr.startswith("rankine: trec_eval has no measure 'ndcg_cut@10'")


def test_formats_of_judgments(folder):
    done = rankine(folder, "trec_eval", "-R", "qrels_prefs", "-m", "prefs", "-q", "qrels.txt", "one.run")
    lines = done.stdout.splitlines()
    assert lines[0] == "prefs_num_prefs_poss  \tq1\t3"
    assert lines[2] == "prefs_num_prefs_ful_ret\tq1\t1"
    assert lines[-8:-6] == ["runid                 \tall\tx", "num_q                 \tall\t2"]
    (folder / "jg.txt").write_text("q1 ann a 1\nq1 ann b 0\nq1 bob b 1\n")
    done = rankine(folder, "trec_eval", "-R", "qrels_jg", "-m", "map_avgjg", "jg.txt", "one.run")
    assert done.stdout == "map_avgjg             \tall\t0.7500\n"
    for form, name, message in (
        ("qrels", "prefs_simp", "needs preferences in groups: give the format of the judgments by -R"),
        ("qrels_jg", "map", "map needs plain judgments, -R qrels"),
    ):
        done = rankine(folder, "trec_eval", "-R", form, "-m", name, "qrels.txt", "one.run", code=1)
        assert message in done.stderr
