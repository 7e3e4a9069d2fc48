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
from experiments.collections import words_of
from rankine.spoken.archive import Archive
from rankine.spoken.index import build
from rankine.spoken.index.build import part_of_parts
from rankine.spoken.index.grams import decoded
from rankine.spoken.index.schema import FORMS, RECORDING_NAME, GramPostings, Postings
from rankine.spoken.index.scores import ranker_names
from rankine.spoken.index.settings import LEVELS, Settings
from rankine.spoken.index.storage import writing
from rankine.spoken.lattice import stretches
from rankine.spoken.lattice.confusion import confusion_network
from rankine.spoken.lattice.formats import read_archive
from rankine.spoken.lattice.lattice import Lattice
from rankine.spoken.lattice.positions import pspl
from rankine.spoken.lattice.posteriors import arc_posteriors, as_scores
from rankine.spoken.learn.judgments import Judged
from rankine.spoken.learn.weights import Weights, shipped
from rankine.spoken.query.terms import SpokenQuery
from rankine.spoken.search.ranking import ranked_places
from rankine.spoken.teaching.training_data import examples

from .timing import goal, heading

SEGMENTS, COPIES, LARGE = 100_000, 26, 1_000_000


def perturbed(arrays, settings, recordings, rng, start):
    """The same postings under other names, with other posteriors and counts."""
    posteriors = {f"{Postings(kind, form).name}.p" for kind in settings.kinds for form in FORMS}
    counts = {f"{GramPostings(kind, n).name}.n" for kind, orders in settings.grams.items() for n in orders}
    step = 0.3 / np.diff(np.log(decoded()[:2]))[0]
    names = [name for name, _ in RECORDING_NAME.write([])]
    for name, array in arrays:
        if name in posteriors:
            noise = rng.normal(0, 0.3 * LEVELS / -np.log(settings.least), len(array))
            yield name, np.clip(array + noise, 0, LEVELS).astype(np.uint16)
        elif name in counts:
            yield name, np.clip(array + rng.normal(0, step, len(array)), 0, LEVELS).astype(np.uint16)
        elif name == names[0]:
            yield from RECORDING_NAME.write(f"s{start + i:07d}" for i in range(recordings))
        elif name not in names:
            yield name, array


def blown_up(small: Archive, place: Path, segments: int) -> Archive:
    """Copies of an archive's segments; parts of at most 100,000 are merged."""
    big = Archive.create(place, small.settings)
    part, rng = small.index.parts[0].part, np.random.default_rng(0)
    entries, fresh, start, took = [], [], 0, 0.0
    with writing(place) as writer:
        while start < segments:
            keep = [np.ones(len(small), np.bool_)] * COPIES
            arrays, meta = part_of_parts([part] * COPIES, keep, small.settings)
            n = COPIES * len(small)
            fresh.append(writer.part(perturbed(arrays, small.settings, n, rng, start), meta))
            start += n
            if len(fresh) * n >= min(segments, SEGMENTS):
                began = time.perf_counter()
                opened = [entry.open(place) for entry in fresh]
                keep = [np.ones(n, np.bool_)] * len(opened)
                entries.append(writer.part(*part_of_parts(opened, keep, small.settings)))
                took += time.perf_counter() - began
                writer.commit(entries)
                fresh = []
    big.refresh()
    print(f"  {big.index.places_before[-1]:,} segments in {len(entries)} parts; merging took {took:.1f} s", flush=True)
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


def searching(big: Archive, texts: dict[str, list[str]], median: float, most: float | None) -> list[SpokenQuery]:
    """Whole searches for two words by the shipped weights; the queries."""
    queries = two_word_queries(texts, 200, np.random.default_rng(1))
    first = milliseconds(lambda q: big.search(q), queries[:1])[0]
    for q in queries[:100]:  # what is read for the first time is checked, and compiled
        big.search(q)
    whole = milliseconds(lambda q: big.search(q), queries[100:])
    parsed = [big.parse(q) for q in queries[100:]]
    weights = shipped(big.kinds)
    ranking = milliseconds(lambda q: ranked_places(big.index, q, weights, 10), parsed)
    print(f"  first search of a process {first:.0f} ms; ranking alone, median {np.median(ranking):.1f} ms", flush=True)
    goal("two words, ten hits, exact, median ms", np.median(whole), median, at_most=True)
    if most is not None:
        goal("the same, 99 of 100 queries, ms", np.percentile(whole, 99), most, at_most=True)
    return parsed


def papers_rankers(big: Archive, parsed: list[SpokenQuery]) -> None:
    """Equal weights of the papers' rankers: exact, and by candidates, whose recall is printed."""
    names = ranker_names(big.kinds)
    weights = Weights.of(dict.fromkeys(names, 1 / len(names)), big.ranker_names)
    best = {}
    exact = milliseconds(lambda i: best.__setitem__(i, ranked_places(big.index, parsed[i], weights, 100)), range(40))
    print(f"  the papers' rankers with equal weights, exact: median {np.median(exact):.0f} ms", flush=True)
    for candidates in (1_000, 10_000):
        some = {}
        took = milliseconds(
            lambda i, n=candidates, out=some: out.__setitem__(
                i, ranked_places(big.index, parsed[i], weights, 100, None, n)
            ),
            range(40),
        )
        recall = [
            np.mean([len({p for p, _ in some[i][:k]} & {p for p, _ in best[i][:k]}) / k for i in best])
            for k in (10, 100)
        ]
        print(
            f"  {candidates:,} candidates: median {np.median(took):.0f} ms, recall {recall[0]:.3f} @10, "
            f"{recall[1]:.3f} @100", flush=True,
        )  # fmt: skip


def opening(big: Archive) -> None:
    code = (
        "import sys, time; from rankine.spoken import Archive; t = time.perf_counter(); Archive(sys.argv[1]); "
        "print(time.perf_counter() - t)"
    )
    seconds = float(
        subprocess.run([sys.executable, "-c", code, str(big.folder)], capture_output=True, text=True, check=True).stdout
    )
    goal("opening it in a new process, seconds", seconds, 0.2, at_most=True)


def whole_archives(big: Archive, place: Path) -> None:
    """Packing and unpacking an archive."""
    packing, unpacking = (
        milliseconds(call, [place / "packed.zip"])[0] / 1e3
        for call in (big.pack, lambda path: Archive.unpack(path, place / "again"))
    )
    size, packed = big.index.manifest.size / 1e6, (place / "packed.zip").stat().st_size / 1e6
    print(f"  packing it {packing:.0f} s ({size:,.0f} MB in {packed:,.0f} MB), unpacking {unpacking:.0f} s", flush=True)


def size_of_counts(archive: Archive) -> None:
    """The whole index against what it was without counts of n-grams."""
    places = [place for reader in archive.index.parts for place in reader.part.places.items()]
    sizes = {name: 0 for name, _ in places}
    for name, (kind, _, n) in places:
        sizes[name] += np.dtype(kind).itemsize * n
    counts = sum(size for name, size in sizes.items() if ".gram" in name)
    whole = archive.index.manifest.size
    goal(f"size of the index ({whole / 1e6:.1f} MB), against that without counts", whole / (whole - counts), 1.3, True)


def quality(archive: Archive, texts: dict[str, list[str]]) -> str:
    """Mean AP over two-word queries by the shipped weights and by weak rankers; relevant is what was really said."""
    queries = {str(i): q for i, q in enumerate(two_word_queries(texts, 300, np.random.default_rng(2)))}
    qrels = {i: {d: 1.0 for d, t in texts.items() if f" {q} " in f" {' '.join(t)} "} for i, q in queries.items()}
    data = archive.features(queries, qrels)
    weights = shipped(archive.kinds)
    papers = [data.feature_names.index(name) for name in ranker_names(archive.kinds)]
    systems = {
        "shipped": data.select(list(weights.names)).X @ np.array(weights.values),
        "papers' rankers, equal": data.X[:, papers].mean(axis=1),
        "word-cn-2": data.X[:, archive.ranker_names.index("word-cn-2")],
    }
    means = {n: float(rk.evaluate("AP", data.y, x, data.qid).mean["AP"]) for n, x in systems.items()}
    return "MAP " + ", ".join(f"{mean:.4f} {name}" for name, mean in means.items())


def learning(archive: Archive, texts: dict[str, list[str]]) -> None:
    """Weights from 200 queries of two words: mean AP over four folds, and how long `rankine spoken learn` takes."""
    queries = {str(i): q for i, q in enumerate(two_word_queries(texts, 200, np.random.default_rng(2)))}
    qrels = {i: {d: 1.0 for d, t in texts.items() if f" {q} " in f" {' '.join(t)} "} for i, q in queries.items()}
    judged = Judged(queries, qrels)
    examples(archive.index, judged)
    for ranker in ("adarank", "svm-map"):
        began = time.perf_counter()
        trial = archive.weights.learn(judged, ranker, use=False).trial
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
        archive.lattices.index(source)
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
        archive.lattices.index(folder / "lattices")
        build.stretches = before
        sizes[name] = archive.index.manifest.size
        rows = f"{archive.index.n_stretches} rows, {sizes[name] / 1e6:.2f} MB"
        print(f"  utterances {name}: {rows}; {quality(archive, texts)}")
    goal("size of the index, against that of whole utterances", sizes["cut"] / sizes["whole"], 1.3, at_most=True)


def lj_speech() -> tuple[Path, dict[str, list[str]]] | None:
    """The folder of the set, and its transcripts in words."""
    place = os.environ.get("RANKINE_DATA")
    if not place:
        print("  skipped: set RANKINE_DATA to the folder that holds speech/lj")
        return None
    folder = Path(place, "speech", "lj")
    lines = (folder / "transcripts.tsv").read_text(encoding="utf-8").splitlines()
    return folder, {line.split("\t")[0]: words_of(line.split("\t", 1)[1]) for line in lines}


def main() -> None:
    heading("Spoken archive")
    if (speech := lj_speech()) is None:
        return
    folder, texts = speech
    with tempfile.TemporaryDirectory(prefix="rankine-bench-") as temporary:
        seconds = None
        Archive.create(Path(temporary, "warm")).lattices.index(folder / "lattices")
        for prune, skip in ((1e-2, 0.0), (1e-3, 0.0), (1e-4, 0.0), (1e-3, 0.05), (1e-3, 0.2)):
            archive = Archive.create(Path(temporary, f"{prune:g}-{skip:g}"), Settings(prune=prune, skip=skip))
            began = time.perf_counter()
            archive.lattices.index(folder / "lattices")
            took = time.perf_counter() - began
            size, hours = archive.index.manifest.size, archive.index.seconds / 3600
            print(
                f"  prune {prune:g}, skip {skip:g}: {size / hours / 1e6:.1f} MB an hour; {quality(archive, texts)}",
                flush=True,
            )
            if (prune, skip) == (1e-3, 0.0):
                seconds, kept = took, archive
        goal("indexing, times faster than real time on one core", hours * 3600 / seconds, 50)
        size_of_counts(kept)
        long_utterances(Path(temporary), folder, texts)
        learning(kept, texts)
        big = blown_up(kept, Path(temporary, "big"), SEGMENTS)
        papers_rankers(big, searching(big, texts, 30, 80))
        opening(big)
        whole_archives(big, Path(temporary))


def million() -> None:
    """Search over a million segments: takes 25 GB of disk, and a quarter of an hour."""
    heading("Spoken archive, a million segments")
    if (speech := lj_speech()) is None:
        return
    folder, texts = speech
    with tempfile.TemporaryDirectory(prefix="rankine-bench-") as temporary:
        small = Archive.create(Path(temporary, "small"))
        small.lattices.index(folder / "lattices")
        searching(blown_up(small, Path(temporary, "big"), LARGE), texts, 200, None)
