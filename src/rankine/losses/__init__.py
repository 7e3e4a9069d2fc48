"""Losses: functions of scores, with one value per query and a gradient per document."""

from .base import Loss
from .listwise import ListMLE, ListNet
from .order_preserving import Consistent, Duchi
from .pairwise import PositionSensitive, Preorder, RankSVM, pairwise_errors
from .pointwise import Squared
from .standard_form import standard_form
from .structured.enumerated import SumHinge
from .structured.hinge import StructuredHinge
from .structured.slack import SlackHinge
from .structured.tight import TightHinge
from .table import get, names, resolve

__all__ = [
    "Consistent",
    "Duchi",
    "ListMLE",
    "ListNet",
    "Loss",
    "PositionSensitive",
    "Preorder",
    "RankSVM",
    "SlackHinge",
    "Squared",
    "StructuredHinge",
    "SumHinge",
    "TightHinge",
    "get",
    "names",
    "pairwise_errors",
    "resolve",
    "standard_form",
]
