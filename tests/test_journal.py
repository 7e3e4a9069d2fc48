"""A journal keeps its entries whatever happens to the process that writes it."""

import pytest

from rankine.errors import InputError
from rankine.journal import Journal


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


def test_what_is_no_entry_is_passed_over(tmp_path):
    path = tmp_path / "j.jsonl"
    path.write_bytes(b'{"n": 1}\n\xff\xfe\n[1]\n{"n": 2}')
    assert Journal(path).entries == [{"n": 1}, {"n": 2}]


def test_the_folder_must_exist(tmp_path):
    with pytest.raises(InputError, match="there is no folder"):
        Journal(tmp_path / "missing" / "j.jsonl")
