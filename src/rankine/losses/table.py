"""The table of losses: one row for each name. Help, documentation and error messages are made from it.

A loss with the name ``svm-ndcg@10:tight`` is made by the row ``svm-ndcg``, with the cutoff 10 and the options of its
variant ``tight``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..errors import InputError, nearest
from .base import Loss
from .listwise import ListMLE, ListNet
from .order_preserving import Consistent, Duchi
from .pairwise import PositionSensitive, Preorder, RankSVM
from .pointwise import Squared
from .structured.enumerated import SumHinge
from .structured.hinge import StructuredHinge
from .structured.slack import SlackHinge
from .structured.tight import TightHinge

_NORM = {"norm": {"norm": True}}
_LONG = {"sample": {"long": "sample"}, "error": {"long": "error"}}
_SVM = {"tight": {"variant": "tight"}, "slack": {"variant": "slack"}}


class LossRow(NamedTuple):
    """How a loss is made, what it is in one line, whether it takes ``@k``, and the options of its ``:variants``."""

    make: Callable[..., Loss]
    explanation: str
    cut: str = "no"  # or "may" or "must"
    variants: Mapping[str, dict[str, Any]] = {}


def _structured(of: str) -> Callable[..., Loss]:
    """A structural hinge, its tighter, non-convex form, or the slack-rescaled one."""

    def make(variant: str | None = None, target: str = "mean", **options: Any) -> Loss:
        if variant is not None and target == "best":
            raise InputError(
                f"target='best' is a bound of its own, between svm-{of} and :tight: use it without :{variant}"
            )
        if variant == "slack":
            return SlackHinge(StructuredHinge(of, target=target, **options))
        if variant == "tight":
            return TightHinge(StructuredHinge(of, target=target, **options))
        hinge = StructuredHinge(of, target=target, **options)
        return hinge if hinge.convex else TightHinge(StructuredHinge(of, **options), perfect=True)

    return make


TABLE = {
    "svm-ndcg": LossRow(_structured("ndcg"), "structural hinge, an upper bound on 1 − nDCG@k", "may", _SVM),
    "svm-map": LossRow(_structured("map"), "structural hinge, an upper bound on 1 − AP", variants=_SVM),
    "svm-p": LossRow(_structured("p"), "structural hinge, an upper bound on 1 − P@k over the best P@k", "must", _SVM),
    "svm-rr": LossRow(_structured("rr"), "structural hinge, an upper bound on 1 − RR", variants=_SVM),
    "sum-ndcg": LossRow(
        lambda **o: SumHinge("ndcg", **o), "sum of the hinges of all rankings, of nDCG@k", "may", _LONG
    ),
    "sum-map": LossRow(lambda **o: SumHinge("map", **o), "sum of the hinges of all rankings, of AP", variants=_LONG),
    "softmax-ndcg": LossRow(
        lambda **o: SumHinge("ndcg", soft=True, **o), "soft maximum over rankings, nDCG@k", "may", _LONG
    ),
    "softmax-map": LossRow(
        lambda **o: SumHinge("map", soft=True, **o), "soft maximum over all rankings, of AP", variants=_LONG
    ),
    "ranksvm": LossRow(RankSVM, "hinge of every pair of different grade", variants=_NORM),
    "ranksvm-l2": LossRow(lambda **o: RankSVM(squared=True, **o), "squared hinge of every such pair", variants=_NORM),
    "position-sensitive": LossRow(PositionSensitive, "pairs with margins that grow towards the top", variants=_NORM),
    "preorder": LossRow(
        Preorder,
        "differentiable hinge of every pair of different grade",
        variants={"norm": {"weights": "norm"}, "norm+dcg": {"weights": "norm+dcg"}},
    ),
    "consistent-dcg": LossRow(lambda **o: Consistent("dcg", **o), "all pairs, consistent for DCG@k", "may", _NORM),
    "consistent-ndcg": LossRow(lambda **o: Consistent("ndcg", **o), "all pairs, consistent for nDCG@k", "may", _NORM),
    "consistent-wpd": LossRow(
        lambda **o: Consistent("wpd", **o), "all pairs, for preference graphs, under low noise", variants=_NORM
    ),
    "consistent-rank": LossRow(lambda **o: Consistent("rank", **o), "all pairs, for ranks (1 is best)", variants=_NORM),
    "duchi": LossRow(Duchi, "linear loss with a penalty on scores, for preference graphs or grades"),
    "listnet": LossRow(ListNet, "cross-entropy of the top-one probabilities"),
    "listmle": LossRow(ListMLE, "likelihood of the graded order (Plackett and Luce)"),
    "squared": LossRow(Squared, "squared distance of scores from grades"),
    "squared-dcg": LossRow(lambda **o: Squared("dcg", **o), "squared distance from gains, consistent for DCG@k", "may"),
    "squared-ndcg": LossRow(lambda **o: Squared("ndcg", **o), "the same over the best DCG@k, for nDCG@k", "may"),
}


def names() -> list[str]:
    """All loss names, ``@k`` standing for a cutoff.

    >>> names()[:3]
    ['svm-ndcg', 'svm-ndcg@k', 'svm-ndcg:tight']
    """
    out = []
    for name, row in TABLE.items():
        forms = [name] if row.cut != "must" else []
        forms += [f"{name}@k"] if row.cut != "no" else []
        out += forms + [f"{form}:{variant}" for form in forms for variant in row.variants]
    return out


def names_with_constants() -> list[str]:
    """The losses that risk bounds are known for, in their shortest form.

    >>> names_with_constants()[:4]
    ['svm-ndcg', 'svm-map', 'svm-p@k', 'svm-rr']
    """
    forms = {name: f"{name}@k" if row.cut == "must" else name for name, row in TABLE.items()}
    return [form for form in forms.values() if get(form.replace("@k", "@10")).has_constants]


def get(name: str, **options: Any) -> Loss:
    """The loss of this name; options are those of its class.

    >>> get("svm-ndcg@10", target="random")
    StructuredHinge('svm-ndcg@10', A='linear', target='random')
    >>> get("consistent-ndcg@10:norm")
    Consistent('consistent-ndcg@10:norm')
    >>> get("svm-ndgc@10")
    Traceback (most recent call last):
    rankine.errors.InputError: unknown loss 'svm-ndgc@10'. Did you mean 'svm-ndcg@k'? There are: ...
    """
    if not isinstance(name, str):
        raise InputError(f"expected the name of a loss, got {name!r}")
    form = re.fullmatch(r"([a-z0-9-]+?)(?:@(\d+))?(?::([a-z+]+))?", name)
    row = None if form is None else TABLE.get(form[1])
    cut = None if form is None else form[2]
    wrong_cut = row is not None and (row.cut == ("no" if cut is not None else "must"))
    if form is None or row is None or wrong_cut or (form[3] is not None and form[3] not in row.variants):
        raise _unknown(name)
    by_name: dict[str, Any] = {} if cut is None else {"k": int(cut)}
    by_name |= {} if form[3] is None else row.variants[form[3]]
    twice = by_name.keys() & options.keys()
    if twice:
        raise InputError(f"{name}: {twice.pop()} is in the name already")
    try:
        return row.make(**options, **by_name)
    except TypeError as error:
        option = re.search(r"unexpected keyword argument '(\w+)'", str(error))
        if option is None:
            raise InputError(f"{name}: {str(error).split(') ')[-1]}") from None
        hint = ", position weights (--weights), which the svm- losses have" if option[1] == "A" else ""
        raise InputError(f"{name}: there is no option {option[1]!r}{hint}") from None


def _unknown(name: str) -> InputError:
    """The error for a name that is none of a loss."""
    hint = habit(name)
    if hint is not None:
        return InputError(f"unknown loss {name!r}: {hint}")
    forms = [f"{base}{ {'no': '', 'may': '[@k]', 'must': '@k'}[row.cut] }" for base, row in TABLE.items()]
    return InputError(f"unknown loss {name!r}.{nearest(name, names())} There are: {', '.join(forms)}")


def resolve(loss: Any, options: Any = None, **defaults: Any) -> Loss:
    """A loss given by name, with its options (and defaults of options), or as an object.

    >>> resolve("svm-map", {"A": "yue"})
    StructuredHinge('svm-map', A='yue', target='mean')
    >>> resolve(RankSVM(), {"norm": True})
    Traceback (most recent call last):
    rankine.errors.InputError: loss_options are for a loss that is given by name
    """
    if not isinstance(options, (dict, type(None))):
        raise InputError(f"loss_options must be a dictionary or None, got {options!r}")
    if isinstance(loss, str):
        if isinstance((options or {}).get("A"), str) and (options or {})["A"] == "learn":
            raise InputError("position weights are learned by LinearRanker only: A='learn' cannot be used here")
        return get(loss, **(defaults | (options or {})))
    if not isinstance(loss, Loss):
        raise InputError(f"loss must be a name or a loss, got {loss!r:.60}")
    if options:
        raise InputError("loss_options are for a loss that is given by name")
    return loss


# -- Names of losses and rankers in other packages, and what is nearest to each here
#
# None of them is a name of ours: where a loss is another function, or a ranker one of ours with a certain loss, a
# silent alias would train something else than was asked for.


_TREES = ", with --ranker boosted (BoostedRanker) for trees"
_PAIRS = "the logistic loss of pairs; the nearest here is ranksvm-l2"
_LISTS = "a cross-entropy over the list; the nearest here is listnet"
_LAMBDAS = "pairs weighted by changes of nDCG, the gradient of no loss; the nearest here is consistent-ndcg@10"
_BOOSTED = "here --ranker boosted (BoostedRanker)"
_XGBOOST = "here --ranker boosted --set library=xgboost (BoostedRanker(library='xgboost'))"

HABITS = {
    "lambdarank": f"LightGBM's lambdarank is {_LAMBDAS}{_TREES}",
    "rank_xendcg": f"LightGBM's rank_xendcg is {_LISTS}{_TREES}",
    "xendcg": f"LightGBM's xendcg is {_LISTS}{_TREES}",
    "rank:ndcg": f"XGBoost's rank:ndcg is {_LAMBDAS}{_TREES}",
    "rank:map": f"XGBoost's rank:map is pairs weighted by changes of AP; the nearest here is svm-map{_TREES}",
    "rank:pairwise": f"XGBoost's rank:pairwise is {_PAIRS}{_TREES}",
    "ranknet": f"RankNet is a network with {_PAIRS}, with --ranker neural (NeuralRanker) for networks",
    "lambdamart": f"LambdaMART is trees by {_LAMBDAS}{_TREES}",
    "mart": "MART is trees by squared errors, here --ranker boosted --loss squared (BoostedRanker('squared'))",
    "yetirank": f"CatBoost's YetiRank is {_LAMBDAS}{_TREES}",
    "yetirankpairwise": f"CatBoost's YetiRankPairwise is {_LAMBDAS}{_TREES}",
    "pairlogit": f"CatBoost's PairLogit is {_PAIRS}{_TREES}",
    "queryrmse": f"CatBoost's QueryRMSE is the squared error within queries; the nearest here is squared{_TREES}",
    "querysoftmax": f"CatBoost's QuerySoftMax is {_LISTS}{_TREES}",
    "approxndcg": "ApproxNDCG is the measure, smoothed; the nearest here is svm-ndcg@10:tight, a bound on 1 − nDCG@10",
    "approx_ndcg_loss": "ApproxNDCG is the measure, smoothed; the nearest here is svm-ndcg@10:tight",
    "softmax_loss": f"TF-Ranking's softmax_loss is {_LISTS}",
    "pairwise_logistic_loss": f"TF-Ranking's pairwise_logistic_loss is {_PAIRS}",
    "pairwise_hinge_loss": "TF-Ranking's pairwise_hinge_loss is ranksvm here",
    "svmrank": "SVMrank is --loss ranksvm:norm here",
    "svmmap": "SVMmap is --loss svm-map here",
    "mse": "the mean squared error is the loss squared here",
    "coordinate-ascent": "there is no coordinate ascent; linear scores by a bound on nDCG are --loss svm-ndcg@10",
    "random-forests": f"there are no random forests; boosted trees are {_BOOSTED}",
    "lightgbm": f"LightGBM's trees are {_BOOSTED}",
    "lgbmranker": f"LightGBM's trees are {_BOOSTED}",
    "xgboost": f"XGBoost's trees are {_XGBOOST}",
    "xgbranker": f"XGBoost's trees are {_XGBOOST}",
    "catboost": f"CatBoost's trees are not among ours; those of LightGBM are {_BOOSTED}",
    **{
        name: f"it is a ranker: --ranker {name}"
        for name in ("adarank", "rankboost", "linear", "kernel", "boosted", "neural", "regression")
    },
}


def habit(name: object) -> str | None:
    """What a name of another package is called here, None if it is none; case and the cutoff do not matter.

    >>> habit("MART")
    "MART is trees by squared errors, here --ranker boosted --loss squared (BoostedRanker('squared'))"
    >>> habit("svm-map")
    """
    return HABITS.get(str(name).lower().partition("@")[0].replace(" ", "-"))
