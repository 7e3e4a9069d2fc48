"""What a hit points at, against trying every run."""

import pytest

from rankine.spoken.archive.best_runs import best_run

from ... import reference_places as ref
from ..cases import recordings, spoken

QUERIES = ("w0", "w0 w1", "w1 w2 w1", "w0 w1 w2 w3", "w0 OR w1 w2", "w01 w2", "w3 the w1", "the", "w1 OR w2 OR w3 w0")


@pytest.mark.parametrize("seed", range(40, 60))
def test_the_best_run_of_all(tmp_path, seed):
    archive = recordings(tmp_path, seed)
    kinds, index = archive.kinds, archive.index
    for text in QUERIES:
        query = archive.parse(text)
        for part, places in zip(index.parts, ref.read_places(index), strict=True):
            for row in range(len(places)):
                best = {kind: ref.best_worth(index, places, row, query, kind) for kind in kinds}
                answer = best_run(part, query, kinds, row)
                if max(best.values()) == 0:
                    assert answer is None
                    continue
                run, window = answer
                want = "word" if best["word"] >= 0.1 else max(kinds, key=lambda kind: round(best[kind], 9))
                assert (run.kind, run.worth) == (want, pytest.approx(best[want], abs=1e-6)), text
                assert run.worth == pytest.approx(sum(u.share * u.posterior for u in run.units), abs=1e-6)
                assert run.units[0].row == row
                assert all(window.slots(u.unit)[u.slot] == u.posterior for u in run.units)


def test_a_required_phrase_is_pointed_at_also_where_another_word_is_likelier(tmp_path):
    archive = spoken(tmp_path / "a", "type a roman | type")
    part = archive.index.parts[0]
    run, _ = best_run(part, archive.parse('"roman type"'), archive.kinds, 0)
    assert [u.unit for u in run.units] == ["roman", "type"]
    assert [u.row for u in run.units] == [0, 1]


def test_repeated_speech_is_no_long_run(tmp_path):
    archive = spoken(tmp_path / "a", " ".join(["ping", "pong"] * 90))
    run, _ = best_run(archive.index.parts[0], archive.parse("ping pong ping"), archive.kinds, 0)
    assert [u.unit for u in run.units] == ["ping", "pong", "ping"]
    assert [u.slot for u in run.units] == [0, 1, 2]
