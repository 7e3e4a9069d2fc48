"""Printed guarantees against the truth: is what `rankine train` and `rankine bound` print true, word for word?

    python -m attacks.guarantees --count 500 --seed 1

Small data, degenerate data too (nothing relevant, one query, all tied), goes through the command line. The quantity is
read from the printed words and computed for the printed model by enumerating rankings, in fractions; ties count as the
mean over all orders that the scores allow. Bounds on queries to come are compared with the expectation over the
population that the queries were drawn from, at δ = 1e-6: by chance less than one in a million may fail.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import numpy as np
from typer.testing import CliRunner

import rankine as rk
from rankine.cli.app import app

from .definitions import prediction_losses

LOSSES = (
    "svm-ndcg", "svm-ndcg@1", "svm-ndcg@3", "svm-ndcg@3:tight", "svm-ndcg@2:slack", "svm-map", "svm-map:tight",
    "svm-map:slack", "svm-p@1", "svm-p@3", "svm-p@5", "svm-p@5:tight", "svm-p@2:slack", "svm-rr", "svm-rr:tight",
    "svm-rr:slack", "sum-ndcg", "sum-ndcg@2", "sum-map", "softmax-ndcg@3", "softmax-map", "ranksvm", "ranksvm:norm",
    "ranksvm-l2", "ranksvm-l2:norm", "position-sensitive", "position-sensitive:norm", "listnet", "consistent-ndcg@2",
)  # fmt: skip
DELTA = 1e-6
Scores = list[list[Fraction]]  # of every query
Quantity = Callable[[list[Fraction], list[Fraction]], Fraction]  # of grades and scores of a query


# What the words say ---------------------------------------------------------------------------------------------------


def quantity(words: str) -> Quantity:
    """The error of a query that these words name; raises where nothing has that name."""
    words = words.removeprefix("expected ")
    form = re.fullmatch(r"(.*?)(?: \((0 for queries .*|the 0–1 error)\))?", words)
    assert form is not None
    stem, counted = form[1], form[2] or ""
    if stem.startswith("1 −"):
        error = _measure_error(stem)
    elif "misordered" in stem:
        error = _pair_error(stem)
    else:
        raise ValueError(f"nothing is called {words!r}")
    if "whose ranking does not matter" in counted:
        return lambda grades, scores: error(grades, scores) if matters(error, grades) else Fraction(0)
    if "without a relevant document" in counted:
        return lambda grades, scores: error(grades, scores) if any(g >= 1 for g in grades) else Fraction(0)
    return error


def matters(error: Quantity, grades: list[Fraction]) -> bool:
    """Whether some ranking is better than another."""
    m = len(grades)
    return len({error(grades, [Fraction(x) for x in order]) for order in permutations(range(m))}) > 1


def _measure_error(stem: str) -> Quantity:
    form = re.fullmatch(r"1 − (nDCG|AP|RR|P)(\(.*\))?(?:@(\d+))?(?: / best possible (P.*))?", stem)
    if form is None or (form[4] is not None and form[4] != stem.split(" / ")[0].removeprefix("1 − ")):
        raise ValueError(f"nothing is called {stem!r}")
    name, k, share = form[1], None if form[3] is None else int(form[3]), form[4] is not None
    of = {"nDCG": "ndcg", "AP": "map", "RR": "rr", "P": "p"}[name]
    o = {"k": k, "gain": "linear" if form[2] == "(dcg='log2')" else "exp"}

    def error(grades: list[Fraction], scores: list[Fraction]) -> Fraction:
        levels = grades if of == "ndcg" else [Fraction(g >= 1) for g in grades]
        if not any(levels):
            return Fraction(1)
        if of == "p" and not share:
            return over_ties(scores, lambda order: 1 - Fraction(sum(levels[i] for i in order[:k])) / k)
        return over_ties(scores, prediction_losses(of, o, levels))

    return error


def over_ties(scores: list[Fraction], lost: Callable[[tuple[int, ...]], Fraction]) -> Fraction:
    """The mean over all orders that the scores allow."""
    orders = [
        order for order in permutations(range(len(scores)))
        if all(scores[a] >= scores[b] for a, b in pairwise(order))
    ]  # fmt: skip
    return sum((lost(order) for order in orders), Fraction(0)) / len(orders)


def _pair_error(stem: str) -> Quantity:
    weighted = "position-weighted" in stem
    share = "share of" in stem or "over the number of pairs" in stem

    def error(grades: list[Fraction], scores: list[Fraction]) -> Fraction:
        levels = sorted(set(grades), reverse=True)
        label = [Fraction(len(levels), levels.index(g) + 1) for g in grades]
        pairs = [(i, j) for i in range(len(grades)) for j in range(len(grades)) if grades[i] > grades[j]]
        total = Fraction(0)
        for i, j in pairs:
            wrong = Fraction(scores[i] < scores[j]) + Fraction(scores[i] == scores[j]) / 2
            total += wrong * (label[i] - label[j] if weighted else 1)
        return total / max(len(pairs), 1) if share else total

    return error


# Data -----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Queries:
    """Queries of a population: features and grades of each; a sample is a list of their numbers."""

    X: list[np.ndarray]
    y: list[np.ndarray]

    def written(self, path: Path, numbers: list[int]) -> Path:
        """A data file with these queries."""
        lines = []
        for q, i in enumerate(numbers):
            for x, g in zip(self.X[i].tolist(), self.y[i].tolist(), strict=True):
                lines.append(f"{g:g} qid:{q} " + " ".join(f"{j}:{v!r}" for j, v in enumerate(x, 1)) + "\n")
        path.write_text("".join(lines))
        return path

    def scored(self, model: Any, path: Path, numbers: list[int]) -> Scores:
        """The model's scores for every query, as it gives them to the file where the query stands in it.

        (Alone or among others the last bits of a product can differ, and with them what is tied.)
        """
        data = rk.load_letor(path)
        scores = model.predict(data)
        out = [model.predict(rk.RankingData(X, y, np.zeros(len(y), int))) for X, y in zip(self.X, self.y, strict=True)]
        for q, i in enumerate(numbers):
            out[i] = scores[data.ptr[q] : data.ptr[q + 1]]
        return [[Fraction(float(s)) for s in own] for own in out]

    def errors(self, scores: Scores, words: str) -> list[Fraction]:
        """The named error of every query, ranked by these scores."""
        error = quantity(words)
        return [error([Fraction(float(g)) for g in y], own) for y, own in zip(self.y, scores, strict=True)]

    def informative(self, words: str) -> list[bool]:
        """Whether the ranking of each query matters."""
        return [matters(quantity(words), [Fraction(float(g)) for g in y]) for y in self.y]

    def worst(self, words: str) -> list[Fraction]:
        """The named error of each query where it is ranked as badly as can be."""
        return [quantity(words)([Fraction(float(g)) for g in y], [Fraction(float(-g)) for g in y]) for y in self.y]


def random_queries(rng: np.random.Generator) -> Queries:
    """A few small queries; sometimes without a relevant document, all tied, or only one."""
    count, top = int(rng.integers(1, 7)), int(rng.integers(1, 4))
    alike = rng.random() < 0.3
    scale = float(10.0 ** rng.integers(-3, 7)) if rng.random() < 0.3 else 1.0
    X, y = [], []
    m, d = int(rng.integers(1, 6)), int(rng.integers(1, 4))
    grades = rng.integers(0, top + 1, m)
    for _ in range(count):
        n = m if alike else int(rng.integers(1, 6))
        g = rng.permutation(grades) if alike else rng.integers(0, top + 1, n)
        if rng.random() < 0.1:
            g = np.full(n, rng.integers(0, 2))
        x = rng.integers(-2, 3, (n, d)).astype(float)
        if rng.random() < 0.8:
            x[:, 0] = g
        X.append(x * scale)
        y.append(g)
    if rng.random() < 0.05:
        y = [np.zeros(len(g), int) for g in y]
    return Queries(X, y)


# The command line -----------------------------------------------------------------------------------------------------


@dataclass
class Report:
    """What was read, and what is wrong."""

    printed: int = 0
    silent: int = 0
    kinds: Counter = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def rankine(*arguments: str) -> tuple[str, str] | None:
    """Standard output and error of a command; None where it refuses its input."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = CliRunner().invoke(app, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        if isinstance(result.exception, ValueError):
            return None
        raise result.exception
    return result.stdout, result.stderr


def check_training(text: str, queries: Queries, numbers: list[int], scores: Scores, report: Report) -> None:
    """The line of `rankine train`, if there is one."""
    lines = [line for line in text.splitlines() if "guarante" in line]
    if not lines:
        report.silent += 1
        return
    pattern = r"guaranteed: over the (\d+) training quer(?:y|ies) that carr(?:y|ies) information the mean of (.*)"
    form = re.fullmatch(pattern + r" is at most (\d+\.\d+)", lines[0])
    if form is None:
        nothing = r"nothing is guaranteed: over the (\d+) training quer.* information the loss does not bound (.*)"
        form = re.fullmatch(nothing, lines[0])
        if form is None:
            report.wrong.append(f"not understood: {lines[0]}")
        report.silent += 1
        return
    report.printed += 1
    report.kinds["train"] += 1
    n, words, most = int(form[1]), form[2], Fraction(form[3])
    errors, told, worst = queries.errors(scores, words), queries.informative(words), queries.worst(words)
    own = [i for i in numbers if told[i]]
    if n == 0 or n != len(own):
        report.wrong.append(f"{lines[0]}: {len(own)} queries carry information")
        return
    truth, largest = sum(errors[i] for i in own) / n, sum(worst[i] for i in own) / n
    if truth > most:
        report.wrong.append(f"{lines[0]}: it is {float(truth)!r}")
    if most >= largest:
        report.wrong.append(f"{lines[0]}: it can be no more than {float(largest)!r} anyway")


def check_bounds(
    out: str,
    err: str,
    queries: Queries,
    numbers: list[int],
    scores: list[list[Fraction]],
    report: Report,
    held_out: bool,
) -> None:
    """The table of `rankine bound`, and its last line, against the expectation over the population.

    What is proved from training queries is said to need queries to come that are no larger than those: where a query
    of the population was not drawn only the mean loss is compared.
    """
    fair = held_out or set(numbers) == set(range(len(queries.X)))
    rows = [line.split("\t") for line in out.splitlines()]
    head = rows[0]
    for row in rows[1:]:
        cells = dict(zip(head, row, strict=True))
        words, bound = cells["what is bounded"], cells["= bound"]
        errors = queries.errors(scores, words)
        report.kinds[f"bound: {cells['result'].split(',')[0]}"] += 1
        if bound.startswith("10^"):
            continue
        report.printed += fair
        truth, seen = sum(errors) / len(errors), sum(errors[i] for i in numbers) / len(numbers)
        if fair and truth > Fraction(bound):
            report.wrong.append(f"{cells['result']}: {words} ≤ {bound}: it is {float(truth)!r}")
        if seen > Fraction(cells["mean loss"]) * (1 + Fraction(1, 10**12)):
            report.wrong.append(f"{cells['result']}: mean loss {cells['mean loss']} of {words}: it is {float(seen)!r}")
        useful = Fraction(bound) < Fraction(cells["the maximum"])
        if useful != (cells["below the maximum"] == "yes") and not _close(bound, cells["the maximum"]):
            report.wrong.append(f"{cells['result']}: {bound} against {cells['the maximum']}, marked the other way")
    said = re.compile(r"With probability (\S+)(?:, if no query to come .*? than these)?: (.*) ≤ (\S+) \((.*)\)\.")
    for form in [form for line in err.splitlines() if (form := said.fullmatch(line)) is not None]:
        report.printed += fair
        report.kinds["bound: sentence"] += 1
        errors = queries.errors(scores, form[2])
        if held_out == ("if no query" in form[0]):
            report.wrong.append(f"{form[0]}: the condition is missing, or too much")
        if fair and sum(errors) / len(errors) > Fraction(form[3]):
            report.wrong.append(f"{form[0]}: it is {float(sum(errors) / len(errors))!r}")
        if Fraction(form[1]) > 1 - Fraction(repr(DELTA)):
            report.wrong.append(f"{form[0]}: δ is {DELTA!r}")


def _close(a: str, b: str) -> bool:
    """Whether two numbers are equal but for the rounding of their print."""
    return abs(Fraction(a) - Fraction(b)) <= Fraction(1, 500) * abs(Fraction(b))


def attack(seed: int, number: int, folder: Path, report: Report) -> None:
    """One population: train on a sample with several losses; with the last one bound on it, and on another one."""
    rng = np.random.default_rng([seed, number])
    queries = random_queries(rng)
    many = number % 23 == 0  # enough queries for a bound that says something
    n = 3000 if many else int(rng.integers(1, 25))
    numbers = rng.integers(0, len(queries.X), n).tolist()
    train, model = queries.written(folder / "train.txt", numbers), folder / "m.json"
    before = len(report.wrong)
    for loss in [LOSSES[(number * 4 + i) % len(LOSSES)] for i in range(4)]:
        C = float(10.0 ** rng.integers(-3, 5)) / (n if many else 1)
        normal = ["--normalise", "query-zscore"] if rng.random() < 0.2 else []
        arguments = [str(train), "--loss", loss, "-C", repr(C), "-o", str(model), "--max-iter", "30", *normal]
        printed = rankine("train", *arguments)
        if printed is not None:
            fitted = rk.load(model)
            scores = queries.scored(fitted, train, numbers)
            check_training(printed[1], queries, numbers, scores, report)
        for i in range(before, len(report.wrong)):
            report.wrong[i] = f"number {number}, {loss}: {report.wrong[i]}"
        before = len(report.wrong)
    if printed is None:
        return
    delta = ["--delta", repr(DELTA)]
    printed = rankine("bound", str(model), str(train), *delta)
    if printed is not None:
        check_bounds(*printed, queries, numbers, scores, report, held_out=False)
    others = rng.integers(0, len(queries.X), int(rng.integers(8, 120))).tolist()
    other = queries.written(folder / "other.txt", others)
    printed = rankine("bound", str(model), str(other), "--held-out", *delta)
    if printed is not None:
        check_bounds(*printed, queries, others, queries.scored(fitted, other, others), report, held_out=True)
    for i in range(before, len(report.wrong)):
        report.wrong[i] = f"number {number}, {loss}: {report.wrong[i]}"


def run(count: int, seed: int, first: int = 0) -> Report:
    """So many printed guarantees."""
    report, number = Report(), first
    with tempfile.TemporaryDirectory() as folder:
        while report.printed < count and number - first < count + 10:
            attack(seed, number, Path(folder), report)
            number += 1
    return report


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="attacks.guarantees", description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=500, help="how many printed guarantees")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first population")
    given = parser.parse_args(arguments)
    began = time.monotonic()
    report = run(given.count, given.seed, given.first)
    for kind, n in sorted(report.kinds.items()):
        print(f"{kind:<40}{n:>8}")
    for line in report.wrong:
        print(f"wrong: {line}")
    print(
        f"{report.printed} printed guarantees, {len(report.wrong)} wrong; "
        f"{report.silent} times nothing was guaranteed; {time.monotonic() - began:.0f} seconds, seed {given.seed}"
    )
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
