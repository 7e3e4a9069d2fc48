"""A journal keeps its entries whatever happens to the process that writes it."""

import os
from typing import TypedDict

import pytest

from rankine.errors import InputError
from rankine.spoken.recognise.journal import Journal


def test_every_cut_keeps_the_entries_before_it(tmp_path):
    path = tmp_path / "j.jsonl"
    journal = Journal(path)
    sizes = [0]
    for n in range(4):
        journal.add({"n": n, "text": "ü\n" * n})
        sizes.append(path.stat().st_size)
    whole = path.read_bytes()
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        survivors = Journal(path)
        n = sum(size - 1 <= cut for size in sizes[1:])  # an entry is there without its line break too
        assert [e["n"] for e in survivors.entries] == list(range(n))
        survivors.add({"n": 9})
        assert [e["n"] for e in Journal(path).entries] == [*range(n), 9]


def test_another_key_begins_anew(tmp_path):
    path = tmp_path / "j.jsonl"
    Journal(path, "a").add({"n": 1})
    assert Journal(path, "a").entries == [{"n": 1}]
    assert Journal(path, "b").entries == []
    assert Journal(path, "a").entries == []
    Journal(path, "a").remove()
    assert not path.exists()


def test_what_a_killed_process_left_is_passed_over_on_every_line(tmp_path):
    path = tmp_path / "j.jsonl"
    entry = b'{"n": [1, -2.5e-7], "text": "\\u00fc", "done": true, "x": null}'
    for cut in range(len(entry)):
        path.write_bytes(b'{"n": 1}\n' + entry[:cut] + b"\n\n\0\0\0\n" + entry + b"\n" + entry[:cut] + b"\0\0")
        assert [e["n"] for e in Journal(path).entries] == [1, [1, -2.5e-07]]
    path.write_bytes(b'{"n": 1}\n\xff\xfe')  # the last line, whatever it is
    assert Journal(path).entries == [{"n": 1}]


@pytest.mark.parametrize("line", [b"\xff\xfe", b"[1]", b"3", b'x{"n": 1, "text": 5}', b'{"n" 1, "text": "long enough"}',
                                  b"[" * 100_000, b'{"n": "x"}', b"{}"])  # fmt: skip
def test_anything_else_is_an_error_that_names_the_line(line, tmp_path):
    class Entry(TypedDict):
        n: int

    path = tmp_path / "j.jsonl"
    path.write_bytes(b'{"n": 1}\n\n' + line + b'\n{"n": 2}\n')
    with pytest.raises(InputError, match=r"j\.jsonl, line 3: not an entry of a journal") as caught:
        Journal(path, schema=Entry)
    assert "\n" not in str(caught.value)


def test_the_folder_must_exist(tmp_path):
    with pytest.raises(InputError, match="there is no folder"):
        Journal(tmp_path / "missing" / "j.jsonl")


def test_a_hard_link_is_not_written_to(tmp_path):
    Journal(tmp_path / "a.jsonl").add({"job": 1})
    os.link(tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    Journal(tmp_path / "a.jsonl").add({"job": 2})
    assert Journal(tmp_path / "a.jsonl").entries == [{"job": 1}, {"job": 2}]
    assert Journal(tmp_path / "b.jsonl").entries == [{"job": 1}]
