"""A short run of the mutations: some inputs of every kind, in this process."""

import random

import pytest

from attacks import mutate
from attacks.mutations import ACCEPTED, REFUSED, attempt, generator, kinds, spread

KINDS = kinds()
SLOW = ("model lightgbm", "model xgboost", "model NeuralRanker")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", KINDS)
def test_a_mutated_file_is_refused_in_one_line_or_read_as_the_slow_reader_reads_it(name, tmp_path):
    kind = KINDS[name]
    kind.prepare(tmp_path)
    for number in range(20 if name in SLOW or kind.archive else 60):
        what, text = attempt(kind, generator(0, name, number), tmp_path)
        assert what in (ACCEPTED, REFUSED), f"--seed 0 --kind '{name}' --only {number}: {what}\n{text}"


def test_a_seed_makes_an_input_again():
    good = b"1 qid:1 1:0.5\n0 qid:1 1:0.25\n"
    one, other = (mutate.text(random.Random("1/letor/7"), good) for _ in range(2))
    assert one == other
    assert len({mutate.text(random.Random(f"1/letor/{i}"), good) for i in range(100)}) > 50


def test_every_kind_gets_its_share_and_no_fewer_than_the_least():
    counts = spread(1000, list(KINDS), KINDS, least=10, least_archive=30)
    assert min(n for name, n in counts.items() if KINDS[name].archive) >= 30
    assert min(counts.values()) >= 10


@pytest.mark.parametrize("name", ["store", "packed archive"])
def test_what_is_mutated_is_good_before(name, tmp_path):
    kind = KINDS[name]
    kind.prepare(tmp_path)
    if name == "store":
        assert (kind.place / "store.sqlite").stat().st_size
        path = kind.place
    else:
        path = kind.around / "input.zip"
        path.write_bytes(kind.whole[1])
    result = kind.use(path)
    assert result[0]
    kind.agrees(path, result)


def test_what_was_a_false_alarm_once(tmp_path):
    """A byte order mark, and an empty line behind it: no document for either reader."""
    kind = KINDS["grouped"]
    with pytest.warns(match="numbered from 0"):
        assert attempt(kind, generator(4711, "grouped", 320), tmp_path) == (ACCEPTED, "")
    assert (tmp_path / "input.txt").read_bytes().startswith(b"\xef\xbb\xbf\n")


NULL, WORD = '"start": 0, "end": 1, "%s": null', '"start": 1, "end": 2, "%s": "a"'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("assemblyai", '{"id": "x", "words": [{NULL}, {WORD}]}'),
        ("deepgram", '{"results": {"channels": [{"alternatives": [{"transcript": "a", "words": [{NULL}, {WORD}]}]}]}}'),
        ("vosk", '{"text": "a", "result": [{NULL}, {WORD}]}'),
        ("aws", '{"results": {"transcripts": [], "items": [{"start_time": 1, "end_time": 2, "content": "a"}, '
         '{"type": "punctuation", "content": null}]}}'),
    ],
)  # fmt: skip
def test_a_word_that_is_null_is_none_to_either_reader(name, text, tmp_path):
    kind, key = KINDS[name], "text" if name == "assemblyai" else "word"
    kind.prepare(tmp_path)
    (tmp_path / "input.json").write_text(text.replace("NULL", NULL % key).replace("WORD", WORD % key))
    kind.agrees(tmp_path / "input.json", kind.use(tmp_path / "input.json"))
