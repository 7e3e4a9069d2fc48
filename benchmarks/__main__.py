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
    large_margin,
    metadata,
    pairwise,
    reading,
    recognisers,
    recognition,
    solvers,
    spoken,
    startup,
    times,
    trees,
    vosk_scale,
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
    "adding": adding.main,
    "corrections": corrections.main,
    "recognition": recognition.main,
    "recognisers": recognisers.main,
    "cutting": cutting.main,
    "vosk-scale": vosk_scale.main,
    "times": times.main,
    "calibration": calibration.main,
    "trees": trees.main,
    "startup": startup.main,
}

# run only if named: much disk and time, or real data and a model
BY_NAME = {"archive-million", "recognisers", "cutting", "times", "calibration", "vosk-scale"}

if __name__ == "__main__":
    names = sys.argv[1:] or [name for name in BENCHMARKS if name not in BY_NAME]
    unknown = [n for n in names if n not in BENCHMARKS]
    if unknown:
        sys.exit(f"unknown benchmark {unknown[0]!r}; there are: {', '.join(BENCHMARKS)}")
    for name in names:
        BENCHMARKS[name]()
