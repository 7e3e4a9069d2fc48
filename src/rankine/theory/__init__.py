"""What theory guarantees: risk bounds for a model, and which losses lead to which optimal rankings."""

from . import bounds, consistency
from .guarantee import Guarantee, TrainingBound, risk_bound, training_bound
from .standard_forms import StandardForm, standard_form_exists
from .wording import bounded_by

__all__ = [
    "Guarantee",
    "StandardForm",
    "TrainingBound",
    "bounded_by",
    "bounds",
    "consistency",
    "risk_bound",
    "standard_form_exists",
    "training_bound",
]
