"""The progress of recognition: told while it goes on, and not of processes that are no more."""

import json
import os
import platform
import time

import pytest

from rankine.spoken.recordings.progress import FILE, recognition_progress, telling_progress

from ..cases import filled


@pytest.fixture
def archive(tmp_path):
    archive = filled(tmp_path / "a", ["old"])
    (archive.folder / "recognised").mkdir()
    line = {"print": "p", "size": 1, "time": 1, "file": "f", "samples": "s"}
    lines = [{"recording": "new", **line}, {"recording": "done", "segments": [], **line}]
    (archive.folder / "recognised" / "recognised.jsonl").write_text("".join(json.dumps(x) + "\n" for x in lines))
    return archive


def test_told_while_it_goes_on(archive):
    calls = []
    assert recognition_progress(archive.folder) is None
    with telling_progress(archive.folder / "recognised", lambda *done: calls.append(done)) as report:
        report(1.0, 10.0)
        assert recognition_progress(archive.folder) == (1.0, 10.0, ["new"])
        report(2.0, 10.0)  # within the same second
        assert recognition_progress(archive.folder).done == 1.0
    assert calls == [(1.0, 10.0), (2.0, 10.0)]
    assert recognition_progress(archive.folder) is None
    assert not (archive.folder / "recognised" / FILE).exists()


def test_removed_when_it_fails(archive):
    def fails():
        with telling_progress(archive.folder / "recognised", lambda *done: None) as report:
            report(1.0, 10.0)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert not (archive.folder / "recognised" / FILE).exists()


@pytest.mark.parametrize(
    "change", [{"process": 2**22 + 1}, {"time": 5.0}, {"time": 1e18}, {"done": "x"}, {"process": 2**52}]
)
def test_what_does_not_count(archive, change):
    said = {"machine": platform.node(), "process": os.getpid(), "time": time.time(), "done": 1.0, "total": 2.0}
    path = archive.folder / "recognised" / FILE
    path.write_text(json.dumps(said))
    assert recognition_progress(archive.folder) is not None
    path.write_text(json.dumps(said | change))
    assert recognition_progress(archive.folder) is None
