"""The table of experiments: a row has a line of explanation, an example, and the options of its command.

``python -m experiments NAME``, in a clone also ``rankine experiment NAME``, calls the function ``experiment`` of the
module that the row names with the options of the row as keywords, and prints the :class:`Results` that it returns. To
add an experiment, write its module and its row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from .collections import LETOR_SETS, SPEECH_SETS

if TYPE_CHECKING:
    from rankine.system.report import Section


class Results(NamedTuple):
    """What an experiment prints: tables (with a note each), a note on all of them, and the files of each report."""

    tables: Sequence[Section]
    reports: Sequence[Sequence[Path]] = ()
    note: str = ""


class ExperimentOption(NamedTuple):
    """An option of a command: its name, its type, its default, a line of explanation, and a short form.

    ``Path`` is a folder, which is made if it does not exist.
    """

    name: str
    type: Any
    default: Any
    explanation: str
    short: str = ""


@dataclass(frozen=True)
class Experiment:
    """A row of the table of experiments; ``home`` is its module in this folder."""

    home: str
    explanation: str
    example: str
    options: tuple[ExperimentOption, ...] = ()


_OWN = "or files of your own, which together are one more set, with folds by query"


def _sets(names: Sequence[str], every: Sequence[str], own: str = _OWN) -> ExperimentOption:
    """The option that names several sets, and files of one's own where the experiment can use them."""
    text = f"Any of {', '.join(every)}{', ' if own else ''}{own}; repeat it."
    return ExperimentOption("data", list[str], list(names), text, "-d")


def _output(folder: str) -> ExperimentOption:
    return ExperimentOption("output", Path, folder, "Folder of the report and its pictures.", "-o")


TEMPERATURE = 0.6  # of Whisper's samples
CONDITIONS = ("clean", *(f"{noise} {n} dB" for noise in ("white", "babble") for n in (20, 10, 5, 0)))
_MADE = ("figure-1", "web-1", "web-2")
_WORKERS = ExperimentOption("workers", int | None, None, "Processes; by default one per core.")

TABLE: dict[str, Experiment] = {
    "consistent": Experiment(
        "ranking.consistent",
        "Preorder against consistent pairwise losses: Tables 1 and 2 of Buffoni et al. (2011).",
        "RANKINE_DATA=data rankine experiment consistent -d mq2008",
        (_sets(list(LETOR_SETS), list(LETOR_SETS)),),
    ),
    "letor": Experiment(
        "ranking.letor",
        "All rankers on a LETOR set: train on three fifths of the queries, choose on the fourth, test on the last.",
        "RANKINE_DATA=data rankine experiment letor --data mq2008 -o report",
        (
            ExperimentOption(
                "data", list[str], ["ohsumed"], f"One of {', '.join(LETOR_SETS)}, or files of your own.", "-d"
            ),
            ExperimentOption("folds", str, "1-5", "Which folds: 1-5, or a list such as 1,3."),
            ExperimentOption(
                "ranker", list[str] | None, None, "Only this ranker; may be repeated. By default all.", "-r"
            ),
            ExperimentOption(
                "choose", str, "MAP", "Measure on validation queries that decides: MAP, N@10, MeanNDCG, P@5, …"
            ),
            ExperimentOption("baseline", str, "RankSVM", "The ranker that the others are tested against."),
            _output("letor-report"),
            _WORKERS,
        ),
    ),
    "lattices": Experiment(
        "speech.lattices",
        "Error rates of recogniser lattices: best path, confusion network, oracle; English words, Mandarin characters.",
        "RANKINE_DATA=data rankine experiment lattices",
    ),
    "spoken": Experiment(
        "speech.spoken",
        "Learned fusion of 18 weak rankers on real speech: Figures 1 to 3 and Table 2 of Meng, Lee & Lee.",
        "RANKINE_DATA=data rankine experiment spoken -o report",
        (
            _sets(list(SPEECH_SETS), list(SPEECH_SETS), "or folders of your own, with lattices and transcripts.tsv"),
            ExperimentOption("language", str, "en", "Of folders of your own: en or zh."),
            _output("spoken-report"),
            _WORKERS,
        ),
    ),
    "large-margin": Experiment(
        "ranking.large_margin",
        "SVM-NDCG convex, tight, slack-rescaled, with given and learned position weights: Chapelle, Le & Smola, "
        "Figures 1 and 2. Made sets stand in for the two of web search.",
        "rankine experiment large-margin --data mine.txt -o report",
        (
            _sets([*_MADE, "ohsumed-letor2", "ohsumed", "mq2008"], [*_MADE, *LETOR_SETS]),
            ExperimentOption("scale", float, 1.0, "Share of the queries of web-1 and web-2 that are made."),
            _output("large-margin-report"),
            _WORKERS,
        ),
    ),
    "bounds": Experiment(
        "theory.bounds",
        "Risk bounds against the truth, as Riezler & De Bona ask for: a population whose risk is known exactly.",
        "rankine experiment bounds -o report",
        (
            ExperimentOption("data", list[str], [], "Files of your own, whose queries are then the population.", "-d"),
            _output("bounds-report"),
            ExperimentOption("repetitions", int, 200, "Samples drawn for each number of queries."),
            _WORKERS,
        ),
    ),
    "vocabulary": Experiment(
        "speech.vocabulary",
        "Search for words that were taken out of the recogniser's dictionary: by words, by subwords, by learned "
        "fusion. Recognises half an hour of speech, twice; the lattices stay in the folder of the report.",
        "RANKINE_DATA=data rankine experiment vocabulary -o report",
        (_output("vocabulary-report"), _WORKERS),
    ),
    "search": Experiment(
        "speech.search",
        "The weights that are shipped: learned on all speech at hand, tested on collections that they were not learned "
        "on. Three recognisers hear 20 minutes of speech six times; the lattices stay in the folder of the report.",
        "RANKINE_DATA=data rankine experiment search -o report",
        (_output("search-report"), _WORKERS),
    ),
    "judging": Experiment(
        "speech.judging",
        "What judgments are worth: mean AP on unseen queries by the number of judgments, for places of which rankers "
        "disagree, random ones and the first ones. A judge is simulated from transcripts of LJ and AISHELL.",
        "RANKINE_DATA=data rankine experiment judging -o report",
        (_output("judging-report"), _WORKERS),
    ),
    "hearings": Experiment(
        "speech.hearings",
        "What search gains from hypotheses: Whisper's best text, n-best lists and samples, clean and with noise. Hears "
        "20 minutes of speech 27 times; the lattices stay in the folder of the report.",
        "RANKINE_DATA=data rankine experiment hearings -o report",
        (
            ExperimentOption(
                "condition",
                list[str],
                list(CONDITIONS),
                "Only this condition, such as 'white 5 dB'; may be repeated. By default all.",
                "-c",
            ),
            ExperimentOption("temperature", float, TEMPERATURE, "Of the samples; lattices of each stay."),
            _output("hearings-report"),
            _WORKERS,
        ),
    ),
    "defaults": Experiment(
        "ranking.defaults",
        "Every estimator as it comes beside the best single feature and the defaults until 0.1, on real and made sets.",
        "RANKINE_DATA=data rankine experiment defaults -o report",
        (
            ExperimentOption("quick", bool, False, "One fold of two sets, and small made sets."),
            _output("defaults-report"),
            _WORKERS,
        ),
    ),
    "scorers": Experiment(
        "ranking.scorers",
        "Linear, boosted and neural scorers on our losses beside lambdarank, rank:ndcg and YetiRank (needs catboost "
        "too).",
        "RANKINE_DATA=data rankine experiment scorers -d mq2008 -o report",
        (_sets(["mq2008", "ohsumed"], list(LETOR_SETS)), _output("scorers-report"), _WORKERS),
    ),
    "auto": Experiment(
        "auto.auto",
        "AutoRanker beside LightGBM, XGBoost and CatBoost; its estimate against the truth; random grades; its floor; "
        "its time. Finished jobs stay in the folder of the report: a run that was stopped goes on.",
        "RANKINE_DATA=data rankine experiment auto --part honesty --sets 20 -o report",
        (
            ExperimentOption(
                "part", str, "all", "One of peers, grid, honesty, chance, floors, time; or all but grid: all."
            ),
            _sets(["mq2008", "ohsumed", "ohsumed-letor2"], list(LETOR_SETS), ""),
            ExperimentOption("sets", int, 200, "Sets on which the estimate is compared; half as many random ones."),
            _output("auto-report"),
            _WORKERS,
        ),
    ),
}


def function_of(name: str) -> Callable[..., Results]:
    """The function that runs an experiment; its module is imported only now.

    >>> function_of("large-margin").__module__
    'experiments.ranking.large_margin'
    """
    return module_of(name).experiment


def module_of(name: str) -> ModuleType:
    """The module of an experiment."""
    return import_module(f".{TABLE[name].home}", __package__)
