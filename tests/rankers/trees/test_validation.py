"""Trees of LightGBM and XGBoost are checked before these libraries get them."""

import base64
import json
import re
import struct

import pytest

import rankine as rk
from rankine.errors import InputError
from rankine.rankers.trees.validation import check_lightgbm, check_xgboost

from ... import folders

SAVED = folders.OPENS / "models"
LIGHTGBM = json.loads((SAVED / "lightgbm.json").read_text())["booster"]
XGBOOST = base64.b64decode(json.loads((SAVED / "xgboost.json").read_text())["booster"])


def resized(text):
    """The text with the sizes that its trees have now."""
    head, _, rest = text.partition("\n\n")
    trees = [t for t in re.split(r"(?=^Tree=)", rest[: rest.find("end of trees")], flags=re.MULTILINE) if t]
    return re.sub(r"tree_sizes=.*", "tree_sizes=" + " ".join(str(len(t)) for t in trees), head) + "\n\n" + rest


def test_what_the_libraries_wrote_passes():
    check_lightgbm(LIGHTGBM, 8)
    check_xgboost(XGBOOST, 8)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("max_feature_idx=7", "max_feature_idx=2000000000"),
        ("num_class=1", "num_class=1000000000"),
        ("num_tree_per_iteration=1", "num_tree_per_iteration=0"),
        ("num_leaves=5", "num_leaves=2000000000"),
        ("num_leaves=5", "num_leaves=-5"),
        ("num_leaves=5", "num_leaves=4"),
        ("num_cat=0", "num_cat=3"),
        ("split_feature=0 3 0 3", "split_feature=0 3 0 300000000"),
        ("split_feature=0 3 0 3", "split_feature=0 3 0 -1"),
        ("left_child=1 3 -2 -1", "left_child=0 3 -2 -1"),
        ("left_child=1 3 -2 -1", "left_child=1 3 -2 -400"),
        ("left_child=1 3 -2 -1", "left_child=1 3 -2 2"),
        ("right_child=2 -3 -4 -5", "right_child=2 -3 -4"),
        ("decision_type=2 2 2 2", "decision_type=2 2 2 3"),
        ("decision_type=2 2 2 2", "decision_type=2 2 2 99"),
        ("leaf_value=-0.0004", "leaf_value= -0.0004 1 "),
        ("threshold=1.0", "threshold=x1.0"),
        ("is_linear=0", "is_linear=1"),
        ("is_linear=0", "is_linear=0\nis_linear=1"),
        ("Tree=1", "Tree=7"),
        ("feature_names=Column_0", "feature_names="),
        ("[0.1379999965429306:", "[["),
        ("parameters:\n[boosting: gbdt]", "parameters:\nboosting"),
        ("pandas_categorical:null", "pandas_categorical:" + "[" * 9999),
        ("version=v4", "version=v4\nobjective=lambdarank"),
    ],
)
def test_lightgbm_gets_no_text_that_it_did_not_write(old, new):
    assert old in LIGHTGBM
    with pytest.raises(InputError, match="not trees of LightGBM, or damaged") as caught:
        check_lightgbm(resized(LIGHTGBM.replace(old, new, 1)), 8)
    assert "\n" not in str(caught.value)


def test_lightgbm_finds_trees_by_their_sizes():
    for wrong in ("682000", "681", "0", "-5"):
        with pytest.raises(InputError, match="sizes of the trees"):
            check_lightgbm(LIGHTGBM.replace("tree_sizes=682", f"tree_sizes={wrong}"), 8)
    for cut in range(0, len(LIGHTGBM) - 30, 97):
        with pytest.raises(InputError):
            check_lightgbm(LIGHTGBM[:cut], 8)


def member(name):
    """The place behind the name of a member, at its value."""
    key = struct.pack(">q", len(name)) + name.encode()
    return XGBOOST.index(b"L" + key) + 1 + len(key)


@pytest.mark.parametrize("name", ["left_children", "right_children", "parents", "split_indices"])
@pytest.mark.parametrize("value", [-5, 0, 3, 9, 2**31 - 1, -(2**31)])
def test_xgboost_gets_no_tree_that_is_none(name, value):
    at = member(name) + 3 + 10  # [$l#L and eight bytes of a length
    assert XGBOOST[member(name) :].startswith(b"[$l#L")
    place = at + (4 if name == "parents" else 0)  # the root has no parent
    data = XGBOOST[:place] + struct.pack(">i", value) + XGBOOST[place + 4 :]
    if name == "split_indices" and 0 <= value < 8:
        check_xgboost(data, 8)
        return
    if data == XGBOOST or (name == "parents" and value == 0):
        return
    with pytest.raises(InputError, match="not trees of XGBoost, or damaged"):
        check_xgboost(data, 8)


def test_xgboost_gets_no_lengths_that_lie():
    at = member("base_weights") + 5
    for length in (-1, 2**62, 0, 10**6):
        data = XGBOOST[:at] + struct.pack(">q", length) + XGBOOST[at + 8 :]
        with pytest.raises(InputError, match="not trees of XGBoost, or damaged"):
            check_xgboost(data, 8)
    for cut in range(0, len(XGBOOST), 61):
        with pytest.raises(InputError, match="not trees of XGBoost, or damaged"):
            check_xgboost(XGBOOST[:cut], 8)
    with pytest.raises(InputError, match="something follows"):
        check_xgboost(XGBOOST + b"}", 8)
    with pytest.raises(InputError, match="another number of features"):
        check_xgboost(XGBOOST, 7)
    deep = b"{L" + struct.pack(">q", 1) + b"a"
    with pytest.raises(InputError, match="inside each other"):
        check_xgboost(deep * 100_000, 8)


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_more_trees_than_there_are(library, tmp_path):
    pytest.importorskip(library)
    content = json.loads((SAVED / f"{library}.json").read_text())
    content["certificate"]["n_trees_"] = 10**9
    (tmp_path / "m.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=r"m\.json: not a BoostedRanker, or damaged: it uses more trees"):
        rk.load(tmp_path / "m.json")
