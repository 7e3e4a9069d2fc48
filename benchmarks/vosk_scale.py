"""The scale of Vosk's scores by which the words of its best paths are right as often as they claim.

``RANKINE_DATA=… python -m benchmarks vosk-scale``. It takes other recordings than the comparison of recognisers does.
The posterior of a word of the best path is the weight of all paths that have this word at about this time, kept within
0.01 and 0.99. The best scale has the largest mean log likelihood of which words are right and which are wrong.
"""

import os

import numpy as np

from rankine.spoken.lattice.edits import right_words
from rankine.spoken.recognise import Vosk
from rankine.spoken.recognise.audio.audio import segments

from .recognisers import recordings
from .timing import heading

SCALES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.5, 2.0)


def has(path: dict, word: dict) -> bool:
    """Whether a path has this word at a time that overlaps with its own."""
    return any(
        other["word"] == word["word"] and min(other["end"], word["end"]) > max(other["start"], word["start"])
        for other in path.get("result", [])
    )


def main() -> None:
    place = os.environ.get("RANKINE_DATA")
    if not place:
        print("vosk-scale: set RANKINE_DATA")
        return
    paths, said = recordings(place, first=1)
    recogniser = Vosk()
    rows: list[tuple[np.ndarray, np.ndarray]] = []  # scores of paths, and which of them have the word
    correct: list[bool] = []
    for path in paths:
        best: list[str] = []
        for result in recogniser._results(next(segments(path, recogniser.rate)).samples):
            alternatives = result["alternatives"]
            scores = np.array([a["confidence"] for a in alternatives])
            for word in alternatives[0].get("result", []):
                rows.append((scores - scores[0], np.array([has(a, word) for a in alternatives])))
                best.append(word["word"])
        correct += right_words(best, said[path.stem])
    heading(f"Scale of Vosk's scores: {len(paths)} recordings, {len(rows):,} words, {np.mean(correct):.1%} right")
    for scale in SCALES:
        weights = [np.exp(scale * scores) for scores, _ in rows]
        p = np.array([w[there].sum() / w.sum() for w, (_, there) in zip(weights, rows, strict=True)]).clip(0.01, 0.99)
        likelihood = np.log(np.where(correct, p, 1 - p)).mean()
        print(f"  scale {scale:.1f}: mean log likelihood {likelihood:.4f}, mean posterior {p.mean():.1%}", flush=True)
