"""Structural max-margin losses, which bound one minus a measure: the hinge and what is made from it."""
