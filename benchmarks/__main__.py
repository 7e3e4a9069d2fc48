"""Run all benchmarks, or those named on the command line."""

import sys

from . import (
    adding,
    archive,
    auto,
    boosting,
    calibration,
    corrections,
    cutting,
    evaluation,
    judging,
    large_margin,
    metadata,
    page,
    pairwise,
    positions,
    reading,
    recognisers,
    recognition,
    solvers,
    spoken,
    startup,
    times,
    trees,
    vosk_scale,
    walks,
    web,
)

BENCHMARKS = {
    "reading": reading.main,
    "evaluation": evaluation.main,
    "large-margin": large_margin.main,
    "solvers": solvers.main,
    "pairwise": pairwise.main,
    "boosting": boosting.main,
    "auto": auto.main,
    "spoken": spoken.main,
    "archive": archive.main,
    "archive-million": archive.million,
    "metadata": metadata.main,
    "page": page.main,
    "judging": judging.main,
    "adding": adding.main,
    "corrections": corrections.main,
    "recognition": recognition.main,
    "recognisers": recognisers.main,
    "cutting": cutting.main,
    "vosk-scale": vosk_scale.main,
    "times": times.main,
    "calibration": calibration.main,
    "positions": positions.main,
    "trees": trees.main,
    "startup": startup.main,
    "walks": walks.main,
    "web": web.main,
    "web-small": web.small,
}

# run only if named: much disk and time, or real data and a model, or a browser
BY_NAME = {
    "archive-million", "recognisers", "cutting", "times", "calibration", "positions", "vosk-scale", "page", "web-small",
}  # fmt: skip

if __name__ == "__main__":
    every = "--all" in sys.argv
    names = [word for word in sys.argv[1:] if word != "--all"]
    if every and names != ["recognisers"]:
        sys.exit("--all is an option of recognisers: python -m benchmarks recognisers --all")
    names = names or [name for name in BENCHMARKS if name not in BY_NAME]
    unknown = [n for n in names if n not in BENCHMARKS]
    if unknown:
        sys.exit(f"unknown benchmark {unknown[0]!r}; there are: {', '.join(BENCHMARKS)}")
    for name in names:
        BENCHMARKS[name](**({"every": True} if every else {}))
