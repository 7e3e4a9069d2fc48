"""The jobs of a tuning run: a key changes with what the result depends on."""

import hashlib
import json

from rankine.losses.pairwise import RankSVM
from rankine.rankers.jobs import TuningJob, plain


def job(loss):
    return TuningJob("LinearRanker", {"loss": loss, "seed": 0}, [0.1, 1.0], 0, "KendallTau", "data")


def key_of_the_release_before(job):
    content = [job.kind, job.params, job.path, job.fold, job.measure, job.data]
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=plain).encode()).hexdigest()[:24]


def test_results_that_were_measured_on_ranks_do_not_count():
    for loss in ("ranksvm", "svm-ndcg@10", "consistent-ndcg:norm", None):
        assert job(loss).key == key_of_the_release_before(job(loss))
    assert job("consistent-rank").key != key_of_the_release_before(job("consistent-rank"))
    assert job(RankSVM()).key == key_of_the_release_before(job(RankSVM()))
