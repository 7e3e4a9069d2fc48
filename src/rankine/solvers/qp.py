"""The small quadratic programme of the bundle method.

    maximise  bᵀα − ½ αᵀGα   over   α ≥ 0, Σα = C.

An active-set method. On the support S (the entries with α > 0) the maximum under Σα = C alone solves one linear system
with a multiplier μ. If it is feasible it is taken; otherwise α moves towards it until the first entry reaches 0, which
leaves S. On a feasible maximum the gradient g = b − Gα equals μ on S; an entry with a larger g enters. max g·C − gᵀα
bounds what is left to gain and ends the loop. Each step raises the objective, so no support comes twice. A warm start
close to the optimum needs a handful of steps, however badly G is conditioned.
"""

import numpy as np

_RIDGE = 1e-13


def solve_simplex(
    G: np.ndarray, b: np.ndarray, C: float, alpha: np.ndarray, tolerance: float, max_steps: int = 1000
) -> tuple[float, float]:
    """Improve ``alpha`` (feasible, a warm start) in place; returns the objective and a bound on what is left to gain.

    >>> alpha = np.array([1.0, 0.0])
    >>> round(solve_simplex(np.eye(2), np.array([0.0, 0.5]), 1.0, alpha, 1e-12)[0], 6)
    0.0625
    >>> alpha
    array([0.25, 0.75])
    """
    support = np.flatnonzero(alpha > 0)
    ridge = _RIDGE * max(float(np.trace(G)), float(np.abs(b).max()) / C, 1e-300)
    left = np.inf
    for _ in range(max_steps):
        target = _on_support(G, b, C, support, ridge)
        current = alpha[support]
        falling = target <= 0
        if falling.any():
            ratios = current[falling] / np.maximum(current[falling] - target[falling], 1e-300)
            step = min(float(ratios.min()), 1.0)
            moved = current + step * (target - current)
            moved[np.flatnonzero(falling)[ratios <= step]] = 0.0
            alpha[support] = np.maximum(moved, 0.0)
            support = support[moved > 0]
            if step > 0:
                continue
        else:
            alpha[support] = target
        g = b - G @ alpha
        enter = int(np.argmax(g))
        left = C * g[enter] - float(alpha @ g)
        if left <= tolerance or enter in support:
            break
        support = np.append(support, enter)
    alpha *= C / alpha.sum()
    return float(b @ alpha - 0.5 * alpha @ (G @ alpha)), left


def _on_support(G: np.ndarray, b: np.ndarray, C: float, support: np.ndarray, ridge: float) -> np.ndarray:
    """The maximum over the support with Σα = C and signs free."""
    n = len(support)
    system = np.ones((n + 1, n + 1))
    system[:n, :n] = G[np.ix_(support, support)]
    system[np.arange(n), np.arange(n)] += ridge
    system[n, n] = 0.0
    return np.linalg.solve(system, np.append(b[support], C))[:n]
