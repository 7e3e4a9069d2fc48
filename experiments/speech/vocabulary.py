"""Words that the recogniser does not know, for real: recognised with them taken out of its dictionary.

Declared before it was run: the English audio (chapter 1). Queries are the single words that occur in at least
three transcripts, are no stop words and are in the recogniser's dictionary. Every third of them in alphabetical order,
beginning with the first, is taken out of the dictionary, and everything is recognised; once more with all words, for
comparison. A recording is relevant if its transcript contains the query. Four folds of queries; systems are equal
weights (normalised within a query) and SVM-MAP over the weak rankers of words, of phones and syllables, and of all.
"""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from rapidfuzz.distance import Levenshtein

from rankine.data.ranking_data import RankingData
from rankine.errors import InputError
from rankine.spoken.archive import create_or_open
from rankine.spoken.index.about import read_about
from rankine.spoken.index.scores import ranker_names
from rankine.spoken.lattice.units.english import cmu_file
from rankine.spoken.learn.judgments import Judged
from rankine.spoken.learn.learning import Examples, make_ranker
from rankine.spoken.learn.weights import normalised
from rankine.spoken.recognise.run import TABLE, PocketSphinx, recognise
from rankine.spoken.teaching.training_data import examples
from rankine.spoken.text import STOP_WORDS
from rankine.system.progress import bar
from rankine.system.report import Section, write, write_page

from ..collections import speech_folder, transcripts, words_of
from ..table import Results

LEAST, FOLDS, SEED = 3, 4, 0
SYSTEMS = ("words, equal", "subwords, equal", "all, equal", "words, SVM-MAP", "subwords, SVM-MAP", "all, SVM-MAP")


@dataclass(frozen=True)
class VocabularyTrial:
    """One vocabulary: word error rate, and AP of every query by every system."""

    label: str
    errors: float
    queries: tuple[str, ...]
    precision: dict[str, np.ndarray]


def _audio() -> tuple[Path, dict[str, list[str]]]:
    """The folder of the recordings, and the words of those that are there."""
    audio = speech_folder("lj") / "audio"
    names = {p.stem for p in audio.glob("*.flac")}
    return audio, {u: words_of(t) for u, t in transcripts("lj").items() if u in names}


def query_words(texts: dict[str, list[str]]) -> list[str]:
    """The declared queries, in alphabetical order."""
    dictionary = {line.split()[0] for line in open(cmu_file(), encoding="utf-8")}
    counts = Counter(w for text in texts.values() for w in set(text))
    return sorted(w for w, n in counts.items() if n >= LEAST and w not in STOP_WORDS["en"] and w in dictionary)


def run(
    folder: Path, workers: int, report: Callable[[float, float], None] = lambda done, total: None
) -> list[VocabularyTrial]:
    """Recognise with and without the words, index, cross-validate; lattices stay in ``folder``."""
    audio, texts = _audio()
    queries = query_words(texts)
    removed = tuple(queries[::3])
    judged = Judged({w: w for w in queries}, {w: {u: 1.0 for u, t in texts.items() if w in t} for w in queries})
    out = []
    for label, without in (("all words", ()), ("without a third of the queries", removed)):
        place = folder / ("whole" if not without else "without")
        lattices = place / "recognised"
        done = recognise([audio], lattices, PocketSphinx(without=without), workers=workers, report=report)
        if done.errors:
            raise InputError(f"{len(done.errors)} recordings could not be recognised: {done.errors[0]}")
        archive = create_or_open(place / "archive", "en", None, None, None)
        archive.lattices.index(lattices, read_about(lattices / TABLE), workers=workers)
        judged_data = examples(archive.index, judged, recordings=True)
        out.append(
            VocabularyTrial(label, word_errors(lattices, texts), *_trial(judged_data, ranker_names(archive.kinds)))
        )
    return out


def word_errors(lattices: Path, texts: dict[str, list[str]]) -> float:
    """The word error rate of the recogniser's own best words, which it has left in its files."""
    wrong = total = 0
    for utterance, text in texts.items():
        path = lattices / f"{utterance}.slf.gz"
        head = gzip.decompress(path.read_bytes()).split(b"\n", 1)[0].decode() if path.exists() else ""
        wrong += Levenshtein.distance(words_of(head.partition(":")[2]), text)
        total += len(text)
    return wrong / total


def _trial(judged_data: Examples, names: list[str]) -> tuple[tuple[str, ...], dict[str, np.ndarray]]:
    """AP of every query by every system, each query tested by what was learned without it."""
    data = judged_data.data
    words = [n for n in names if n.startswith("word-")]
    columns = {"words": words, "subwords": [n for n in names if n not in words], "all": names}
    number = {str(q): i for i, q in enumerate(data.query_ids)}
    precision = {s: np.zeros(data.n_queries + len(judged_data.lost)) for s in SYSTEMS}
    for train, test in data.folds(FOLDS, SEED):
        at = [number[str(q)] for q in test.query_ids]
        for system in SYSTEMS:
            which, how = system.split(", ")
            precision[system][at] = judged_data.average_precision(test, _scores(train, test, columns[which], how))
    return (*map(str, data.query_ids), *judged_data.lost), precision


def _scores(train: RankingData, test: RankingData, columns: list[str], how: str) -> np.ndarray:
    small = test.select(columns)
    if how == "equal":
        return normalised(small, "query-minmax").sum(axis=1)
    training = train.select(columns)
    return make_ranker("svm-map", training, "query-minmax", seed=SEED).fit(training).predict(small)


def rows(outcomes: list[VocabularyTrial]) -> list[tuple[str, ...]]:
    """Vocabulary, queries, and MAP of every system."""
    removed = set(query_words(_audio()[1])[::3])
    out = []
    for o in outcomes:
        inside = np.array([q not in removed for q in o.queries])
        for label, subset in (("kept", inside), ("taken out", ~inside)):
            means = (f"{o.precision[s][subset].mean():.4f}" for s in SYSTEMS)
            out.append((o.label, f"{o.errors:.1%}", f"{label} ({subset.sum()})", *means))
    return out


COLUMNS = ("dictionary", "word errors", "queries", *SYSTEMS)


def sections(outcomes: list[VocabularyTrial]) -> list[Section]:
    """The report."""
    _, texts = _audio()
    text = (f"{len(texts)} utterances, {len(outcomes[0].queries)} queries of one word. Mean AP over four folds of "
            "queries; word errors are those of the recogniser's own best words.")  # fmt: skip
    return [Section("Words that the recogniser does not know", text, COLUMNS, rows(outcomes))]


def experiment(output: Path, workers: int) -> Results:
    """Recognise, index and cross-validate; write the report and the lattices into ``output``."""
    output.mkdir(parents=True, exist_ok=True)
    with bar("recognising", None, unit="seconds") as update:
        trials = run(output, workers, lambda done, total: update(round(done), round(total)))
    report = sections(trials)
    return Results([replace(report[0], text="")], [write(report, output)])


def make(folder: Path, work: Path, workers: int) -> None:
    """Run everything; write the page that the documentation includes into ``folder``."""
    write_page(sections(run(work, workers)), folder, "vocabulary", level=2)
