"""``rankine train``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ..export.table import TABLE as TARGETS
from ..io.formats import DataReading
from ..rankers.table import TABLE
from ..system.signals import keeping, results_are_whole
from .shared import common as c
from .shared.checks import check_data, refuse_folds
from .shared.parameters import value_of
from .shared.preferences import PreferencesOption, check_preference_measures, preferred

if TYPE_CHECKING:
    from ..data.ranking_data import RankingData

_RANKERS = f"What is trained: {', '.join(TABLE)}. `rankine rankers` explains them. By default auto; linear with --loss."
_MEASURE = (
    "The measure that decides, nDCG@10 by default. With --ranker or --loss, further ones are measured too. "
    "`rankine measures` lists all."
)
_VALID = "Validation data. It is measured, and decides: candidates are judged on it instead of folds."
_FOLDER = "Keeps finished pieces, and gets the leaderboard; a later run goes on from there."
_DEPLOYABLE = f"Only linear models and their fusions: `rankine export` writes them for {', '.join(TARGETS)}."
_PATH = "Try several C, e.g. 1e-4:1e2 (seven powers of ten) or 0.3,0.5; keep the best on --valid."

Output = Annotated[str, typer.Option("-o", "--output", help="Where the model goes, as JSON.")]
Measure = Annotated[list[str] | None, typer.Option("-m", "--measure", help=_MEASURE)]
Valid = Annotated[list[str] | None, typer.Option(help=f"{_VALID} A file, a folder or a pattern; repeat it.")]
FoldCount = Annotated[int | None, typer.Option(help="Folds by query; by default 5.")]
Budget = Annotated[float | None, typer.Option(help="Seconds after which no dear candidate is begun or finished.")]
Seed = Annotated[int | None, typer.Option(help="Of the folds and of all that is random; by default 0.")]
Workers = Annotated[int | None, typer.Option(help="Processes; by default as many as the work needs.")]
Folder = Annotated[str | None, typer.Option(help=_FOLDER)]
Deployable = Annotated[bool, typer.Option("--deployable", help=_DEPLOYABLE)]
CandidateNames = Annotated[
    list[str] | None, typer.Option(help="A candidate to try (`rankine rankers --candidates` lists them); repeat it.")
]
RankerName = Annotated[str | None, typer.Option(help=_RANKERS)]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the ranker; repeat it."),
]
LossName = Annotated[str | None, typer.Option(help="Loss name; `rankine losses` lists all.")]
Weight = Annotated[float | None, typer.Option("-C", help="Weight of the losses against ½‖w‖².")]
Path = Annotated[str | None, typer.Option(help=_PATH)]
Plot = Annotated[str | None, typer.Option(help="With --path: draw validation against C (.png, .svg, .pdf).")]
PositionWeights = Annotated[
    str | None, typer.Option(help="Position weights A of the loss; `rankine losses` lists them.")
]
NormaliserName = Annotated[
    str | None, typer.Option(help=f"Normaliser of the features, kept in the model: {c.NORMALISERS}.")
]
SolverName = Annotated[str | None, typer.Option(help="Solver name, or auto; `rankine solvers` lists all.")]
Schedule = Annotated[
    str | None,
    typer.Option(help="With --solver cutting-plane: improve dual weights after each query, pass, or N queries."),
]
Gap = Annotated[float | None, typer.Option(help="Relative gap to certify.")]
Iterations = Annotated[int | None, typer.Option(help="The most iterations.")]


def command(
    data: c.TrainingData,
    output: Output,
    measure: Measure = None,
    valid: Valid = None,
    folds: FoldCount = None,
    budget: Budget = None,
    seed: Seed = None,
    workers: Workers = None,
    folder: Folder = None,
    deployable: Deployable = False,
    candidate: CandidateNames = None,
    ranker: RankerName = None,
    settings: Settings = None,
    loss: LossName = None,
    weight: Weight = None,
    path: Path = None,
    plot: Plot = None,
    weights: PositionWeights = None,
    normalise: NormaliserName = None,
    solver: SolverName = None,
    schedule: Schedule = None,
    tol: Gap = None,
    max_iter: Iterations = None,
    preferences: PreferencesOption = None,
    reading: DataReading = c.NOTHING_SAID,
) -> None:
    """Learn a ranker: name the measure, get a ranker that is good at it, and be told how good.

    `rankine train train.txt -m nDCG@10 -o model.json`

    `rankine train train.txt --ranker boosted --set n_trees=100 --valid vali.txt -o model.json`

    `rankine train train.txt --loss svm-map --path 1e-4:1e1 --valid vali.txt -o model.json --plot path.png`
    """
    options = {
        "folds": ("--folds", folds), "budget": ("--budget", budget), "seed": ("--seed", seed),
        "workers": ("--workers", workers), "folder": ("--folder", folder),
        "deployable": ("--deployable", deployable or None), "candidates": ("--candidate", candidate),
        "loss": ("--loss", loss), "loss_options": ("--weights", None if weights is None else {"A": weights}),
        "C": ("-C", weight), "normalise": ("--normalise", normalise), "solver": ("--solver", solver),
        "tol": ("--tol", tol), "max_iter": ("--max-iter", max_iter),
        "schedule": ("--schedule", None if schedule is None else value_of(schedule)),
    }  # fmt: skip
    name = ranker or ("auto" if loss is None else "linear")
    task = _task(name, options, settings or [], measure, preferences is not None)
    refuse_folds(valid, {"--folds": folds})
    task = task._replace(path=_path(task, path, plot, valid), plot=plot)
    inputs = [*data, *(valid or []), preferences]
    c.check_output(output, inputs)
    if plot is not None:
        c.check_output(plot, [*inputs, output])
    train = preferred(c.load_data(data, reading), preferences, circles=False)
    held_out = None if valid is None else preferred(c.load_data(valid, reading), preferences)
    check_data(task.estimator, task.measures[0], (c.listed(data), train), (c.listed(valid or []), held_out))
    _train(task, train, held_out, output)


class TrainingTask(NamedTuple):
    """What is trained, the parameters that were given, and the measures: the first decides.

    ``asked`` says whether the user named the measures. ``path`` are values of C to try, ``plot`` is their picture.
    """

    ranker: str
    estimator: Any
    given: dict[str, Any]
    measures: list[str]
    asked: bool
    path: list[float] | None = None
    plot: str | None = None


def _task(
    name: str, options: dict[str, tuple[str, Any]], texts: list[str], measure: list[str] | None, preferences: bool
) -> TrainingTask:
    """The estimator with its parameters, checked, and the measures."""
    from inspect import signature

    from ..errors import InputError
    from ..measures.evaluation import parse_all
    from ..rankers.table import row_of
    from .shared.parameters import given_options, settings

    row = row_of(name)
    kind = row.load()
    names = c.measure_names(measure, c.Gain.exp) if measure else []
    if names:
        parse_all(names)
    if name == "auto" and len(names) > 1:
        raise InputError(f"candidates are judged by one measure, got {', '.join(names)}: `rankine evaluate` has others")
    parameters = signature(kind).parameters
    given = given_options(name, parameters, options)
    if names and "measure" in parameters:
        given["measure"] = names[0]
    given |= settings(kind, texts, given)
    estimator = kind(**given | ({"verbose": True} if name == "auto" and "verbose" not in given else {}))
    estimator.check_parameters()
    own = _own_measures(estimator, preferences)
    check_preference_measures(names, preferences)
    return TrainingTask(name, estimator, given, list(dict.fromkeys(names or own)), bool(names))


def _own_measures(estimator: Any, preferences: bool) -> list[str]:
    """The measure that an estimator is made for, if the files hold its supervision, and further ones to show."""
    from ..errors import InputError
    from ..losses import resolve
    from ..losses.supervision import PREFERENCES, RANKS
    from ..measures import parse

    further = ["nDCG@10", "AP"]
    loss = getattr(estimator, "loss", None)
    if preferences:
        if loss is None or PREFERENCES not in resolve(loss).supervision:
            what = type(estimator).__name__ if loss is None else loss
            raise InputError(f"{what} learns from grades, not from --preferences: use consistent-wpd or duchi")
        return ["WPD"]
    if loss is None:
        return [str(parse(getattr(estimator, "measure", None) or "nDCG@10")), *further]
    of = resolve(loss)
    if of.supervision == (PREFERENCES,):
        raise InputError(f"{loss} learns from a preference graph: pass --preferences FILE")
    if parse(of.measure).supervision == "preferences":
        return further
    return [of.measure] if RANKS in of.supervision else [of.measure, *further]  # of ranks every document is relevant


def _path(task: TrainingTask, path: str | None, plot: str | None, valid: Any) -> list[float] | None:
    """The values of C to try."""
    from ..errors import InputError
    from ..system.figures import check_picture

    if plot is not None and path is None:
        raise InputError("--plot draws a path: pass --path")
    if path is None:
        return None
    if not hasattr(task.estimator, "path"):
        raise InputError(f"--path tries values of C along a path, which the ranker {task.ranker!r} has not")
    if valid is None:
        raise InputError("--path chooses C on validation data: pass --valid")
    if "C" in task.given:
        raise InputError("--path tries several C, and -C gives one: pass one of them")
    if plot is not None:
        check_picture(plot)
    return c.grid_of(path, "--path")


def _train(task: TrainingTask, train: RankingData, valid: RankingData | None, output: str) -> None:
    """Fit, measure, save, and print. The model is on disk before its exports are tried: a converter may fail."""
    from ..rankers.models.provenance import made_by
    from .shared import training as trained

    with made_by(c.command_line()):
        models = _auto(task, train, valid, output) if task.ranker == "auto" else _fitted(task, train, valid, output)
    best, scores = _best(models, task.measures[0], valid)
    sets = {"train": train} if valid is None else {"train": train, "valid": valid}
    names, means = trained.measured(best, sets, task.measures, task.asked)
    floor = trained.floor_line(best, sets, task.measures[0])
    if task.path is not None and task.plot is not None:
        from ..rankers.auto.tuning import draw_path

        draw_path([model.C for model in models], scores, task.measures[0], best.C, task.plot)
    best.save(output)
    keeping(f"the model, in {output}")
    targets = trained.export_line(best) if getattr(best, "deployable", False) else ""
    if task.ranker == "auto":
        trained.print_report(best.report_, best.learned_)
    if task.path is not None:
        trained.print_path(models, scores, task.measures[0])
    trained.print_measures(sets, names, means)
    trained.print_certificate(best, train)
    trained.print_end(floor, output, task.measures[0], targets)


def _auto(task: TrainingTask, train: RankingData, valid: RankingData | None, output: str) -> list[Any]:
    """An AutoRanker; Ctrl-C ends the contest, and the best of the candidates that are finished is fitted."""
    keeping(f"the best of the finished candidates, in {output}")
    try:
        with results_are_whole(False):
            return [task.estimator.fit(train, valid=valid)]
    except KeyboardInterrupt:
        keeping(f"no model, for no candidate was finished; {output} is as it was")
        raise


def _fitted(task: TrainingTask, train: RankingData, valid: RankingData | None, output: str) -> list[Any]:
    """The fitted model, or one for each C; a solver that is stopped has a result, the best so far."""
    from inspect import signature

    solved = hasattr(task.estimator, "tol") and (task.path is None or len(task.path) == 1)
    keeping(f"the best model so far, in {output}" if solved else f"no model, {output} is as it was")
    with results_are_whole(not solved):
        if task.path is not None:
            return list(task.estimator.path(task.path, train))
        stops = valid is not None and "valid" in signature(task.estimator.fit).parameters
        return [task.estimator.fit(train, **({"valid": valid} if stops else {}))]


def _best(models: list[Any], measure: str, valid: RankingData | None) -> tuple[Any, list[float]]:
    """The model that is best at the measure on validation data, and the measure of all; the first without any."""
    from ..measures import evaluate, parse

    if valid is None or len(models) == 1:
        return models[0], [0.0]
    name = str(parse(measure))
    scores = [evaluate(name, m.grades(valid.y), m.predict(valid), valid.qid).mean[name] for m in models]
    return models[scores.index((min if parse(name).is_error else max)(scores))], scores
