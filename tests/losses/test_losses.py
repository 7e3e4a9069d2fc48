"""The classes of losses are names of the room."""

import pytest

from rankine import losses


@pytest.mark.parametrize(
    ("name", "class_name"),
    [
        ("svm-map", "StructuredHinge"), ("svm-map:tight", "TightHinge"), ("svm-map:slack", "SlackHinge"),
        ("sum-map", "SumHinge"), ("ranksvm", "RankSVM"), ("position-sensitive", "PositionSensitive"),
        ("preorder", "Preorder"), ("consistent-ndcg", "Consistent"), ("duchi", "Duchi"), ("listnet", "ListNet"),
        ("listmle", "ListMLE"), ("squared", "Squared"),
    ],
)  # fmt: skip
def test_a_class_and_its_name(name, class_name):
    assert type(losses.get(name)) is getattr(losses, class_name)
    assert class_name in losses.__all__
