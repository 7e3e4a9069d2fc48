"""What theory guarantees: risk bounds for a model, and which losses lead to which optimal rankings."""

from . import bounds, consistency
from .guarantee import Guarantee, risk_bound
from .standard_forms import StandardForm, standard_form_exists

__all__ = ["Guarantee", "StandardForm", "bounds", "consistency", "risk_bound", "standard_form_exists"]
