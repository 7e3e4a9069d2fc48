"""``rankine export``."""

import json

import pytest

import rankine as rk
from rankine.export import TABLE, TARGETS, to_solr
from rankine.sample import judged_set

from ..folders import ROOT
from .running import rankine


@pytest.fixture(scope="module")
def data():
    return judged_set(n_queries=20)


def test_command_line(data, tmp_path):
    rk.save_letor(data, tmp_path / "data.txt")
    rankine(tmp_path, "train", "data.txt", "--loss", "svm-map", "-o", "model.json")
    (tmp_path / "names.txt").write_text("".join(f"{i} f{i}\n" for i in range(1, 9)))
    for target in ("opensearch", "elasticsearch", "solr"):
        rankine(tmp_path, "export", "model.json", "--to", target, "-o", f"{target}.json", "--features", "names.txt")
        assert json.loads((tmp_path / f"{target}.json").read_text())
    assert (tmp_path / "opensearch.json").read_bytes() == (tmp_path / "elasticsearch.json").read_bytes()
    said = rankine(tmp_path, "export", "model.json", "--to", "onnx", "-o", "model.onnx", "--check", "data.txt")
    assert "the same scores as the model on data.txt" in said.stderr
    (tmp_path / "few.txt").write_text("1 f1\n")
    args = ("export", "model.json", "--to", "solr", "-o", "x.json", "--features", "few.txt")
    assert "no name is given for 7 features" in rankine(tmp_path, *args, code=1).stderr
    rankine(tmp_path, "train", "data.txt", "--loss", "ranksvm", "-o", "other.json")
    out = rankine(tmp_path, "compare", "--models", "model.json", "other.json", "data.txt", "--details", "3").stdout
    assert "rank-biased overlap" in out
    assert len(out.strip().splitlines()) == 8 + 1 + 3
    same = rankine(tmp_path, "compare", "--models", "model.json", "model.json", "data.txt").stdout
    assert "1.0000" in same
    assert (
        "two models and a data set" in rankine(tmp_path, "compare", "--models", "model.json", "data.txt", code=1).stderr
    )


def test_names_by_number_and_with_blanks(data, tmp_path):
    model = rk.LinearRanker().fit(data)
    by_number = {str(i): f"f{i}" for i in range(1, 9)}
    assert [f["name"] for f in json.loads(to_solr(model, features=by_number))["features"]] == list(by_number.values())
    blank = rk.RankingData(data.X[:, :2], data.y, data.qid, feature_names=["the title", "body"])
    rk.LinearRanker().fit(blank).save(tmp_path / "m.json")
    (tmp_path / "n.txt").write_text("the title\tt\nbody\tb\n")
    rankine(tmp_path, "export", "m.json", "--to", "solr", "-o", "s.json", "--features", "n.txt")
    rk.save_letor(data, tmp_path / "d.txt")
    args = ("export", "m.json", "--to", "solr", "-o", "s.json", "--check", "d.txt")
    assert "only onnx can be run here" in rankine(tmp_path, *args, code=1).stderr


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_a_deployable_model_is_exported_to_every_target(data, tmp_path):
    """All candidates are asked for, as by default."""
    rk.save_letor(data, tmp_path / "data.txt")
    said = rankine(tmp_path, "train", "data.txt", "--deployable", "--folds", "2", "-o", "model.json").stderr
    assert f"rankine export can write it for {', '.join(TARGETS)}\n" in said
    for target in TARGETS:
        rankine(tmp_path, "export", "model.json", "--to", target, "-o", f"{target}.out")
        assert (tmp_path / f"{target}.out").stat().st_size
    rows = {row.name: row.verdict for row in rk.load(tmp_path / "model.json").leaderboard_}
    for name in ("RankBoost", "trees listnet", "kernel listnet", "network listnet"):
        assert rows[name].startswith("not tried: not linear")


def test_the_first_page_says_what_can_be_deployed():
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "where they are linear, models for OpenSearch, Elasticsearch and Solr (`--deployable`; ONNX takes" in page
    assert [name for name, row in TABLE.items() if row.forms == ("linear",)] == ["opensearch", "elasticsearch", "solr"]


def test_the_help_names_the_targets():
    from rankine.cli.train import Deployable

    said = Deployable.__metadata__[0].help
    assert said == f"Only linear models and their fusions: `rankine export` writes them for {', '.join(TARGETS)}."
