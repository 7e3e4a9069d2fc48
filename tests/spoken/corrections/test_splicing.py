"""Recordings whose rows are copied as they are stored: the same, bit for bit, as when all rows are written anew."""

import random

import numpy as np
import pytest

from rankine.spoken.corrections import changes as correcting
from rankine.spoken.corrections import splicing as spliced_recordings
from rankine.spoken.corrections.changes import corrected_recording, stored_corrections
from rankine.spoken.index.build import part_of_recordings, part_of_rows
from rankine.spoken.store.store import Store

from .cases import recognised_archive
from .test_changes import segments


def arrays_of(recording, settings):
    """The arrays and the footer of a part of a recording."""
    arrays, footer = (
        part_of_rows(recording, recording.pieces, settings)
        if recording.pieces
        else part_of_recordings([recording], settings)
    )
    return dict(arrays), footer


def change(archive, rng, changes, step):
    """A correction at a random place, or an undo of one."""
    name = rng.choice(archive.recordings.names)
    words = archive.corrections.words(name, as_heard=True)
    if rng.random() < 0.3 and changes:
        archive.corrections.undo(changes.pop(rng.randrange(len(changes))))
        return
    first = rng.randrange(len(words))
    last = min(first + rng.randint(0, 4), len(words) - 1)
    text = " ".join(f"new{step}{letter}" for letter in "abc"[: rng.randrange(1, 4)])
    changes.append(archive.corrections.add(f"{name}@{words[first].start:.2f}-{words[last].end:.2f}", text).change)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("spliced", [False, True])
def test_rows_are_the_same_as_when_all_are_written_anew(tmp_path, monkeypatch, own, spliced):
    always = {True: lambda reader, number: True, False: lambda reader, number: False}
    copied = 0
    for seed in range(3):
        rng = random.Random(seed)
        if own:
            texts = [" ".join(f"w{rng.randrange(30)}" for _ in range(rng.randint(1, 40))) for _ in range(3)]
            archive = recognised_archive(tmp_path / f"own{seed}", *texts)
        else:
            archive = segments(tmp_path / str(seed), rng)
        changes = []
        for step in range(10):
            change(archive, rng, changes, step)
            corrections = stored_corrections(Store(archive.folder))
            drawn = {name: [c for c in some if rng.random() < 0.6] for name, some in corrections.items()}
            for name in archive.recordings.names:
                for some in (corrections.get(name, []), drawn.get(name, []), []):
                    both = []
                    for how in (True, False):
                        monkeypatch.setattr(correcting, "can_splice", always[how])
                        both.append(corrected_recording(archive.index, name, some))
                    copied += len(both[0].pieces) > 1
                    (one, footer), (other, want) = (arrays_of(d, archive.index.settings) for d in both)
                    assert list(one) == list(other)
                    for key in one:
                        np.testing.assert_array_equal(one[key], other[key], err_msg=key)
                        assert one[key].dtype == other[key].dtype
                    assert footer == want
            monkeypatch.setattr(correcting, "can_splice", always[spliced])  # what the next change finds
    assert copied > 5 or own  # a lattice of its own is analysed as a whole


def test_long_recordings_of_small_parts_are_spliced(tmp_path, monkeypatch):
    archive = segments(tmp_path, random.Random(3))
    name = max(archive.recordings.names, key=lambda n: len(archive.index.utterances_of(n)))
    reader, number = archive.index.place_of(name)
    assert not spliced_recordings.can_splice(reader, number)
    monkeypatch.setattr(spliced_recordings, "FEWEST", 2)
    assert spliced_recordings.can_splice(reader, number)
    monkeypatch.setattr(spliced_recordings, "_SHARE", 0.99)
    assert not spliced_recordings.can_splice(reader, number)
