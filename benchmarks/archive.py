"""The spoken archive: indexing against real time, search over 100,000 segments, size and quality by pruning."""

import math
import os
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

import rankine as rk
from rankine.experiments.collections import words_of
from rankine.spoken.archive.archive import Archive
from rankine.spoken.archive.examples import examples
from rankine.spoken.index import build
from rankine.spoken.index.build import part_of_parts
from rankine.spoken.index.schema import DOCUMENT_NAME, FORMS, Postings
from rankine.spoken.index.settings import LEVELS, Settings
from rankine.spoken.index.storage import writing
from rankine.spoken.lattice import stretches
from rankine.spoken.lattice.confusion import confusion_network
from rankine.spoken.lattice.formats import read_archive
from rankine.spoken.lattice.lattice import Lattice
from rankine.spoken.lattice.positions import pspl
from rankine.spoken.lattice.posteriors import arc_posteriors, as_scores
from rankine.spoken.learn.judgments import Judged

from .timing import goal, heading

SEGMENTS, COPIES = 100_000, 26


def perturbed(arrays, settings, documents, rng, start):
    """The same postings under other names, with other posteriors."""
    posteriors = {f"{Postings(kind, form).name}.p" for kind in settings.kinds for form in FORMS}
    names = [name for name, _ in DOCUMENT_NAME.write([])]
    for name, array in arrays:
        if name in posteriors:
            noise = rng.normal(0, 0.3 * LEVELS / -np.log(settings.least), len(array))
            yield name, np.clip(array + noise, 0, LEVELS).astype(np.uint16)
        elif name == names[0]:
            yield from DOCUMENT_NAME.write(f"s{start + i:06d}" for i in range(documents))
        elif name not in names:
            yield name, array


def blown_up(small: Archive, place: Path) -> Archive:
    big = Archive.create(place, small.settings)
    part, rng = small.index.parts[0].part, np.random.default_rng(0)
    entries, start = [], 0
    with writing(place) as writer:
        while start < SEGMENTS:
            keep = [np.ones(len(small), np.bool_)] * COPIES
            arrays, meta = part_of_parts([part] * COPIES, keep, small.settings)
            n = COPIES * len(small)
            entries.append(writer.part(perturbed(arrays, small.settings, n, rng, start), meta))
            start += n
        writer.commit(entries)
    began = time.perf_counter()
    big.refresh()
    big.merge()
    print(f"  {len(big):,} segments; merging {len(entries)} parts took {time.perf_counter() - began:.1f} s")
    return big


def two_word_queries(texts: dict[str, list[str]], n: int, rng) -> list[str]:
    pairs = sorted({f"{a} {b}" for t in texts.values() for a, b in pairwise(t) if min(len(a), len(b)) > 3})
    return [pairs[i] for i in rng.choice(len(pairs), n, replace=False)]


def milliseconds(call, items) -> np.ndarray:
    out = []
    for item in items:
        began = time.perf_counter()
        call(item)
        out.append(1e3 * (time.perf_counter() - began))
    return np.array(out)


def searching(big: Archive, texts: dict[str, list[str]]) -> None:
    queries = two_word_queries(texts, 200, np.random.default_rng(1))
    first = milliseconds(lambda q: big.search(q), queries[:1])[0]
    for q in queries[:100]:  # what is read for the first time is checked, and compiled
        big.search(q)
    queries = queries[100:]
    parsed = [big.parse(q) for q in queries]
    found = milliseconds(big.candidates, parsed)
    docs = [big.candidates(q) for q in parsed]
    exact = milliseconds(lambda pair: big.score(*pair), zip(parsed, docs, strict=True))
    whole = milliseconds(lambda q: big.search(q), queries)
    print(f"  first search of a process {first:.0f} ms; whole search, median {np.median(whole):.1f} ms")
    goal("candidates, median ms", np.median(found), 20, at_most=True)
    goal(f"18 weak rankers on {max(map(len, docs)):,} candidates, median ms", np.median(exact), 50, at_most=True)
    goal("the same, 99 of 100 queries, ms", np.percentile(exact, 99), 150, at_most=True)
    everything = np.arange(len(big))
    weights = np.full(18, 1 / 18)
    recall = {10: [], 100: []}
    for query, chosen in list(zip(parsed, docs, strict=True))[:40]:
        scores = big.score(query, everything) @ weights
        for k, out in recall.items():
            least = np.partition(scores, -k)[-k]
            top = np.flatnonzero(scores >= least)
            out.append(np.isin(top, chosen).mean())
    print("  recall of the candidates against scoring everything: " + ", ".join(
        f"{np.mean(v):.3f} at rank {k}" for k, v in recall.items()))  # fmt: skip
    code = (
        "import sys, time; from rankine.spoken import Archive; t = time.perf_counter(); Archive(sys.argv[1]); "
        "print(time.perf_counter() - t)"
    )
    seconds = float(
        subprocess.run([sys.executable, "-c", code, str(big.folder)], capture_output=True, text=True, check=True).stdout
    )
    goal("opening it in a new process, seconds", seconds, 0.2, at_most=True)


def quality(archive: Archive, texts: dict[str, list[str]]) -> str:
    """Mean AP over two-word queries of uniform fusion and of the best weak ranker; relevant is what was really said."""
    queries = {str(i): q for i, q in enumerate(two_word_queries(texts, 300, np.random.default_rng(2)))}
    qrels = {i: {d: 1.0 for d, t in texts.items() if f" {q} " in f" {' '.join(t)} "} for i, q in queries.items()}
    data = archive.features(queries, qrels)
    systems = {"uniform": data.X.mean(axis=1), **{n: data.X[:, i] for i, n in enumerate(archive.ranker_names)}}
    found = {n: float(rk.evaluate("AP", data.y, x, data.qid).mean["AP"]) for n, x in systems.items()}
    best = max(found, key=lambda n: found[n])
    return f"MAP {found['uniform']:.4f} uniform, {found[best]:.4f} {best}, {found['word-cn-2']:.4f} word-cn-2"


def learning(archive: Archive, texts: dict[str, list[str]]) -> None:
    """Weights from 200 queries of two words: mean AP over four folds, and how long `rankine spoken learn` takes."""
    queries = {str(i): q for i, q in enumerate(two_word_queries(texts, 200, np.random.default_rng(2)))}
    qrels = {i: {d: 1.0 for d, t in texts.items() if f" {q} " in f" {' '.join(t)} "} for i, q in queries.items()}
    judged = Judged(queries, qrels)
    examples(archive.index, judged)
    for ranker in ("adarank", "svm-map"):
        began = time.perf_counter()
        trial = archive.learn(judged, ranker, use=False).trial
        took = time.perf_counter() - began
        print("  " + ", ".join(f"{n} {x.mean():.4f}" for n, x in trial.precision.items()), flush=True)
        goal(f"learning by {ranker} from 200 queries, seconds", took, 60, at_most=True)


def one_best_hours(place: Path, vocabulary: list[str]) -> None:
    """Indexing files of words without a pause: an hour, and ten hours."""
    rng, seconds = np.random.default_rng(3), {}
    for hours in (0.1, 1, 10):  # the first compiles
        n = round(9000 * hours)
        words = rng.choice(vocabulary, n)
        source = place / f"{hours}.ctm"
        source.write_text("".join(f"talk 1 {0.4 * i:.2f} 0.4 {w} 0.9\n" for i, w in enumerate(words)))
        archive = Archive.create(place / f"talk-{hours}")
        began = time.perf_counter()
        archive.add(source)
        seconds[hours] = time.perf_counter() - began
        size, n_stretches = archive.index.manifest.size / 1e6, archive.index.n_stretches
        print(
            f"  {n:,} words in one file: {seconds[hours]:.1f} s, {size:.1f} MB, {n_stretches:,} stretches", flush=True
        )
    goal("ten hours of words in one file, against one hour", seconds[10] / seconds[1], 11, at_most=True)


def in_a_row(lattices: list[Lattice]) -> Lattice:
    """Lattices one after the other."""
    units, columns, node, seconds = {}, [], 0, 0.0
    for lattice in lattices:
        number = np.array([*(units.setdefault(u, len(units)) for u in lattice.units), -1])
        columns.append((
            lattice.source + node, lattice.target + node, number[lattice.unit], lattice.acoustic, lattice.language,
            lattice.posterior, lattice.start + seconds, lattice.end + seconds,
        ))  # fmt: skip
        node, seconds = node + lattice.n_nodes - 1, seconds + float(lattice.end.max())
    return Lattice(*map(np.concatenate, zip(*columns, strict=True)), node + 1, tuple(units))


def evidence(lattices: list[Lattice], pairs: set[tuple[str, str]]) -> tuple[float, float, int]:
    """The mean score of pairs of words that were said, in both forms, and the number of entries of PSPL."""
    sums, entries = [dict.fromkeys(pairs, 0.0) for _ in range(2)], 0
    for lattice in lattices:
        posteriors = arc_posteriors(lattice)
        forms = pspl(lattice, posteriors, 1e-3), confusion_network(lattice, "pivot", posteriors)
        entries += len(forms[0])
        for form, out in zip(forms, sums, strict=True):
            at: dict[str, dict[int, float]] = {}
            for position, unit, x in form.triples():
                at.setdefault(unit, {})[position] = x
            for a, b in pairs & {(a, b) for a in at for b in at}:
                out[a, b] += sum(x * at[b].get(p + 1, 0.0) for p, x in at[a].items())
    return *(float(np.mean(np.log1p(list(out.values())))) for out in sums), entries


def greatest_lengths(folder: Path, texts: dict[str, list[str]]) -> None:
    """Utterances joined by twenties, cut into stretches of several greatest lengths."""
    names, lattices = [], []
    for name, lattice in read_archive(folder / "lattices", lower=True):
        names.append(name)
        scored = as_scores(lattice, arc_posteriors(lattice))
        lattices.append(scored.prune(arc_posteriors(scored).posterior, 1e-4))
    groups = [range(i, min(i + 20, len(names))) for i in range(0, len(names), 20)]
    pairs = [{pair for i in group for pair in pairwise(texts[names[i]])} for group in groups]
    rows = {"utterances as they are": [[lattices[i] for i in group] for group in groups]}
    joined = [in_a_row(parts) for parts in rows["utterances as they are"]]
    rows["joined by twenties"] = [[lattice] for lattice in joined]
    usual = stretches.LONGEST_SECONDS, stretches.LONGEST_WORDS
    lost = {}
    for length in ((60.0, 180.0), (30.0, 90.0), (20.0, 60.0), usual, (6.0, 18.0)):
        stretches.LONGEST_SECONDS, stretches.LONGEST_WORDS = length
        name = "in stretches of {:g} s, {:g} words".format(*length)
        rows[name] = [[s.lattice for s in stretches.stretches(lattice)] for lattice in joined]
        lost[name] = np.concatenate([beside(lattice) for lattice in joined])
    stretches.LONGEST_SECONDS, stretches.LONGEST_WORDS = usual
    for name, parts in rows.items():
        found = np.array([evidence(mine, said) for mine, said in zip(parts, pairs, strict=True)])
        mass = f"; lost at a cut {lost[name].mean():.5f}, at most {lost[name].max():.3f}" if name in lost else ""
        print(
            f"  {name:<34} {sum(map(len, parts)):4d}: pairs {found[:, 0].mean():.4f} PSPL, "
            f"{found[:, 1].mean():.4f} CN; {found[:, 2].sum():,.0f} entries{mass}",
            flush=True,
        )


def beside(lattice: Lattice) -> np.ndarray:
    """The mass of the paths beside each node at which a lattice is cut."""
    mass = np.bincount(lattice.target, arc_posteriors(lattice).posterior, lattice.n_nodes)
    return 1 - np.minimum(mass[stretches.cut_nodes(lattice)], 1.0)


def long_utterances(place: Path, folder: Path, texts: dict[str, list[str]]) -> None:
    """What stretches cost and gain."""
    one_best_hours(place, sorted({w for words in texts.values() for w in words}))
    greatest_lengths(folder, texts)
    sizes = {}
    for name, cut in (("whole", lambda lattice: [stretches.Stretch(0.0, math.nan, lattice)]), ("cut", build.stretches)):
        build.stretches, before = cut, build.stretches
        archive = Archive.create(place / name)
        archive.add(folder / "lattices")
        build.stretches = before
        sizes[name] = archive.index.manifest.size
        rows = f"{archive.index.n_stretches} rows, {sizes[name] / 1e6:.2f} MB"
        print(f"  utterances {name}: {rows}; {quality(archive, texts)}")
    goal("size of the index, against that of whole utterances", sizes["cut"] / sizes["whole"], 1.3, at_most=True)


def main() -> None:
    heading("Spoken archive")
    place = os.environ.get("RANKINE_DATA")
    if not place:
        print("  skipped: set RANKINE_DATA to the folder that holds speech/lj")
        return
    folder = Path(place, "speech", "lj")
    texts = {
        line.split("\t")[0]: words_of(line.split("\t", 1)[1])
        for line in (folder / "transcripts.tsv").read_text(encoding="utf-8").splitlines()
    }
    with tempfile.TemporaryDirectory(prefix="rankine-bench-") as temporary:
        seconds = None
        Archive.create(Path(temporary, "warm")).add(folder / "lattices")
        for prune, skip in ((1e-2, 0.0), (1e-3, 0.0), (1e-4, 0.0), (1e-3, 0.05), (1e-3, 0.2)):
            archive = Archive.create(Path(temporary, f"{prune:g}-{skip:g}"), Settings(prune=prune, skip=skip))
            began = time.perf_counter()
            archive.add(folder / "lattices")
            took = time.perf_counter() - began
            size, hours = archive.index.manifest.size, archive.index.seconds / 3600
            print(
                f"  prune {prune:g}, skip {skip:g}: {size / hours / 1e6:.1f} MB an hour; {quality(archive, texts)}",
                flush=True,
            )
            if (prune, skip) == (1e-3, 0.0):
                seconds, kept = took, archive
        goal("indexing, times faster than real time on one core", hours * 3600 / seconds, 50)
        long_utterances(Path(temporary), folder, texts)
        learning(kept, texts)
        searching(blown_up(kept, Path(temporary, "big")), texts)
