"""Upgrading archives of 0.1: the same hits, and counts of n-grams that are stored."""

import json
import shutil

import pytest

from rankine.spoken.archive import Archive
from rankine.spoken.index.schema import GramPostings
from rankine.spoken.maintenance.upgrade import Upgrade

from ... import folders

SAVED = folders.SAVED / "spoken"
QUERIES = {
    "archive": ["railway", "bridge storm", '"railway station"', "Skerryvore"],
    "few": ["speech"],
    "mandarin": ["天气"],
}


def hits(archive, queries):
    return [(h.document, str(h.start), h.certainty, round(h.score, 9)) for q in queries for h in archive.search(q, 20)]


@pytest.mark.parametrize("name", QUERIES)
def test_an_upgrade_changes_no_hit(tmp_path, name):
    shutil.copytree(SAVED / name, tmp_path / name)
    archive = Archive(tmp_path / name)
    before, documents = hits(archive, QUERIES[name]), archive.recordings.names
    n_parts, seen = len(archive.index.parts), []
    assert archive.upgrade(lambda done, total: seen.append((done, total))) == Upgrade(1, 2, n_parts)
    assert seen[-1][0] == seen[-1][1]
    assert hits(archive, QUERIES[name]) == before
    assert archive.recordings.names == documents
    archive.check()
    for reader in archive.index.parts:
        for kind, orders in archive.settings.grams.items():
            assert all(GramPostings(kind, order).stored(reader.part) for order in orders)
    manifest = (tmp_path / name / "manifest.json").read_bytes()
    assert archive.upgrade() == Upgrade(2, 2, 0)
    assert (tmp_path / name / "manifest.json").read_bytes() == manifest


def test_an_older_release_refuses_it(tmp_path):
    """Release 0.1 compares ``format`` with 1 before anything else."""
    shutil.copytree(SAVED / "few", tmp_path / "few")
    Archive(tmp_path / "few").upgrade()
    assert json.loads((tmp_path / "few" / "manifest.json").read_bytes().partition(b"\n")[2])["format"] > 1
