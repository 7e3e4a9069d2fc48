"""The table of losses: every name makes its loss, any other is an error."""

import itertools

import pytest

import rankine as rk
from rankine.losses import get, names, resolve
from rankine.losses.table import TABLE, names_with_constants

VARIANTS = sorted({variant for row in TABLE.values() for variant in row.variants})


def test_a_name_is_accepted_where_it_is_listed():
    """Every row with and without a cutoff and a variant; the loss that is made has the name that was asked for."""
    listed, accepted = set(names()), 0
    for name, cut, variant in itertools.product(TABLE, ("", "@k"), ("", *VARIANTS)):
        form = f"{name}{cut}:{variant}" if variant else f"{name}{cut}"
        asked = form.replace("@k", "@7")
        if form in listed:
            assert get(asked).name == asked
            accepted += 1
        else:
            with pytest.raises(rk.InputError, match="unknown loss"):
                get(asked)
    assert accepted == len(listed) == len(names())


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("svm-mpa", {}, r"unknown loss 'svm-mpa'\. Did you mean 'svm-map'\? There are: svm-ndcg\[@k\], svm-map, "),
        ("svm-ndcg@", {}, "unknown loss"),
        ("svm-ndcg@-1", {}, "unknown loss"),
        ("svm-ndcg@2.5", {}, "unknown loss"),
        ("SVM-MAP", {}, r"unknown loss 'SVM-MAP'\. Did you mean 'svm-map'"),
        ("", {}, "unknown loss ''"),
        (None, {}, "expected the name of a loss, got None"),
        ("svm-ndcg@10", {"k": 3}, "svm-ndcg@10: k is in the name already"),
        ("ranksvm:norm", {"norm": False}, "ranksvm:norm: norm is in the name already"),
        ("ranksvm", {"colour": 1}, "ranksvm: .*colour"),
        ("svm-ndcg@0", {}, "k"),
    ],
)
def test_bad_names_and_options(name, options, message):
    with pytest.raises(rk.InputError, match=message):
        get(name, **options)


def test_the_form_that_fits_is_listed():
    assert "svm-p@k" in names()
    assert "svm-p" not in names()  # precision has a cutoff
    assert "svm-map@k" not in names()
    assert {"preorder:norm", "preorder:norm+dcg"} <= set(names())


def test_a_loss_is_resolved_in_one_place():
    loss = get("svm-map")
    assert resolve(loss) is loss
    assert resolve("ranksvm", {"norm": True}, threads=1).name == "ranksvm:norm"
    for wrong, options, message in (
        (loss, {"A": "yue"}, "given by name"),
        (3, None, "a name or a loss"),
        ("svm-map", [1], "must be a dictionary"),
        ("svm-map", {"A": "learn"}, "LinearRanker only"),
    ):
        with pytest.raises(rk.InputError, match=message):
            resolve(wrong, options)
    for ranker in (rk.LinearRanker, rk.KernelRanker):
        with pytest.raises(rk.InputError, match="given by name"):
            ranker(loss, loss_options={"A": "yue"}).fit([[0.0], [1.0]], [0, 1], qid=[1, 1])


def test_the_table_knows_every_row():
    assert len({row.explanation for row in TABLE.values()}) == len(TABLE)
    assert set(names_with_constants()) <= set(names())
