"""``rankine spoken learn`` and ``rankine spoken weights``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ...data.normaliser_table import TABLE
from ...spoken.learn.table import NEIGHBOURS, RANKERS
from ...system.console import counted, say
from .common import Folder

if TYPE_CHECKING:
    from ...spoken import Archive
    from ...spoken.archive import LearningResult
    from ...spoken.learn.judgments import Judged
    from ...spoken.learn.weights import Weights

_TINY = 0.001
_RANKERS = "; ".join(f"{name}: {row.explanation}" for name, row in RANKERS.items())
_NORMALISERS = ", ".join(name for name, row in TABLE.items() if row.by_query)


def learn(
    archive: Folder,
    queries: Annotated[
        str | None, typer.Option(help="Queries (name, tab, query on each line) instead of the archive's own.")
    ] = None,
    qrels: Annotated[str | None, typer.Option(help="TREC qrels of these queries.")] = None,
    ranker: Annotated[str, typer.Option(help=f"{_RANKERS}; or any loss, `rankine losses` lists them.")] = NEIGHBOURS,
    normalise: Annotated[
        str,
        typer.Option(
            help=f"How scores are normalised within a query: {_NORMALISERS}, for weights of the papers' weak rankers; "
            "none; or auto, what the ranker needs."
        ),
    ] = "auto",
    folds: Annotated[int, typer.Option(help="Number of folds of queries for the test.")] = 4,
    seed: Annotated[int, typer.Option(help="Random seed of the folds.")] = 0,
    plot: Annotated[str | None, typer.Option(help="A picture of the weights: .png, .svg or .pdf.")] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Use the new weights even if they test worse.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only test; leave the archive as it is.")] = False,
    propose: Annotated[
        bool, typer.Option("--propose", help="Store the weights as a candidate; `weights --use ID` keeps it later.")
    ] = False,
    per_query: Annotated[bool, typer.Option("--per-query", help="Also list each query before and after.")] = False,
    name: Annotated[str, typer.Option("--by", help="Your name, noted with the weights.")] = "",
) -> None:
    """Learn from judged queries which evidence to trust, beginning at the shipped weights.

    First the ranker is tested on queries that it has not seen, beside the shipped weights and those in use; then it
    learns from all of them. Search uses the new weights from then on if neither did better in the test. The same
    judgments give the same weights, whichever are in use. With `--propose` nothing is used until you keep it.

    `rankine spoken learn archive/`

    `rankine spoken learn archive/ --propose --per-query --by ann`

    `rankine spoken learn archive/ --queries q.tsv --qrels q.qrels --ranker svm-map --dry-run`
    """
    from ...errors import InputError
    from ...spoken import Archive
    from ...spoken.learn.pictures import draw_weights
    from ...system.figures import check_picture

    if propose and (dry_run or keep):
        raise InputError("--propose excludes --dry-run and --keep")
    judged = _judged(queries, qrels)
    if plot is not None:
        check_picture(plot)
    result = Archive(archive).weights.learn(
        judged, ranker, normalise=None if normalise == "none" else normalise, folds=folds, seed=seed, use=not dry_run,
        keep=keep, propose=propose, by=name,
    )  # fmt: skip
    weights = result.weights
    if result.ignored:
        gone = counted(result.ignored, "judgment")
        say(f"rankine: left out: {gone} of recordings that are no longer in the archive (`judgments --orphans`)")
    _print_result(archive, result, dry_run or propose)
    _print_verdict(result, per_query)
    if plot is not None:
        draw_weights(weights.names, {f"{ranker}, all queries": weights.values}, plot)
    say(_proposed(archive, result) if propose and not result.unchanged else _outcome(archive, result, dry_run))


def _outcome(archive: str, result: LearningResult, dry_run: bool) -> str:
    """What was done with the weights, and why."""
    before, after = result.means
    means = f"mean AP {after:.4f} in the test, {before:.4f} by the weights {result.verdict.baseline}"
    if dry_run:
        return f"{means}; dry run: the archive is as it was"
    if result.unchanged:
        return f"{archive}: nothing changed: the weights in use count all evidence so already: {means}"
    if result.adopted:
        return f"{archive}: search now uses the weights {result.weights.id}: {means}"
    return f"{archive}: the weights in use stay: {means}; --keep uses the new ones all the same"


def _proposed(archive: str, result: LearningResult) -> str:
    """Where a candidate is, and how it is kept."""
    return (
        f"{archive}: the weights {result.weights.id} are a candidate; search is as it was. "
        f"`rankine spoken weights {archive} --use {result.weights.id}` keeps them"
    )


def _print_verdict(result: LearningResult, per_query: bool) -> None:
    """Print what the test says, how the weights change, and perhaps every query."""
    from ...system.console import print_table

    verdict = result.verdict
    if per_query:
        rows = [(q.query, q.text, f"{q.before:.4f}", f"{q.after:.4f}", f"{q.after - q.before:+.4f}")
                for q in verdict.queries]  # fmt: skip
        print_table("Queries", ["query", "text", "before", "after", "change"], rows)
    say(f"against the weights {verdict.baseline}: {verdict}")
    say("; ".join(verdict.words))


def _judged(queries: str | None, qrels: str | None) -> Judged | None:
    """The queries and judgments of files; None: the archive's own."""
    from ...errors import InputError
    from ...spoken.learn.judgments import Judged, read_qrels, read_queries

    if (queries is None) != (qrels is None):
        raise InputError("--queries and --qrels belong together")
    return None if queries is None or qrels is None else Judged(read_queries(queries), read_qrels(qrels))


def _print_result(archive: str, result: LearningResult, dry_run: bool) -> None:
    """Print the test over folds, and the weights where they are used or only looked at."""
    from ...system.console import print_table

    weights, trial = result.weights, result.trial
    note = f"mean AP over {counted(len(trial.in_vocabulary), 'query')}, tested by weights learned on the other folds"
    print_table(f"{archive}: {weights.ranker}", list(trial.columns), trial.table(), note)
    if result.adopted or dry_run:
        print_table("Weights", *_weight_table(weights), f"those of at most {_TINY} are left out")


def _weight_table(weights: Weights) -> tuple[list[str], list[tuple[str, ...]]]:
    """The columns and rows of weights that are not tiny: those of evidence by feature and class of words."""
    from ...spoken.learn.classes import CLASS_HEADS, class_rows
    from ...spoken.learn.weights import is_evidence

    some = {name: w for name, w in weights.by_name.items() if abs(w) > _TINY}
    if all(map(is_evidence, weights.names)):
        return ["feature", *CLASS_HEADS], class_rows(some, "{:+.3f}", "")
    return ["weak ranker", "weight"], [(name, f"{w:+.4f}") for name, w in some.items()]


def weights(
    archive: Folder,
    use: Annotated[
        str | None, typer.Option(help="Use earlier weights by their id, `shipped` ones, or `uniform` ones (equal).")
    ] = None,
    load: Annotated[str | None, typer.Option("--import", help="Use the weights in a file of another archive.")] = None,
    back: Annotated[bool, typer.Option("--back", help="Use the weights that were in use before.")] = False,
    called: Annotated[str, typer.Option("--name", help="A name for the weights that are used now.")] = "",
    by: Annotated[str, typer.Option("--by", help="Your name, noted with the change.")] = "",
) -> None:
    """List the weights that come with Rankine, equal ones, and those that an archive has learned; choose among them.

    Nothing is lost: every set of weights stays, with its name, its date and how it did in its test.

    `rankine spoken weights archive/ --use 1f2e3d4c5b6a --name "autumn" --by ann`

    `rankine spoken weights archive/ --back`

    `rankine spoken weights archive/ --use shipped`

    `rankine spoken weights archive/ --import other/weights/1f2e3d4c5b6a.json`
    """
    from ...errors import InputError
    from ...spoken import Archive
    from ...spoken.index.scores import ranker_names
    from ...spoken.learn.weights import Weights
    from ...system.console import print_table

    if (use is not None) + (load is not None) + back > 1:
        raise InputError("--use, --import and --back exclude each other")
    if called and use is None and load is None:
        raise InputError("--name needs --use or --import")
    opened = Archive(archive)
    if use is not None:
        named = {"shipped": None, "uniform": Weights.equal(ranker_names(opened.kinds))}
        kept = [name for some in opened.weights.kept for name in (some.id, some.name) if name]
        if use not in (names := [*named, *kept]):
            raise InputError(f"no weights are called {use!r}; there are: {', '.join(names)}")
        opened.weights.use(named.get(use, use), called, by)
    if load is not None:
        loaded = Weights.read(load)
        opened.weights.use(loaded, called, by)
        if note := loaded.origin_note(opened.settings.language, opened.kinds):
            say(f"rankine: {note}")
    if back:
        opened.weights.undo(by)
    columns = ["", "id", "ranker", "queries", "MAP in its test"]
    print_table(f"{archive}: weights, * is in use", columns, _history(opened))

    rows = _kept_rows(opened)
    if rows:
        heads = ["id", "name", "time", "by", "judgments", "before", "after", "p", ""]
        print_table("When and from what they were learned", heads, rows)


def _kept_rows(archive: Archive) -> list[tuple[str, ...]]:
    """A row for each set of weights of which it is known when it was stored."""
    rows = []
    for some in archive.weights.kept:
        cells = [some.verdict.get(key) for key in ("before", "after", "p")]
        numbers = [f"{x:.4f}" if isinstance(x, float) else "" for x in cells]
        state = "candidate" if some.candidate else ""
        judged = str(some.weights.provenance.get("judged", ""))
        if some.time:
            rows.append((some.id, some.name, some.time, some.by, judged, *numbers, state))
    return rows


def _history(archive: Archive) -> list[tuple[str, ...]]:
    """A row for the shipped weights, for equal ones, and for each that was ever learned and used."""
    current = archive.weights.learned
    now = "shipped" if current is None else "uniform" if current.ranker == "uniform" else current.id
    rows = [("shipped", "", "", ""), ("uniform", "", "", "")]
    for name in archive.weights.history:
        w = archive.weights.get(name)
        tested = w.provenance.get("MAP", {}).get(w.ranker, float("nan"))
        rows.append((name, w.ranker, str(w.provenance.get("queries", "")), f"{tested:.4f}"))
    return [("*" if row[0] == now else "", *row) for row in rows]


# -- ``rankine spoken hearings``


def hearings(
    archive: Folder,
    learn: Annotated[bool, typer.Option("--learn", help="Learn the weights of all further hearings now.")] = False,
    given: Annotated[
        list[str] | None, typer.Option("--set", help="Give a further hearing a weight: NAME=0.3, or NAME=0 for none.")
    ] = None,
    remove: Annotated[
        list[str] | None, typer.Option(help="Remove a further hearing, with what its recogniser heard.")
    ] = None,
) -> None:
    """List the hearings of an archive: what each recogniser heard, how much it counts in search, and why.

    The score of a place is that of the archive's own hearing, and of each further one times its weight. A weight is
    learned from judged queries where there are at least ten, else from words that several hearings have. Without
    evidence that it helps, a further hearing has the weight 0 and costs nothing.

    `rankine spoken hearings archive/ --learn`

    `rankine spoken hearings archive/ --set whisper=0.3`
    """
    from ...spoken import Archive
    from ...system.console import print_table
    from ...system.progress import bar

    weights = dict(map(_read, given or ()))
    opened = Archive(archive)
    for name in (*weights, *(remove or ())):
        opened.hearings.get(name)  # raises before anything is changed
    for name in remove or ():
        opened.hearings.remove(name)
        say(f"{archive}: the hearing {name} is removed")
    if learn:
        with bar("queries", None) as update:
            opened.hearings.learn(report=lambda name, done, total: update(done, total))
    for name, weight in weights.items():
        opened.hearings.weigh(name, weight)
    print_table(f"{archive}: hearings", ["hearing", "recordings", "weight", "why"], _rows(opened))


def _read(text: str) -> tuple[str, float]:
    """The name and the weight of ``NAME=0.3``."""
    from ...errors import InputError, shorten

    name, _, number = text.partition("=")
    try:
        return name, float(number)
    except ValueError:
        raise InputError(
            f"expected the name of a hearing and its weight, such as whisper=0.3, got {shorten(text)}"
        ) from None


def _rows(archive: Archive) -> list[tuple[str, str, str, str]]:
    """A row for each hearing: its name, how many of the archive's recordings it has, its weight, and why."""
    from ...spoken.hearings.recordings import held_samples

    held = held_samples(archive.folder)
    rows = [("the archive's own", f"{len(held):,}", "1", "it makes the places that hits are")]
    for hearing in archive.hearings.all():
        n = len(held & held_samples(hearing.folder))
        rows.append((hearing.name, f"{n:,}", f"{hearing.weight.weight:g}", str(hearing.weight)))
    return rows
