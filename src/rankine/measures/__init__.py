"""Measures of ranking quality: names, exact tie handling, evaluation, comparison."""

from .compare import Comparison, compare, compare_reports
from .evaluation import Report, evaluate
from .names import Measure, parse
from .run import evaluate_run

__all__ = [
    "Comparison",
    "Measure",
    "Report",
    "compare",
    "compare_reports",
    "evaluate",
    "evaluate_run",
    "parse",
]
