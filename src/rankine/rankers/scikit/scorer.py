"""Measures as scorers of scikit-learn, for ``scoring=`` of searches and of cross-validation."""

from __future__ import annotations

from typing import Any

from ...errors import InputError
from ...measures import Measure, evaluate, parse


class MeasureScorer:
    """A measure that scikit-learn calls as ``scorer(estimator, X, y, qid=qid)``; larger is better."""

    def __init__(self, measure: str | Measure) -> None:
        self.measure = parse(measure)

    def __repr__(self) -> str:
        return f"scorer({str(self.measure)!r})"

    def __call__(self, estimator: Any, X: Any, y: Any, qid: Any = None) -> float:
        """The mean of the measure over the queries, negated if it is an error."""
        if qid is None:
            raise InputError(
                f"{self!r} needs qid, the query id of each row. Searches and cross-validation of scikit-learn pass qid "
                "on with sklearn.set_config(enable_metadata_routing=True)"
            )
        estimator = getattr(estimator, "best_estimator_", estimator)
        final = estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator
        is_ranker = hasattr(type(final), "grades")  # a ranker tells grades from y, and takes query ids
        scores = estimator.predict(X, qid=qid) if is_ranker else estimator.predict(X)
        mean = evaluate(self.measure, final.grades(y) if is_ranker else y, scores, qid).mean[str(self.measure)]
        return -mean if self.measure.is_error else mean

    def get_metadata_routing(self) -> Any:
        """What scikit-learn's metadata routing is to pass to a call."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        request.score.add_request(param="qid", alias=True)
        return request


def scorer(measure: str | Measure) -> MeasureScorer:
    """A measure as a scorer of scikit-learn, with query ids as routed metadata; larger is better, errors are negated.

    It measures every estimator whose ``predict`` gives scores, rankers and others, alone or at the end of a pipeline.

    >>> from rankine import LinearRanker
    >>> X, y, qid = [[0.1], [0.9], [0.4], [0.7]], [0, 1, 1, 0], [1, 1, 2, 2]
    >>> model = LinearRanker(loss="svm-map").fit(X, y, qid=qid)
    >>> scorer("RR")(model, X, y, qid=qid)
    0.75
    """
    return MeasureScorer(measure)
