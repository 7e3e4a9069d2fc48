"""Files and folders of one's own, for experiments."""

from pathlib import Path

import numpy as np

import rankine as rk
from rankine.sample import judged_set, spoken_sample


def judged_file(folder, n_queries=15, highest=4):
    """A file of judged queries."""
    made = judged_set(n_queries=n_queries)
    data = rk.RankingData(made.X, np.minimum(made.y, highest), made.qid, made.doc_ids)
    rk.save_letor(data, folder / "mine.txt")
    return data


def talks(folder, n=80):
    """A folder of lattices with transcripts."""
    place = folder / "talks"
    (place / "lattices").mkdir(parents=True)
    with spoken_sample() as sample:
        texts = (sample / "sentences.txt").read_text(encoding="utf-8").splitlines()
        names = [f"tape-{i:02d}" for i in range(1, n + 1)]
        for name in names:
            file = sample / "lattices" / f"{name}.slf.gz"
            (place / "lattices" / file.name).write_bytes(file.read_bytes())
    lines = [f"{name}\t{text}" for name, text in zip(names, texts, strict=False)]
    Path(place, "transcripts.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return place
