"""Structural max-margin losses, which bound one minus a measure: the hinge and what is made from it."""

from .enumerated import SumHinge
from .hinge import StructuredHinge
from .slack import SlackHinge
from .tight import TightHinge

__all__ = ["SlackHinge", "StructuredHinge", "SumHinge", "TightHinge"]
