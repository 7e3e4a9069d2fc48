"""Losses: functions of scores, with one value per query and a gradient per document."""

from .base import Loss
from .pairwise import pairwise_errors
from .standard_form import standard_form
from .table import get, names, resolve

__all__ = ["Loss", "get", "names", "pairwise_errors", "resolve", "standard_form"]
