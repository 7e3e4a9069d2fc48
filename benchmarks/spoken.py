"""Lattices: parsing against a plain Python loop, posteriors, PSPL and confusion networks in links per second."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from rankine.spoken import arc_posteriors, confusion_network, pspl, read_lattice
from rankine.spoken.lattice.formats import TABLE, Piece, Reading
from rankine.spoken.lattice.hypotheses import network_of_list

from .timing import best_times, goal, heading


def plain_loop(files: list[Path]) -> int:
    """Every line split and every number read with float(): what a script would do."""
    links = 0
    for path in files:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                if line.startswith("J="):
                    {key: float(value) for key, value in (part.split("=") for part in line.split())}
                    links += 1
                elif line.startswith("I="):
                    dict(part.split("=", 1) for part in line.split())
    return links


def peak_memory(n: int) -> float:
    """Megabytes that a process needs for the PSPL of the first n lattices, one after the other."""
    code = (
        "import os, resource; from itertools import islice; from pathlib import Path\n"
        "from rankine.spoken import pspl, read_archive\n"
        "place = Path(os.environ['RANKINE_DATA'], 'speech', 'lj', 'lattices')\n"
        f"for _, x in islice(read_archive(place), {n}): pspl(x, prune=1e-4)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


def nbest_lists(folder: Path) -> None:
    """n-best lists: words and posteriors against what SRILM printed, and how long a list of 2,000 takes."""
    heading("Spoken: twelve n-best lists, and what SRILM printed for them")
    words, posteriors = (
        {line.split()[0]: line.split()[1:] for line in (folder / name).read_text(encoding="utf-8").splitlines()}
        for name in ("consensus.txt", "posteriors.txt")
    )
    same, n, apart = 0, 0, 0.0
    for path in sorted(folder.glob("*.nbest")):
        network, printed = confusion_network(read_lattice(path)), words[path.stem]
        best = network.best_entries()
        same += sum(a == b for a, b in zip(network.best(), printed, strict=True))
        n += len(printed)
        theirs = np.array(posteriors[path.stem], float)
        apart = max(apart, float(np.abs(network.posterior[best] - theirs).max()))
    print(f"  {same} of {n} words are the same")
    goal("largest difference of posteriors, thousandths", 1000 * apart, 1, at_most=True)
    largest = max(folder.glob("*.nbest"), key=lambda path: path.stat().st_size)
    lattice = TABLE["nbest"].parse(Piece("u", "nbest", str(largest)), Reading())
    best = best_times(
        {
            "read": lambda: read_lattice(largest),
            "network": lambda: network_of_list(lattice, arc_posteriors(lattice)),
        },
        rounds=5,
    )
    print(f"  {int((lattice.source == 0).sum()):,} hypotheses, {len(lattice):,} words and pauses; one core")
    goal("network of the hypotheses, milliseconds", 1000 * best["network"], 50, at_most=True)
    goal("reading the list and making its network, milliseconds", 1000 * best["read"], 500, at_most=True)


def main() -> None:
    place = os.environ.get("RANKINE_DATA")
    if not place:
        heading("Spoken")
        print("  skipped: set RANKINE_DATA to the folder that holds speech/lj")
        return
    nbest_lists(Path(place, "speech", "srilm-nbest"))
    files = sorted(Path(place, "speech", "lj", "lattices").iterdir())
    heading("Spoken: 385 English lattices of PocketSphinx")
    some = files[:60]
    read_lattice(some[0])
    best = best_times({"plain": lambda: plain_loop(some), "ours": lambda: [read_lattice(f) for f in some]}, rounds=5)
    goal("parsing SLF.gz, faster than a plain Python loop", best["plain"] / best["ours"], 10)
    peaks = [peak_memory(n) for n in (40, len(files))]
    print(f"  PSPL one after the other: peak memory {peaks[0]:.0f} MB for 40 lattices, {peaks[1]:.0f} MB for all")
    goal("memory for all lattices over that for forty", peaks[1] / peaks[0], 1.3, at_most=True)
    lattices = [read_lattice(f) for f in files]
    links = sum(map(len, lattices))
    found = [arc_posteriors(x) for x in lattices]
    pspl(lattices[0], found[0])
    confusion_network(lattices[0], posteriors=found[0])
    best = best_times(
        {
            "pspl": lambda: [pspl(x, arc_posteriors(x), prune=1e-6) for x in lattices],
            "cn": lambda: [confusion_network(x, posteriors=arc_posteriors(x)) for x in lattices],
        },
        rounds=3,
    )
    print(f"  {links:,} links; one core")
    goal("forward–backward and PSPL, million links a second", links / best["pspl"] / 1e6, 1.0)
    goal("confusion networks (pivot), million links a second", links / best["cn"] / 1e6, 0.3)
    small = [x.prune(p.posterior, 1e-4) for x, p in zip(lattices[:60], found[:60], strict=True)]
    confusion_network(small[0], "mangu")
    best = best_times({"mangu": lambda: [confusion_network(x, "mangu") for x in small]}, rounds=2)
    rate = sum(map(len, small)) / best["mangu"] / 1e6
    goal("confusion networks (Mangu) after pruning at 1e-4, million links", rate, 0.03)
