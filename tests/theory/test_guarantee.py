"""The bounds that apply to a model, against populations whose risk is known."""

import math

import numpy as np
import pytest

import rankine as rk
from rankine.errors import InputError
from rankine.losses import get
from rankine.theory import bounds as b
from rankine.theory import risk_bound, training_bound
from rankine.theory.guarantee import class_of, rademacher

from ..cases import unit_problem

pytestmark = pytest.mark.filterwarnings("ignore::rankine.rankers.training.NothingLearnedWarning")

LOSSES = [
    "position-sensitive", "position-sensitive:norm", "ranksvm", "ranksvm:norm", "svm-ndcg", "svm-ndcg@2", "svm-map",
    "svm-p@2", "svm-rr", "svm-ndcg:tight", "svm-map:tight", "svm-ndcg@3:slack", "sum-ndcg", "sum-map", "softmax-ndcg",
    "softmax-map",
]  # fmt: skip


def test_which_result_applies():
    binary = unit_problem()
    binary = rk.RankingData(binary.X, binary.y > 0, binary.qid)
    full = rk.RankingData(binary.X, np.tile(np.arange(5), 40), binary.qid)

    def names(loss, data):
        return [x.result for x in risk_bound(rk.LinearRanker(loss, C=0.01).fit(data), data).bounds]

    assert names("position-sensitive", binary)[0] == "Corollary 2"
    assert names("position-sensitive", unit_problem())[0] == "Corollary 1"
    assert names("position-sensitive", full)[0] == "Theorem 3"
    assert names("sum-ndcg", full)[0] == "Theorem 4"
    assert names("sum-map", binary)[0] == "Corollary 3"
    assert names("ranksvm", unit_problem())[0] == "Corollary 1, every margin 1"


@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_with_a_result_gets_its_bounds(name):
    data = unit_problem()
    model = rk.LinearRanker(name, C=0.1).fit(data)
    guarantee = risk_bound(model, data, 0.1)
    assert guarantee.n == 40
    assert guarantee.m == 5
    assert guarantee.norm <= guarantee.B
    for bound in guarantee.bounds:
        assert bound.total >= bound.risk >= 0
    measured = rk.evaluate(rk.losses.get(name).measure, data.y, model.predict(data), data.qid)
    if not name.startswith(("position", "ranksvm")):
        assert guarantee.best.risk >= 1 - next(iter(measured.mean.values())) - 1e-9


def test_shares_of_delta_sum_to_at_most_one():
    total = sum(class_of(2.0**j, None, 1.0)[1] for j in range(-20, 200))
    assert 0.9 < total <= 1
    assert class_of(0.3, None, 0.1)[0] == 0.5
    assert class_of(0.3, 0.4, 0.1) == (0.4, 0.1)


def test_rademacher_average_is_the_closed_supremum():
    data = unit_problem(n=6)
    steep = np.linspace(0.5, 2, 6)
    average = rademacher(data, steep, B=2.0, draws=400, seed=1)
    rng = np.random.default_rng(9)
    each = np.repeat(steep, 5)[:, None]
    want = [np.linalg.norm((rng.choice([-1, 1], (30, 1)) * each * data.X).sum(axis=0)) for _ in range(4000)]
    assert average.value == pytest.approx(math.sqrt(2) * 2 / 6 * np.mean(want), abs=5 * average.standard_error)
    largest = math.sqrt(2) * 2 / 6 * math.sqrt((each**2 * data.X**2).sum())  # Jensen
    assert average.value <= largest


def test_held_out_bound():
    data = unit_problem()
    model = rk.LinearRanker("svm-map", C=0.1).fit(data)
    bound = risk_bound(model, unit_problem(seed=5), 0.05, held_out=True).best
    unseen = unit_problem(seed=5)
    measured = rk.evaluate("AP", unseen.y, model.predict(unseen), unseen.qid, empty="one").mean["AP"]
    assert bound.total == pytest.approx(1 - measured + math.sqrt(math.log(20) / 80))


def test_sparse_features_and_normalisers():
    data = unit_problem()
    import scipy.sparse as sp

    sparse = rk.RankingData(sp.csr_array(data.X), data.y, data.qid)
    model = rk.LinearRanker("svm-map", C=0.1).fit(data)
    one, two = risk_bound(model, data), risk_bound(model, sparse)
    assert pytest.approx(two.M) == one.M
    assert one.best.total == pytest.approx(two.best.total)
    scaled = rk.LinearRanker("svm-map", C=0.1, normalise="query-minmax").fit(data)
    assert risk_bound(scaled, data).M <= 2.0  # √4 features in [0, 1]


def test_features_without_a_finite_norm():
    data = unit_problem()
    model = rk.LinearRanker("svm-map").fit(data)
    X = data.X.copy()
    X[7, 1] = 1e200
    with pytest.raises(InputError, match="row 7: the norm of the features is not finite"):
        risk_bound(model, rk.RankingData(X, data.y, data.qid))


def test_queries_without_a_relevant_document_count_alike_everywhere():
    """Where four in five queries have nothing to find, loss, bound and held-out bound speak of the same error."""
    data = unit_problem(n=200)
    y = np.where(data.qid.astype(int) % 5 == 0, data.y, 0)
    sparse = rk.RankingData(data.X, y, data.qid)
    for name in ("svm-map", "svm-map:tight", "svm-p@2:tight", "svm-ndcg:tight"):
        model = rk.LinearRanker(name, C=0.1).fit(sparse)
        guarantee = risk_bound(model, sparse)
        measure = rk.losses.get(name).measure
        scores = model.predict(sparse)
        value = rk.evaluate(measure, y, scores, sparse.qid).per_query[measure]
        best = rk.evaluate(measure, y, y, sparse.qid).per_query[measure]
        error = np.where(best > 0, 1 - value / np.maximum(best, 1e-9), 0).mean()
        assert guarantee.best.risk >= error - 1e-9
        assert "0 for queries whose ranking does not matter" in guarantee.best.of
        assert risk_bound(model, sparse, held_out=True).best.risk <= 0.5
    assert "best possible P@2" in risk_bound(rk.LinearRanker("svm-p@2:tight").fit(data), data).best.of


def test_all_bounds_of_a_model_hold_together():
    """δ is shared out over them: the smallest may be believed."""
    model = rk.LinearRanker("svm-map", C=0.1).fit(unit_problem())
    guarantee = risk_bound(model, unit_problem(), 0.1, B=1.0, M=1.0)
    s = get("svm-map").prepare(unit_problem().y, unit_problem().ptr).constants()
    alone = b.lipschitz(
        guarantee.best.risk, n=40, m=5, l2=float(s.l2.max()), log_largest=s.log_largest(0.0), B=1.0, M=1.0, delta=0.05
    )
    assert guarantee.bounds[0].log_total == pytest.approx(alone.log_total)


def test_bounds_hold_in_samples_from_a_known_population():
    """At most a share δ of samples may violate a bound that we call valid; here the truth is known exactly."""
    from experiments.theory.bounds import LOSSES as tried
    from experiments.theory.bounds import draw

    for loss in tried:
        for seed in range(5):
            sample = draw(loss, 100, seed)
            for name, bound in sample.bounds.items():
                if "not valid" not in name:
                    assert sample.truth[name] <= bound


def fitted(loss):
    return rk.LinearRanker(loss, C=0.1).fit(unit_problem())


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (lambda: fitted("consistent-dcg"), {}, "There are some for"),
        (lambda: fitted("ranksvm-l2"), {}, "no risk bound is known"),
        (lambda: rk.LinearRanker("svm-map"), {}, "fitted linear rankers"),
        (lambda: rk.AdaRank().fit(unit_problem()), {}, "fitted linear rankers, got AdaRank"),
        (lambda: fitted("svm-map"), {"delta": 2.0}, "delta must lie"),
        (lambda: fitted("svm-map"), {"data": unit_problem(d=3)}, "has 4 features, the data has 3"),
        (lambda: fitted("svm-map"), {"B": 1e-9}, "B must be at least"),
        (lambda: fitted("svm-map"), {"M": 0.1}, "the largest norm in the sample"),
    ],
)
def test_bad_input(make, options, message):
    model = make()
    with pytest.raises(InputError, match=message):
        risk_bound(model, **{"data": unit_problem(), **options})


def test_extreme_models_and_data():
    data, model = unit_problem(), fitted("svm-map")
    irrelevant = rk.RankingData(data.X, np.zeros(200), data.qid)
    assert risk_bound(model, irrelevant).best.confidence > 0
    held_out = risk_bound(fitted("consistent-dcg"), data, held_out=True)
    assert held_out.best.of.startswith("expected 1 − nDCG@10")
    huge = risk_bound(model, data, B=1e300, M=1e300)
    assert all(math.isfinite(x.log_total) and x.vacuous for x in huge.bounds)
    model.coef_ = np.array([1024 * (1 + 2**-52), 0, 0, 0])
    assert risk_bound(model, data).B == 2048
    model.coef_ = np.array([1e155, 1e155, 0, 0])
    assert risk_bound(model, data).norm > 1e155
    model.coef_ = np.array([np.inf, 0, 0, 0])
    with pytest.raises(InputError, match="not all finite"):
        risk_bound(model, data)


def documents(*grades, x=None):
    """Queries with these grades; the one feature is the grade, or x."""
    y = np.concatenate(grades).astype(float)
    qid = np.repeat(np.arange(len(grades)), [len(g) for g in grades])
    return rk.RankingData((y if x is None else np.asarray(x, float))[:, None], y, qid)


def test_on_the_training_queries_the_words_name_what_the_number_bounds():
    """One relevant document of eight: P@5 is 0.2 at best, so 1 − P@5 is 0.8, and its share of the best 0."""
    data = documents(*[[1, 0, 0, 0, 0, 0, 0, 0]] * 3)
    for variant in ("", ":tight", ":slack"):
        model = rk.LinearRanker(f"svm-p@5{variant}", C=10).fit(data)
        bound = training_bound(model, data)
        assert bound.of == "1 − P@5 / best possible P@5"
        assert str(bound).startswith(
            "guaranteed: over the 3 training queries that carry information the mean of 1 − P@5"
        )
        assert bound.mean < 0.8


def test_a_training_bound_that_says_nothing_says_so():
    data = documents([1, 0], [0, 1])
    model = rk.LinearRanker("svm-map", C=10).fit(documents([1, 0]))
    model.coef_ = np.zeros(1)
    bound = training_bound(model, data)
    assert bound.vacuous
    assert str(bound).startswith("nothing is guaranteed: over the 2 training queries")


def test_one_query_and_none():
    model = rk.LinearRanker("svm-map", C=10).fit(documents([1, 0]))
    assert "over the 1 training query that carries information" in str(training_bound(model, documents([1, 0])))
    assert training_bound(model, documents([0, 0], [1])) is None
    assert training_bound(rk.LinearRanker("listnet").fit(documents([1, 0])), documents([1, 0])) is None


def test_rounding_in_the_loss_cannot_make_a_training_bound_wrong():
    """Scores of 1e17 swallow the loss of 1; what the ranking is measured to have stands below the bound anyway."""
    data = documents([1, 0, 0], x=[1.0, 2.0, 0.0])
    model = rk.LinearRanker("svm-map", C=10).fit(documents([1, 0]))
    model.coef_ = np.array([1e17])
    assert training_bound(model, data).mean >= 0.5


def test_held_out_words_hold_where_every_ranking_has_the_same_value():
    """Lists no longer than k: P@5 is 0.2 whatever the ranking, and counted so."""
    data = documents(*[[1, 0, 0]] * 30)
    model = rk.LinearRanker("svm-p@5", C=10).fit(data)
    bound = risk_bound(model, data, held_out=True).best
    assert bound.of == "expected 1 − P@5 (0 for queries without a relevant document)"
    assert bound.risk == pytest.approx(0.8)


def test_no_pairs_no_bound_on_pairs():
    """Constants are the sample's; where they are 0 the bound would be 0 for queries to come, whatever those are."""
    model = rk.LinearRanker("ranksvm", C=10).fit(documents([1, 0]))
    with pytest.raises(InputError, match="no query of the data has documents of different grade"):
        risk_bound(model, documents([1, 1], [0]))


@pytest.mark.parametrize("name", ["sum-map", "softmax-ndcg"])
@pytest.mark.filterwarnings("ignore::rankine.rankers.training.LongQueryWarning")
def test_long_queries_are_bounded_by_their_worst_output(name):
    """Nothing published is claimed of them; where outputs are drawn, the guarantee is that of the arg-max hinge."""
    data, options = unit_problem(), {"limit": 4}
    drawn = rk.LinearRanker(f"{name}:sample", C=0.5, loss_options=options).fit(data)
    worst = rk.LinearRanker(name, C=0.5, loss_options=options).fit(data)
    for model in (drawn, worst):
        prepared = get(name, **options).prepare(data.y, data.ptr)
        assert len(prepared.long) > 3
        bound = training_bound(model, data)
        told = prepared.informative
        values = prepared(model.predict(data))[0]
        assert bound.mean == pytest.approx(values[told].mean())
        assert (values >= get(name).bounded.values(model.predict(data), data.y, data.ptr) - 1e-9).all()
        guarantee = risk_bound(model, data)
        assert not any(x.result.startswith(("Theorem", "Corollary")) for x in guarantee.bounds)
        assert f"{len(prepared.long)} of 40 queries are too long for {name}" in guarantee.notes[-1]
    sampled = get(f"{name}:sample", **options, samples=1).value_and_grad(5 * drawn.predict(data), data.y, data.ptr)[0]
    error = get(name).bounded.values(drawn.predict(data), data.y, data.ptr)
    assert (sampled < error - 1e-6).any()  # a sample bounds nothing
