"""Writes docs/_static/lattice.png and network.png: a lattice made by hand, and its confusion network."""

from pathlib import Path

import numpy as np

from rankine.spoken import Lattice, arc_posteriors, confusion_network
from rankine.spoken.lattice.pictures import draw_lattice, draw_posteriors

ARCS = [
    (0, 1, "how", 0.9, 0.00, 0.22), (0, 1, "now", 0.1, 0.00, 0.22), (1, 2, "to", 0.85, 0.22, 0.35),
    (1, 2, "two", 0.15, 0.22, 0.35), (2, 5, "recognise", 0.55, 0.35, 0.98), (2, 3, "wreck", 0.45, 0.35, 0.62),
    (3, 4, "a", 0.9, 0.62, 0.68), (3, 4, "an", 0.1, 0.62, 0.68), (4, 5, "nice", 0.8, 0.68, 0.98),
    (4, 5, "ice", 0.2, 0.68, 0.98), (5, 6, "speech", 0.6, 0.98, 1.45), (5, 6, "beach", 0.35, 0.98, 1.45),
    (5, 6, "peach", 0.05, 0.98, 1.45), (6, 7, "with", 1.0, 1.45, 1.62), (7, 8, "common", 0.7, 1.62, 1.98),
    (7, 8, "calm", 0.3, 1.62, 1.98), (8, 9, "sense", 0.65, 1.98, 2.40), (8, 9, "scents", 0.35, 1.98, 2.40),
]  # fmt: skip

if __name__ == "__main__":
    place = Path(__file__).parents[2] / "docs" / "_static"
    lattice = Lattice.from_arcs([(u, v, w, np.log(p), s, e) for u, v, w, p, s, e in ARCS], 0, 9, "an example")
    posteriors = arc_posteriors(lattice)
    draw_lattice(lattice, posteriors, place / "lattice.png")
    draw_posteriors(confusion_network(lattice, posteriors=posteriors), place / "network.png")
