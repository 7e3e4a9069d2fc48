"""Places of two hearings: stretches that depend on what was heard belong to those that they overlap most."""

import numpy as np
import pytest

from rankine.spoken import Archive
from rankine.spoken.hearings.alignment import same_places
from rankine.spoken.lattice.formats import one_best, write_slf

from .cases import Told, word_archive, write_recordings

pytest.importorskip("soundfile")


class Timed(Told):
    """A recogniser that hears words with times."""

    def __call__(self, samples):
        return write_slf(one_best([(word, start, end, 1.0) for word, start, end in self.lists]))


class Whole(Timed):
    """The same by another name."""


def test_stretches_belong_to_those_that_they_overlap_most(tmp_path):
    audio = write_recordings(tmp_path / "audio", range(2), 16000 * 8)
    apart = Timed((("one", 0.0, 1.0), ("two", 2.5, 4.0), ("three", 6.0, 7.0)), ending=".slf")
    joined = Whole((("one", 0.0, 1.0), ("two", 1.1, 4.0), ("three", 6.0, 7.0)), ending=".slf")
    archive = word_archive(tmp_path / "archive")
    archive.recordings.add(audio, [apart, joined])
    further = Archive(tmp_path / "archive" / "hearings" / "whole")
    same = same_places(archive.index, further.index)
    assert int(archive.index.places_before[-1]) == 6
    assert int(further.index.places_before[-1]) == 4
    np.testing.assert_array_equal(same.further, [0, 1, 2, 3])
    np.testing.assert_array_equal(same.own % 3, [1, 2, 1, 2])
    back = same_places(further.index, archive.index)
    np.testing.assert_array_equal(back.own, [0, 0, 1, 2, 2, 3])
    archive.hearings.weigh("whole", 1.0)
    assert [hit.segment for hit in archive.search("two")] == ["r00@2.50-6.00", "r01@2.50-6.00"]
