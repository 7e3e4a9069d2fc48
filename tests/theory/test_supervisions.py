"""Files with a distribution of supervisions: every format, every documented error, mutated text."""

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankine as rk
from rankine.theory import consistency
from rankine.theory.supervisions import load_distribution

number = st.fractions(0, 9, max_denominator=9).map(str)


def read(folder, text, name="given.txt"):
    path = folder / name
    path.write_text(text)
    return load_distribution(str(path))


@settings(max_examples=60)
@given(st.data(), st.integers(2, 4), st.booleans())
def test_three_formats_hold_the_same(tmp_path_factory, data, m, matrices):
    folder = tmp_path_factory.mktemp("formats")
    row = st.lists(number, min_size=m, max_size=m)
    label = st.lists(row, min_size=m, max_size=m) if matrices else row
    entries = data.draw(st.lists(st.tuples(number, label), min_size=1, max_size=4))
    blank = data.draw(st.sampled_from(["", "\n", "\n\n# the next\n"]))
    lines = "".join(
        f"{p}\n{''.join(' '.join(r) + chr(10) for r in y)}{blank}" if matrices else f"{p} {' '.join(y)}\n{blank}"
        for p, y in entries
    )
    member = "weights" if matrices else data.draw(st.sampled_from(["grades", "ranks"]))
    objects = json.dumps([{"probability": p, member: y} for p, y in entries], indent=data.draw(st.sampled_from([0, 2])))
    want = [y for _, y in entries], [p for p, _ in entries]
    assert tuple(read(folder, lines)) == want
    assert tuple(read(folder, objects, "given.json")) == want


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no supervision"),
        ("# nothing\n\n", "there is no supervision"),
        ("0.5 1 0\n0.5\n", "line 2: expected a probability and the grades of all items"),
        ("1\n0 1\n", "line 1: expected a probability and the grades .* m × m matrix; numbers in these: 2$"),
        ("1\n\n1\n0 1\n0 0\n", "line 1: .* numbers in these: none$"),
        ("1/2\n0 1\n0 0 1\n1/2\n0 0\n0 0\n", "line 1: .* numbers in these: 2, 3$"),
        ("1\n0 1\n0 0\n\n0 1\n", "line 5: expected a probability alone"),
        ("[1]", "object 1: expected the members probability and one of grades, ranks, weights"),
        ('[{"probability": 1}]', "object 1: expected the members"),
        ('[{"probability": 1, "grades": [1], "ranks": [1]}]', "object 1: expected the members"),
        ('[{"probability": true, "grades": [1]}]', "expected a number, or a text such as '1/4'; got 'True'"),
        ('[{"probability": 1, "grades": 1}]', "expected an array of numbers"),
        ("[{", "not a distribution of supervisions"),
        ("1e-9999999 1 0\n", "line 1: the exponent"),
    ],
)
def test_errors_name_the_place(tmp_path, text, message):
    with pytest.raises(rk.InputError, match=message) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith(str(tmp_path / "given.txt"))


def test_mutated_text_is_read_or_refused(tmp_path_factory):
    folder, accepted, refused = tmp_path_factory.mktemp("mutated"), set(), set()

    @settings(max_examples=300)
    @given(st.data())
    def check(data):
        text = data.draw(st.sampled_from(["1/2\n0 1\n0 0\n\n1/2\n0 0\n1 0\n", "1/2 1 2\n1/2 2 1\n"]))
        for _ in range(data.draw(st.integers(1, 3))):
            at = data.draw(st.integers(0, len(text) - 1))
            text = text[:at] + data.draw(st.sampled_from(["", " ", "\n", "0", "-1", "x", "[", "#"])) + text[at + 1 :]
        try:
            labels, probabilities = read(folder, text)
        except rk.InputError:
            refused.add(text)
            return
        accepted.add(text)
        assert len(labels) == len(probabilities)
        with contextlib.suppress(rk.InputError):  # numbers are looked at where they are used
            consistency.bayes_optimal("WPD" if isinstance(labels[0][0], list) else "zero-one", labels, probabilities)

    check()
    assert len(accepted) > 20
    assert len(refused) > 20
