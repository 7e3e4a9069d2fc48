"""Words that stand in for queries: those of which only the further hearing is sure somewhere."""

import pytest

from rankine.spoken.hearings.hearings import hearing_of, open_hearing
from rankine.spoken.teaching.hearing_queries import agreeing_words

from ..hearings.cases import Second, Told, word_archive, write_recordings
from ..hearings.test_hearings import NAMES

pytest.importorskip("soundfile")


def test_words_tell_the_difference(tmp_path):
    sure = tuple(((1.0, NAMES[i]),) for i in range(12))
    own = sure[:6] + tuple(((0.3, NAMES[i]), (0.7, NAMES[i + 20])) for i in range(6, 12))
    archive = word_archive(tmp_path / "archive")
    archive.recordings.add(write_recordings(tmp_path / "audio", range(12)), [Told(own), Second(sure)])
    hearing = open_hearing(archive.index, hearing_of(archive.folder, "second"))
    queries = agreeing_words(archive.index, hearing)
    assert sorted(query.text for query in queries) == sorted(NAMES[6:12])  # both are sure of the others
    assert all(archive.recordings.names[place] == f"r{NAMES.index(q.text):02d}" for q in queries for place in q.grades)
    assert [query.relevant for query in queries] == [1] * 6
    assert agreeing_words(archive.index, hearing) == queries
