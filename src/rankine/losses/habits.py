"""Names of losses and rankers in other packages, and what is nearest to each here.

None of them is a name of ours: where a loss is another function, or a ranker one of ours with a certain loss, a silent
alias would train something else than was asked for.
"""

from __future__ import annotations

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
