"""Trees as LightGBM and XGBoost write them, checked before they are handed back to these libraries.

The libraries believe what they read: a child, a feature or a length that is out of range makes them read foreign memory
or walk in circles. So every number that says where something is gets checked here: a tree is a tree, its lists have one
length, features and categories exist. Anything that these libraries do not write is refused.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Collection
from itertools import accumulate, pairwise
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import numpy as np
from msgspec import Meta

from ...errors import InputError
from ...system.limits import max_size
from ...system.records import checked

_LARGEST_CATEGORY = 1 << 20  # a node holds a bit for every category up to its largest
_WHOLE = re.compile(r"-?[0-9]{1,10}", re.ASCII)
_REAL = re.compile(r"-?(?:[0-9]{1,400}(?:\.[0-9]{0,400})?(?:e[+-]?[0-9]{1,4})?|inf|nan)", re.ASCII)
_INFO = re.compile(r"none|\[[^\s\[\]:=]{1,40}:[^\s\[\]:=]{1,40}\]|-?[0-9]{1,10}(?::-?[0-9]{1,10})*", re.ASCII)
_REST = re.compile(
    r"end of trees\n+feature_importances:\n(?:[^\n=]{1,200}=[0-9]{1,15}\n)*"
    r"(?:\nparameters:\n(?:\[[a-z_0-9]{1,60}: [^\n]{0,100000}\]\n)*\n?end of parameters\n)?\n?"
    r"(?:pandas_categorical:(?:null|\[\])\n?)?",
    re.ASCII,
)


def _wrong(library: str, what: str) -> InputError:
    return InputError(f"not trees of {library}, or damaged: {what}")


# LightGBM -------------------------------------------------------------------------------------------------------------


def check_lightgbm(text: str, features: int) -> None:
    """Raise InputError unless this is a model of LightGBM with one score, over so many features."""
    if not re.fullmatch(r"[\n -~]*", text):
        raise _wrong("LightGBM", "it holds letters that LightGBM does not write")
    head, _, rest = text.partition("\n\n")
    end = rest.find("end of trees\n")
    if not head.startswith("tree\n") or end < 0 or not _REST.fullmatch(rest, end):
        raise _wrong("LightGBM", "the beginning or the end is missing")
    members = _members(head.removeprefix("tree\n"), {"average_output"})
    for name, value in (("num_class", 1), ("num_tree_per_iteration", 1), ("max_feature_idx", features - 1)):
        if _wholes(members, name, 1)[0] != value:
            raise _wrong("LightGBM", f"{name} is {members[name]:.40}, expected {value}")
    _wholes(members, "label_index", 1)
    if members.get("objective", "custom") not in ("custom", "none"):
        raise _wrong("LightGBM", f"an objective {members['objective']!r:.40}")
    infos = members.get("feature_infos", "").split(" ")
    if len(members.get("feature_names", "").split()) != features or len(infos) != features:
        raise _wrong("LightGBM", "names and ranges are of another number of features")
    if not all(map(_INFO.fullmatch, infos)):
        raise _wrong("LightGBM", "the range of a feature cannot be read")
    if "monotone_constraints" in members:
        _wholes(members, "monotone_constraints", features)
    trees = [t for t in re.split(r"(?=^Tree=)", rest[:end], flags=re.MULTILINE) if t]
    if _wholes(members, "tree_sizes", len(trees)) != [len(tree) for tree in trees]:
        raise _wrong("LightGBM", "the sizes of the trees are others")
    for number, tree in enumerate(trees):
        _check_lightgbm_tree(tree, number, features)


def _members(text: str, flags: Collection[str] = ()) -> dict[str, str]:
    """Lines of ``name=value``, each name once."""
    members: dict[str, str] = {}
    for line in text.rstrip("\n").split("\n"):
        name, equals, value = line.partition("=")
        if name in members or not (equals or name in flags):
            raise _wrong("LightGBM", f"a line {line!r:.40}")
        members[name] = value
    return members


def _numbers(members: dict[str, str], name: str, count: int, form: re.Pattern[str], convert: Callable) -> list[Any]:
    """The numbers of a line, of which there must be so many."""
    words = members.get(name, "").split()
    if len(words) != count or not all(map(form.fullmatch, words)):
        raise _wrong("LightGBM", f"expected {count} numbers as {name}")
    return [convert(word) for word in words]


def _wholes(members: dict[str, str], name: str, count: int) -> list[int]:
    return _numbers(members, name, count, _WHOLE, int)


def _reals(members: dict[str, str], name: str, count: int) -> list[float]:
    return _numbers(members, name, count, _REAL, float)


def _check_lightgbm_tree(text: str, number: int, features: int) -> None:
    members = _members(text)
    if _wholes(members, "Tree", 1) != [number]:
        raise _wrong("LightGBM", f"tree {number} has another number")
    leaves, categorical = _wholes(members, "num_leaves", 1)[0], _wholes(members, "num_cat", 1)[0]
    if not 1 <= leaves <= 1 << 20 or not 0 <= categorical < leaves:
        raise _wrong("LightGBM", f"tree {number} has {leaves} leaves")
    nodes = leaves - 1
    _reals(members, "shrinkage", 1)
    _reals(members, "leaf_value", leaves)
    for name, count in (("leaf_weight", leaves), ("internal_value", nodes), ("internal_weight", nodes),
                        ("split_gain", nodes), ("leaf_count", leaves), ("internal_count", nodes)):  # fmt: skip
        if members.get(name, "").strip():  # a tree of one leaf leaves them empty
            _reals(members, name, count)
    if any(not 0 <= f < features for f in _wholes(members, "split_feature", nodes)):
        raise _wrong("LightGBM", f"tree {number} splits a feature that is not there")
    places = [*_wholes(members, "left_child", nodes), *_wholes(members, "right_child", nodes)]
    parents = [*range(nodes), *range(nodes)]
    if sorted(places) != ([*range(-leaves, 0), *range(1, nodes)] if nodes else []) or any(
        0 <= child <= parent for child, parent in zip(places, parents, strict=True)
    ):
        raise _wrong("LightGBM", f"tree {number} is not a tree")
    _check_lightgbm_splits(members, number, nodes, categorical)
    linear = _wholes(members, "is_linear", 1)[0] if "is_linear" in members else 0
    if linear not in (0, 1):
        raise _wrong("LightGBM", f"tree {number} is neither linear nor not")
    if linear:
        _reals(members, "leaf_const", leaves)
        counts = _wholes(members, "num_features", leaves)
        used = _wholes(members, "leaf_features", sum(counts))
        _reals(members, "leaf_coeff", sum(counts))
        if min(counts) < 0 or any(not 0 <= f < features for f in used):
            raise _wrong("LightGBM", f"a leaf of tree {number} uses a feature that is not there")


def _check_lightgbm_splits(members: dict[str, str], number: int, nodes: int, categorical: int) -> None:
    """The kinds of the splits, and the sets of categories of those that have one."""
    kinds, thresholds = _wholes(members, "decision_type", nodes), _reals(members, "threshold", nodes)
    if any(not 0 <= kind < 12 for kind in kinds):  # two bits, and three ways to treat what is missing
        raise _wrong("LightGBM", f"tree {number} has a split of an unknown kind")
    sets = [t for t, kind in zip(thresholds, kinds, strict=True) if kind & 1]
    if any(not (0 <= t < categorical and t == int(t)) for t in sets):
        raise _wrong("LightGBM", f"tree {number} has a split by categories that are not there")
    if categorical:
        bounds = _wholes(members, "cat_boundaries", categorical + 1)
        if bounds[0] != 0 or any(a >= b for a, b in pairwise(bounds)):
            raise _wrong("LightGBM", f"the sets of categories of tree {number} overlap")
        words = _wholes(members, "cat_threshold", bounds[-1])
        if any(not 0 <= word < 1 << 32 for word in words):
            raise _wrong("LightGBM", f"a set of categories of tree {number} cannot be read")


# XGBoost --------------------------------------------------------------------------------------------------------------

_Digits = Annotated[str, Meta(pattern="^[0-9]{1,10}$")]
_Whole32 = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]


class TreeParam(TypedDict):
    """The sizes of a tree of XGBoost."""

    num_deleted: _Digits
    num_feature: _Digits
    num_nodes: _Digits
    size_leaf_vector: Literal["0", "1"]


class StoredTree(TypedDict):
    """A tree of XGBoost: lists with an entry for each node, and the categories of some nodes."""

    id: int
    tree_param: TreeParam
    base_weights: list[float]
    loss_changes: list[float]
    sum_hessian: list[float]
    split_conditions: list[float]
    default_left: list[Literal[0, 1]]
    split_type: list[Literal[0, 1]]
    split_indices: list[_Whole32]
    left_children: list[_Whole32]
    right_children: list[_Whole32]
    parents: list[_Whole32]
    categories: list[Annotated[int, Meta(ge=0, le=_LARGEST_CATEGORY)]]
    categories_nodes: list[_Whole32]
    categories_segments: list[int]
    categories_sizes: list[int]


class StoredCategories(TypedDict):
    """Names of categories, which Rankine's models have not."""

    enc: Annotated[list[Any], Meta(max_length=0)]
    feature_segments: Annotated[list[Any], Meta(max_length=0)]
    sorted_idx: Annotated[list[Any], Meta(max_length=0)]


class TreeCounts(TypedDict):
    """The number of trees, and how many are made in a round."""

    num_parallel_tree: _Digits
    num_trees: _Digits


class StoredTrees(TypedDict):
    """All trees of a booster."""

    gbtree_model_param: TreeCounts
    trees: list[StoredTree]
    tree_info: list[Literal[0]]
    iteration_indptr: NotRequired[list[int]]
    cats: NotRequired[StoredCategories]


class PlainBooster(TypedDict):
    """The booster ``gbtree``."""

    name: Literal["gbtree"]
    model: StoredTrees


class DropBooster(TypedDict):
    """The booster ``dart``."""

    name: Literal["dart"]
    gbtree: PlainBooster
    weight_drop: list[float]


class LearnerParam(TypedDict):
    """What the whole model is."""

    num_feature: _Digits
    num_class: Literal["0"]
    num_target: NotRequired[Literal["1"]]
    base_score: Annotated[str, Meta(max_length=60, pattern=r"^\[?[-+0-9.eE]+\]?$")]


class StoredObjective(TypedDict):
    """The objective; ours are functions, of which XGBoost notes nothing."""

    name: Literal["reg:squarederror"]


class Learner(TypedDict):
    """The content of a model."""

    attributes: dict[str, str]
    feature_names: list[str]
    feature_types: list[Literal["c", "q", "int", "float", "i"]]
    gradient_booster: dict[str, Any]
    learner_model_param: LearnerParam
    objective: StoredObjective


class XGBoostModel(TypedDict):
    """A model of XGBoost."""

    learner: Learner
    version: Annotated[list[Annotated[int, Meta(ge=0, le=999)]], Meta(min_length=3, max_length=3)]


def check_xgboost(data: bytes, features: int) -> None:
    """Raise InputError unless this is a model of XGBoost with one score, over so many features."""
    what = "trees of XGBoost, or damaged"
    try:
        content, end = _Reader(data).value(0, 0)
    except (struct.error, IndexError, UnicodeDecodeError, ValueError) as error:
        raise error if isinstance(error, InputError) else _wrong("XGBoost", "it ends too early") from None
    if end != len(data):
        raise _wrong("XGBoost", "something follows")
    learner = checked(content, XGBoostModel, what, None)["learner"]
    if learner["learner_model_param"]["num_feature"] != str(features):
        raise _wrong("XGBoost", "it is of another number of features")
    if len(learner["feature_names"]) not in (0, features) or len(learner["feature_types"]) not in (0, features):
        raise _wrong("XGBoost", "names or types are of another number of features")
    booster: Any = learner["gradient_booster"]
    drops = None
    if booster.get("name") == "dart":
        dart = checked(booster, DropBooster, what, None)
        booster, drops = dart["gbtree"], dart["weight_drop"]
    model = checked(booster, PlainBooster, what, None)["model"]
    trees, sizes = model["trees"], model["gbtree_model_param"]
    ends = model.get("iteration_indptr") or [0, len(trees)]
    counts = {len(trees), int(sizes["num_trees"]), len(model["tree_info"]), ends[-1]}
    if len(counts) > 1 or ends[0] != 0 or sorted(set(ends)) != ends or (drops is not None and len(drops) != len(trees)):
        raise _wrong("XGBoost", "the number of trees is another")
    if not 1 <= int(sizes["num_parallel_tree"]) <= max(len(trees), 1):
        raise _wrong("XGBoost", "the number of parallel trees is another")
    for number, tree in enumerate(trees):
        _check_xgboost_tree(tree, number, features)


def _check_xgboost_tree(tree: StoredTree, number: int, features: int) -> None:
    n = int(tree["tree_param"]["num_nodes"])
    lists = ("base_weights", "loss_changes", "sum_hessian", "split_conditions", "default_left", "split_type",
             "split_indices", "left_children", "right_children", "parents")  # fmt: skip
    if n < 1 or {len(tree[name]) for name in lists} != {n} or tree["id"] != number:  # type: ignore[literal-required]
        raise _wrong("XGBoost", f"the lists of tree {number} do not have one length")
    if int(tree["tree_param"]["num_feature"]) != features or not int(tree["tree_param"]["num_deleted"]) < n:
        raise _wrong("XGBoost", f"tree {number} is of another number of features")
    if any(not 0 <= f < features for f in tree["split_indices"]):
        raise _wrong("XGBoost", f"tree {number} splits a feature that is not there")
    left, right, parents = tree["left_children"], tree["right_children"], tree["parents"]
    seen, waiting = np.zeros(n, bool), [0]
    while waiting:
        node = waiting.pop()
        if seen[node]:
            raise _wrong("XGBoost", f"tree {number} is not a tree")
        seen[node] = True
        children = (left[node], right[node])
        if children == (-1, -1):
            continue
        if not all(0 < child < n and parents[child] == node for child in children) or children[0] == children[1]:
            raise _wrong("XGBoost", f"tree {number} is not a tree")
        waiting += children
    _check_xgboost_categories(tree, number, n)


def _check_xgboost_categories(tree: StoredTree, number: int, n: int) -> None:
    nodes, segments, sizes = tree["categories_nodes"], tree["categories_segments"], tree["categories_sizes"]
    by_category = [node for node in range(n) if tree["split_type"][node] == 1]
    ends = list(accumulate(sizes, initial=0))
    agree = nodes == by_category and segments == ends[:-1] and ends[-1] == len(tree["categories"])
    if not agree or min(sizes, default=1) < 1:
        raise _wrong("XGBoost", f"the categories of tree {number} are not those of its nodes")


class _Reader:
    """Universal binary JSON, as far as XGBoost writes it."""

    _NUMBERS = {b"i": ">b", b"U": ">B", b"I": ">h", b"l": ">i", b"L": ">q", b"d": ">f", b"D": ">d"}  # noqa: RUF012
    _DEEPEST = 16

    def __init__(self, data: bytes) -> None:
        self.data, self.values = data, max_size(whole=True) // 16

    def value(self, at: int, depth: int) -> tuple[Any, int]:
        """The value whose type stands at this place, and the place behind it."""
        kind, at = self.data[at : at + 1], at + 1
        self.values -= 1
        if depth > self._DEEPEST or self.values < 0:
            raise _wrong("XGBoost", "too much stands inside each other")
        if kind in self._NUMBERS:
            form = self._NUMBERS[kind]
            return struct.unpack_from(form, self.data, at)[0], at + struct.calcsize(form)
        if kind == b"S":
            length, at = self._length(at)
            return self.data[at : at + length].decode(), at + length
        if kind in (b"T", b"F"):
            return kind == b"T", at
        if kind == b"{":
            return self._object(at, depth)
        if kind == b"[":
            return self._array(at, depth)
        raise _wrong("XGBoost", f"a value of an unknown type at byte {at - 1}")

    def _length(self, at: int) -> tuple[int, int]:
        """A length, of which so many bytes must be left."""
        length, at = self.value(at, 0)
        if not isinstance(length, int) or isinstance(length, bool) or not 0 <= length <= len(self.data) - at:
            raise _wrong("XGBoost", f"a length that is out of range at byte {at}")
        return length, at

    def _object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        members: dict[str, Any] = {}
        while self.data[at : at + 1] != b"}":
            length, at = self._length(at)
            name = self.data[at : at + length].decode()
            if name in members:
                raise _wrong("XGBoost", f"two members {name!r:.40}")
            members[name], at = self.value(at + length, depth + 1)
        return members, at + 1

    def _array(self, at: int, depth: int) -> tuple[list[Any], int]:
        kind = b""
        if self.data[at : at + 1] == b"$":
            kind, at = self.data[at + 1 : at + 2], at + 2
        if self.data[at : at + 1] != b"#":
            raise _wrong("XGBoost", f"an array without its length at byte {at}")
        count, at = self._length(at + 1)
        if kind:
            form = np.dtype(self._NUMBERS[kind]) if kind in self._NUMBERS else None
            if form is None or count * form.itemsize > len(self.data) - at:
                raise _wrong("XGBoost", f"an array that is out of range at byte {at}")
            return np.frombuffer(self.data, form, count, at).tolist(), at + count * form.itemsize
        values = []
        for _ in range(count):
            value, at = self.value(at, depth + 1)
            values.append(value)
        return values, at
