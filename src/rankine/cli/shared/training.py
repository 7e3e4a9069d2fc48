"""What ``rankine train`` says of a model that was learned."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from ...system.console import print_table, say

if TYPE_CHECKING:
    from ...data.ranking_data import RankingData
    from ...rankers.auto.leaderboard import AutoReport

Means = dict[str, dict[str, float]]
_WIDE = 10_000  # features
_LARGE = 100_000  # documents


def measured(model: Any, sets: dict[str, RankingData], names: list[str], asked: bool) -> tuple[list[str], Means]:
    """The measures that are shown, and their means on each data set.

    Measures that were not asked for are left out where the grades do not suit them.
    """
    from ...errors import InputError
    from ...measures import evaluate
    from ...rankers.training import nothing_to_learn

    def means(names: list[str]) -> Means:
        return {
            label: evaluate(names, model.grades(data.y), model.predict(data), data.qid).mean
            for label, data in sets.items()
        }

    if not asked:
        train = sets["train"]
        grades = model.grades(train.y)
        names = [*names[:1], *(name for name in names[1:] if not nothing_to_learn(grades, train.ptr, name))]
    try:
        return names, means(names)
    except InputError:
        if asked or len(names) == 1:
            raise
    return names[:1], means(names[:1])


def floor_line(model: Any, sets: dict[str, RankingData], measure: str) -> str:
    """What the best single feature reaches; empty where there is none to compare with.

    The feature is chosen on some of the queries where data is large. Very wide data gets no such line.
    """
    from ...errors import InputError
    from ...measures import evaluate
    from ...rankers import SingleFeature
    from ...rankers.auto.report_text import feature_name

    train = sets["train"]
    if train.n_features > _WIDE:
        return ""
    graded = type(train).from_valid(train.X, model.grades(train.y), train.qid, None, train.feature_names)
    every = -(-train.n_documents // _LARGE)
    try:
        some = graded if every == 1 else graded.subset(range(0, graded.n_queries, every))
        single = SingleFeature(measure, both_signs=True).fit(some)
        means = {
            label: evaluate([measure], model.grades(data.y), single.predict(data), data.qid).mean
            for label, data in sets.items()
        }
    except InputError:
        return ""
    values = ", ".join(f"{next(iter(mean.values())):.4f} on {label}" for label, mean in means.items())
    return f"the best single feature, {feature_name(single, train)}, has {measure} {values}"


def print_report(report: AutoReport, learned: bool) -> None:
    """The leaderboard and what there is to say; that nothing was learned comes first."""
    lines = list(report.lines)
    if not learned:
        say(lines.pop(0))
    if report.rows:
        print_table("Leaderboard", *report.table())
    for line in lines:
        say(line)


def print_path(models: list[Any], scores: list[float], measure: str) -> None:
    """The table of the values of C that were tried."""
    from ...theory.wording import digits_up

    rows = [
        (f"{model.C:g}", f"{model.objective_:.5g}", digits_up(model.gap_, 2), model.n_iter_, f"{score:.4f}")
        for model, score in zip(models, scores, strict=True)
    ]
    print_table(f"{measure} on validation data", ["C", "objective", "gap", "iterations", measure], rows)


def print_measures(sets: dict[str, RankingData], names: list[str], means: Means) -> None:
    """The measures on each data set."""
    from ...measures.evaluation import gain_note, parse_all, uncounted_note, written

    parsed = parse_all(names)
    rows = [
        (label, data.n_queries, *map(written, means[label].values(), parsed.values())) for label, data in sets.items()
    ]
    note = " ".join(filter(None, [gain_note(parsed), uncounted_note(parsed, sets["train"].y)]))
    print_table("Measures", ["data", "queries", *names], rows, note)


def print_certificate(model: Any, train: RankingData) -> None:
    """What was proved of the objective, and what is guaranteed on the training data, of models that have such."""
    from ...rankers import LinearRanker
    from ...theory import training_bound

    if hasattr(model, "gap_"):
        loss = model.check_parameters()
        sampled = getattr(loss, "long", None) == "sample" and loss.remark(train.y, train.ptr, train.query_ids)
        of = " (of the sampled problem, as the gap is)" if sampled else ""
        say(f"objective {model.objective_:.6g}{of}, {_certified(model)} in {model.n_iter_} iterations")
    bound = training_bound(model, train) if isinstance(model, LinearRanker) else None
    if bound is not None:
        say(str(bound))


def export_line(model: Any) -> str:
    """Which targets a deployable model can be exported to: each export is tried."""
    from ...export import tried_targets

    written, missing = tried_targets(model)
    untried = f"; {', '.join(missing)} needs packages that are not installed, and was not tried" if missing else ""
    return f"rankine export can write it for {', '.join(written)}{untried}"


def print_end(floor: str, output: str, measure: str, targets: str) -> None:
    """The floor, where the model is, and what can be done with it; ``targets`` is a line about exporting it."""
    if floor:
        say(floor)
    say(f"model written to {output}")
    name = shlex.quote(output)
    graph = " --preferences test.csv" if measure.startswith("WPD") else ""
    judge = f"rankine evaluate test.txt {name}{graph} -m {shlex.quote(measure)}"
    say(f"to judge it on queries that it has not seen: {judge}")
    say(f"to rank with it: rankine rank {name} new.txt -o new.run")
    if targets:
        say(targets)


def _certified(model: Any) -> str:
    """What was proved of the objective, in words."""
    from ...theory.wording import decimals_up

    if not model.check_parameters().convex:
        end = "where it falls no more" if model.converged_ else "where it was still falling"
        return (
            f"{end}, not certified (the loss is not convex: nothing is known of the least but that it is not below 0),"
        )
    gap = decimals_up(100 * model.gap_, 2)
    if model.converged_:
        return f"certified to within {gap}%"
    return f"not certified to the {model.tol:.2g} asked for, only to within {gap}%,"
