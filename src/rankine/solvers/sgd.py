r"""Stochastic gradient descent over queries, with averaging (Bottou; Buffoni et al., §6).

A step takes one query: :math:`w \leftarrow w - \eta_t [\lambda (w - w_0) + \nabla \mathrm{loss}_q(w)]` with
:math:`\lambda = 1/(Cn)` and the decreasing step :math:`\eta_t = \eta_0 / (1 + \lambda \eta_0 t)`. :math:`\eta_0` is the
best of several on a sample. What is reported is the average of the points since the end of the first pass; after every
pass it is evaluated in full, which gives the certificate its planes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError
from .certificate import Solution
from .oracle import MinibatchOracle
from .run import Search

_SAMPLE = 300
_TRIALS = tuple(10.0 ** (e / 2) for e in range(-6, 4))


def sgd(oracle: MinibatchOracle, C: float, **options: Any) -> Solution:
    """Minimise ½‖w − w0‖² + C·R(w), R a sum over queries; an iteration is a pass over them.

    Options are those of :class:`Options`. Equal seeds give equal results.
    """
    search = Search(oracle, C, **options)
    rng = np.random.default_rng(search.options.seed)
    n = oracle.n_queries
    shrink = 1 / (C * n)
    w = search.w.copy()
    average, averaged = np.zeros_like(w), 0

    def walk(w: np.ndarray, queries: np.ndarray, eta: float, t: int) -> np.ndarray:
        """Steps over these queries; keeps the running average up to date unless it is a trial."""
        nonlocal average, averaged
        for q in queries.tolist():
            _, grad = oracle.minibatch(w, q, q + 1)
            rate = eta / (1 + shrink * eta * t)
            w = w - rate * (shrink * (w - search.origin) + grad)
            if t >= n:
                averaged += 1
                average = average + (w - average) / averaged
            t += 1
        return w

    try:
        search.see(search.w, *oracle.value_grad(search.w))
        eta = _first_rate(oracle, search, rng, shrink)
        passes = 0
        while not search.finished():
            w = walk(w, rng.permutation(n), eta, passes * n)
            passes += 1
            point = w.copy() if averaged == 0 else average.copy()
            search.see(point, *oracle.value_grad(point))
    except KeyboardInterrupt:
        search.stop()
    return search.solution()


def _first_rate(oracle: MinibatchOracle, search: Search, rng: np.random.Generator, shrink: float) -> float:
    """Of several rates around Polyak's (mean loss over mean squared gradient) the best after a walk over a sample."""
    queries = rng.permutation(oracle.n_queries)[:_SAMPLE].tolist()
    losses = [oracle.minibatch(search.w, q, q + 1) for q in queries]
    squares = sum(float(g @ g) for _, g in losses)
    if squares == 0:
        return 1.0
    polyak = sum(v for v, _ in losses) / squares
    best, rate = np.inf, polyak
    for factor in _TRIALS:
        try:
            risk = _risk_after(oracle, search, queries, factor * polyak, shrink)
        except InputError:  # so long a step that the scores are too large for numbers
            continue
        if risk < best:
            best, rate = risk, factor * polyak
    return rate


def _risk_after(oracle: MinibatchOracle, search: Search, queries: list[int], rate: float, shrink: float) -> float:
    """The objective, over C·n, on these queries after a walk over them with steps of one length."""
    w = search.w
    for q in queries:
        _, grad = oracle.minibatch(w, q, q + 1)
        w = w - rate * (shrink * (w - search.origin) + grad)
    away = w - search.origin
    return sum(oracle.minibatch(w, q, q + 1)[0] for q in queries) / len(queries) + 0.5 * shrink * float(away @ away)
