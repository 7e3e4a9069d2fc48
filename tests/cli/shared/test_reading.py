"""Options of reading, several files, and data of other programs, in every command that reads judged data."""

import json

import numpy as np
import pytest

import rankine as rk
from rankine.cli.app import JUDGED as COMMANDS
from rankine.io.formats import JUDGED, DataReading, on_command_line
from rankine.sample import judged_set

from ..running import rankine

TRAIN = ("--ranker", "single", "-m", "nDCG@10")


def lightgbm_text(folder, name, seed, n_queries, columns, first, weights=False):
    """A set as LightGBM's example of lambdarank has it: rank.train with rank.train.query beside it."""
    rng = np.random.default_rng(seed)
    sizes, lines = rng.integers(3, 9, n_queries), []
    for size in sizes:
        for _ in range(size):
            x = {int(j): float(rng.integers(1, 100)) / 100 for j in columns if rng.random() < 0.7}
            grade = int(2 * x.get(3, 0) + x.get(2, 0) + rng.random())
            lines.append(f"{grade} {' '.join(f'{j + first}:{v:g}' for j, v in x.items())}\n")
    (folder / name).write_text("".join(lines))
    (folder / f"{name}.query").write_text("".join(f"{s}\n" for s in sizes))
    if weights:
        (folder / f"{name}.weight").write_text("".join(f"{w}\n" for w in rng.random(n_queries) + 0.5))
    return sizes


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """Training data with features 0 to 7; test data without the first and the last two."""
    folder = tmp_path_factory.mktemp("lambdarank")
    lightgbm_text(folder, "rank.train", 1, 30, range(8), 0)
    lightgbm_text(folder, "rank.test", 2, 10, range(1, 6), 0)
    done = rankine(folder, "train", "rank.train", "--loss", "ranksvm-l2", "-C", "1", "-o", "model.json")
    return folder, done


def test_the_example_of_lightgbm_in_two_commands(example):
    folder, done = example
    for line in ("rank.train: sizes of queries from rank.train.query", "rank.train: features are numbered from 0"):
        assert done.stderr.splitlines().count(line) == 1
    assert json.loads((folder / "model.json").read_text())["first_index"] == 0
    done = rankine(folder, "evaluate", "rank.test", "model.json", "-m", "nDCG@10")
    assert done.stderr.count("the data has 5 features, the model 8: the others count as 0") == 1
    value = float(done.stdout.splitlines()[1].split("\t")[-1])
    with pytest.warns(rk.InputNote):
        train = rk.load_letor(folder / "rank.train")
    model = rk.LinearRanker("ranksvm-l2", C=1.0).fit(train)
    sizes = [int(s) for s in (folder / "rank.test.query").read_text().split()]
    test = rk.load_letor(folder / "rank.test", groups=sizes, first_index=0, n_features=8)
    want = rk.evaluate("nDCG@10", test.y, model.predict(test), test.qid).mean["nDCG@10"]
    assert value == pytest.approx(want, abs=5e-5)
    assert want > 0.8  # one column off it would be chance


def test_rank_is_not_one_off_and_a_stated_number_wins(example):
    folder, _ = example
    scores = rankine(folder, "rank", "model.json", "rank.test", "--scores").stdout
    assert scores == rankine(folder, "rank", "model.json", "rank.test", "--scores", "--first-index", "0").stdout
    rng = np.random.default_rng(3)
    rows = [(f"{y} qid:1", rng.random(8)) for y in (0, 1, 2)]
    for first in (0, 1):
        lines = (start + "".join(f" {j + first}:{v}" for j, v in enumerate(x)) for start, x in rows)
        (folder / f"from{first}.txt").write_text("".join(f"{line}\n" for line in lines))
    want = rankine(folder, "rank", "model.json", "from0.txt", "--scores").stdout
    assert rankine(folder, "rank", "model.json", "from1.txt", "--scores", "--first-index", "1").stdout == want
    done = rankine(folder, "rank", "model.json", "from1.txt", code=1)
    assert "looks as if numbered from 1: first_index=1 (--first-index 1)" in done.stderr
    done = rankine(folder, "rank", "model.json", "from0.txt", "--first-index", "1", code=1)
    assert "feature index 0, but indices start at 1" in done.stderr
    rankine(folder, "convert", "rank.test", "test.txt")
    assert rankine(folder, "rank", "model.json", "test.txt", "--scores").stdout == scores
    done = rankine(folder, "describe", "model.json")
    assert "first feature\t0" in done.stdout


def test_more_features_than_the_model(example, tmp_path):
    folder, _ = example
    (tmp_path / "wide.txt").write_text("1 qid:1 0:1 9:1\n0 qid:1 1:1\n")
    model = str(folder / "model.json")
    done = rankine(tmp_path, "rank", model, "wide.txt", code=1)
    assert "the model has 8 features, the data has 10; features='0-7' (--features 0-7) reads no others" in done.stderr
    assert len(rankine(tmp_path, "rank", model, "wide.txt", "--features", "0-7").stdout.splitlines()) == 2


@pytest.mark.parametrize("command", ["rank", "evaluate", "valid", "models", "tune", "bound", "details", "export"])
def test_fewer_features_are_padded_everywhere(example, command):
    folder, _ = example
    told = "the others count as 0"
    train = ("train", "rank.train", *TRAIN, "--valid", "rank.test", "-o", "m2.json")
    tune = (
        "tune", "rank.train", "--loss", "ranksvm-l2", "-C", "1", "--valid", "rank.test", "--folder", "tuning",
        "--workers", "1",
    )  # fmt: skip
    arguments = {
        "rank": ("rank", "model.json", "rank.test"),
        "evaluate": ("evaluate", "rank.test", "model.json"),
        "valid": train,
        "models": ("compare", "--models", "model.json", "model.json", "rank.test"),
        "tune": tune,
        "bound": ("bound", "model.json", "rank.test", "--held-out"),
        "details": ("compare", "rank.test", "model.json", "copy.json", "--details", "1"),
        "export": ("export", "model.json", "--to", "onnx", "-o", "m.onnx", "--check", "rank.test"),
    }[command]
    if command == "export":
        pytest.importorskip("onnxruntime")
    (folder / "copy.json").write_text((folder / "model.json").read_text())
    done = rankine(folder, *arguments)
    assert done.stderr.count(told) <= 1
    assert command == "tune" or told in done.stderr


def test_weights_beside_the_data_are_used(tmp_path):
    lightgbm_text(tmp_path, "rank.train", 1, 12, range(5), 1, weights=True)
    command = ("train", "rank.train", "--loss", "ranksvm-l2", "-C", "1")
    done = rankine(tmp_path, *command, "-o", "m.json")
    assert "rank.train: weights of queries from rank.train.weight" in done.stderr
    sizes = [int(s) for s in (tmp_path / "rank.train.query").read_text().split()]
    weights = np.loadtxt(tmp_path / "rank.train.weight")
    data = rk.load_letor(tmp_path / "rank.train", groups=sizes, weights="none")
    for query_weight, more in ((weights, ()), (None, ("--weight-file", "none"))):
        rankine(tmp_path, *command, "-o", "m.json", *more)
        want = rk.LinearRanker("ranksvm-l2", C=1.0).fit(data, query_weight=query_weight)
        np.testing.assert_allclose(rk.load(tmp_path / "m.json").coef_, want.coef_, rtol=1e-9)
    done = rankine(tmp_path, "train", "rank.train", "--ranker", "rankboost", "-o", "x.json", code=1)
    assert "weights of queries, which RankBoost does not take; weights='none' (--weight-file none)" in done.stderr
    assert not (tmp_path / "x.json").exists()
    done = rankine(tmp_path, "convert", "rank.train", "out.txt")
    assert "out.txt: without the weights, which text does not hold" in done.stderr
    rankine(tmp_path, "convert", "rank.train", "out.parquet")
    assert rk.load_table(tmp_path / "out.parquet").query_weight.tolist() == weights.tolist()


@pytest.fixture
def parts(tmp_path):
    """A data set in one file, and the same in three."""
    data = judged_set(n_queries=12)
    rk.save_letor(data, tmp_path / "whole.txt")
    (tmp_path / "parts").mkdir()
    for i, queries in ((1, range(4)), (2, range(4, 8)), (10, range(8, 12))):
        rk.save_letor(data.subset(list(queries)), tmp_path / "parts" / f"part-{i}.txt")
    rankine(tmp_path, "train", "whole.txt", *TRAIN, "-o", "m.json")
    return tmp_path


FILES = ["parts/part-1.txt", "parts/part-2.txt", "parts/part-10.txt"]


@pytest.mark.parametrize("several", [FILES, ["parts/"], ["parts/part-*.txt"], [*FILES[:2], "parts/part-?0.txt"]])
def test_several_files_are_one_data_set(parts, several):
    for before, after in (
        (("rank", "m.json"), ("--scores",)),
        (("convert",), ("-",)),
        (("bound", "lin.json"), ()),
        (("compare", "--models", "m.json", "m.json"), ()),
    ):
        if "lin.json" in before and not (parts / "lin.json").exists():
            rankine(parts, "train", "whole.txt", "--loss", "ranksvm", "-C", "1", "-o", "lin.json")
        assert rankine(parts, *before, *several, *after).stdout == rankine(parts, *before, "whole.txt", *after).stdout
    whole, pieces = (rankine(parts, "describe", *files, "-o", "json").stdout for files in (["whole.txt"], several))
    assert pieces == whole
    rankine(parts, "train", *several, *TRAIN, "-o", "m2.json")
    one, two = (json.loads((parts / f"{name}.json").read_text()) for name in ("m", "m2"))
    assert one["provenance"]["data"] == two["provenance"]["data"]


def test_judgments_and_validation_data_in_several_files(parts):
    rankine(parts, "rank", "m.json", "whole.txt", "--scores", "-o", "scores.txt")
    want = rankine(parts, "evaluate", "whole.txt", "scores.txt").stdout
    for judgments in ("parts", "parts/part-*.txt"):
        assert rankine(parts, "evaluate", judgments, "scores.txt").stdout == want
    valid = ("--valid", FILES[1], "--valid", FILES[2])
    both = rankine(parts, "train", FILES[0], *TRAIN, *valid, "-o", "v.json").stdout
    assert "valid\t8\t" in both


def test_errors_of_files(parts):
    for name in ("a.parquet", "train.txt", "test.txt"):
        (parts / name).write_text("1 qid:1 1:1\n")
    (parts / "empty").mkdir()
    for files, message in (
        (["nosuch-*.txt"], "nosuch-*.txt: no file has a name of this pattern"),
        (["empty"], "empty: there is no file of data in the folder"),
        (["whole.txt", "a.parquet"], "a.parquet: Parquet, but whole.txt is LETOR text"),
        (["whole.txt", "whol*.txt"], "whole.txt: the same file is given twice"),
        (["t*.txt"], "holds test.txt and train.txt, which are not one data set: name the files"),
    ):
        assert message in rankine(parts, "describe", *files, code=1).stderr
    done = rankine(parts, "train", "parts", *TRAIN, "-o", "parts/part-2.txt", code=1)
    assert "would replace parts/part-2.txt, which is read" in done.stderr


VALUES = {
    "label": "label", "qid": "qid", "doc_id": "doc_id", "features": "1-2", "delimiter": ",", "encoding": "utf-8",
    "groups": "sizes", "weights": "none", "first_index": "1",
}  # fmt: skip


@pytest.fixture(scope="module")
def formats(tmp_path_factory):
    """A model, and a data set in a file of each format."""
    folder = tmp_path_factory.mktemp("formats")
    rk.save_letor(judged_set(n_queries=12), folder / "whole.txt")
    for row in JUDGED.values():
        if row.endings[0] != ".txt":
            rankine(folder, "convert", "whole.txt", f"whole{row.endings[0]}")
    rankine(folder, "train", "whole.txt", *TRAIN, "-o", "m.json")
    return folder


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", JUDGED)
def test_an_option_that_a_format_does_not_take_is_refused(formats, command, name):
    """Every command has all options; each format refuses those that its row does not name."""
    path = f"whole{JUDGED[name].endings[0]}"
    before = sorted(formats.iterdir())
    arguments = {
        "train": ("train", path, *TRAIN, "-o", "x.json"),
        "rank": ("rank", "m.json", path),
        "tune": ("tune", path, "--ranker", "single", "--folder", "t"),
        "evaluate": ("evaluate", path, "m.json"),
        "compare": ("compare", "--models", "m.json", "m.json", path),
        "describe": ("describe", path),
        "convert": ("convert", path, "x.txt"),
        "export": ("export", "m.json", "--to", "solr", "-o", "x.json", "--check", path),
        "bound": ("bound", "m.json", path),
    }[command]
    refused = [option for option in VALUES if option not in JUDGED[name].options]
    if name == "letor":
        refused.remove("delimiter")  # text with a delimiter is CSV
    assert refused
    for option in refused:
        if command == "export" and option == "features":
            continue
        done = rankine(formats, *arguments, on_command_line(option), VALUES[option], code=1)
        assert f"{path}: {JUDGED[name].title} has no {on_command_line(option)}; it has --" in done.stderr
    if "unordered" not in JUDGED[name].options:
        assert "has no --unordered" in rankine(formats, *arguments, "--unordered", code=1).stderr
    assert sorted(formats.iterdir()) == before


def test_options_where_no_judged_data_is_read(folder):
    done = rankine(folder, "evaluate", "qrels.txt", "one.run", "--features", "x", code=1)
    assert "--features says how judged data is read, but qrels.txt holds TREC qrels" in done.stderr
    rankine(folder, "train", "data.txt", *TRAIN, "-o", "m.json")
    done = rankine(folder, "describe", "m.json", "--unordered", code=1)
    assert "--unordered says how judged data is read, but m.json is a model" in done.stderr
    done = rankine(folder, "export", "m.json", "--to", "solr", "-o", "x.json", "--first-index", "0", code=1)
    assert "--first-index says how judged data is read, but there is no --check" in done.stderr


def test_every_field_of_the_record_is_an_option_or_of_python_only():
    done = rankine(".", "describe", "--help")
    for name in DataReading().__dataclass_fields__:
        for option in on_command_line(name).split("/"):
            assert (option in done.stdout) == (name not in ("dtype", "n_features", "ungraded"))


def test_unordered_and_groups(tmp_path):
    (tmp_path / "x.txt").write_text("1 3:1 1:2\n0 2:5 1:1\n")
    (tmp_path / "sizes").write_text("2\n")
    done = rankine(tmp_path, "describe", "x.txt", code=1)
    assert "--groups" in done.stderr
    done = rankine(tmp_path, "describe", "x.txt", "--groups", "sizes", code=1)
    assert "feature index 1 after 3, indices must increase (unordered, --unordered)" in done.stderr
    done = rankine(tmp_path, "convert", "x.txt", "-", "--groups", "sizes", "--unordered")
    assert done.stdout == "1 qid:1 1:2 2:0 3:1\n0 qid:1 1:1 2:5 3:0\n"
    done = rankine(tmp_path, "evaluate", "x.txt", "scores", "--groups", "sizes", "--unordered", code=1)
    assert "scores: No such file" in done.stderr
