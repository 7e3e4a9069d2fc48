"""What the spoken commands share: a batch that was stopped continues."""

from rankine.cli.spoken import common
from rankine.system.files import locked

from ...spoken.lattice.cases import SLF
from ..running import rankine


def test_a_batch_goes_on_where_it_stopped(place, monkeypatch):
    for i in range(6):
        text = SLF if i != 3 else SLF.replace("N=4", "N=7")
        (place / "lattices" / f"u{i}.slf").write_text(text)
    rankine(place, "spoken", "pspl", "lattices", "-o", "whole.tsv", code=1)
    add, seen = common.BatchJournal.add, []

    def stop(self, utterance, keep=True):
        add(self, utterance, keep)
        seen.append(utterance.name)
        if len(seen) == 5:
            self.file.write(b"half a li")
            self.file.flush()
            raise KeyboardInterrupt

    monkeypatch.setattr(common.BatchJournal, "add", stop)
    rankine(place, "spoken", "pspl", "lattices", "-o", "out.tsv", code=130)
    assert len(seen) == 5
    assert not (place / "out.tsv").exists()
    monkeypatch.setattr(common.BatchJournal, "add", add)
    done = rankine(place, "spoken", "pspl", "lattices", "-o", "out.tsv", code=1)
    assert "going on after 5 utterances" in done.stderr
    assert "u3.slf: N=7" in done.stderr
    assert (place / "out.tsv").read_text() == (place / "whole.tsv").read_text()
    assert not (place / "out.tsv.part").exists()


def test_a_journal_of_changed_files_is_begun_anew(place, monkeypatch):
    for i in range(3):
        (place / "lattices" / f"b{i}.slf").write_text(SLF)
    add = common.BatchJournal.add

    def stop(self, utterance, keep=True):
        add(self, utterance, keep)
        raise KeyboardInterrupt

    monkeypatch.setattr(common.BatchJournal, "add", stop)
    rankine(place, "spoken", "pspl", "lattices", "-o", "out.tsv", code=130)
    monkeypatch.setattr(common.BatchJournal, "add", add)
    (place / "lattices" / "a0.slf").write_text(SLF)
    (place / "lattices" / "b2.slf").unlink()
    done = rankine(place, "spoken", "pspl", "lattices", "-o", "out.tsv")
    assert "going on" not in done.stderr
    rows = (place / "out.tsv").read_text().splitlines()[1:]
    assert sorted({r.split("\t")[0] for r in rows}) == ["a0", "b0", "b1", "good"]
    assert len(rows) == 8


def test_a_folder_that_does_not_exist(place):
    done = rankine(place, "spoken", "pspl", "lattices", "-o", "nowhere/out.tsv", code=1)
    assert "there is no folder 'nowhere' to write into" in done.stderr


def test_two_processes_do_not_write_one_output(place):
    with locked(place / "out.tsv.part", "busy"):
        said = rankine(place, "spoken", "pspl", "lattices", "-o", "out.tsv", code=1).stderr
    assert "another process is writing this output" in said
    assert not (place / "out.tsv").exists()
    rankine(place, "spoken", "pspl", "lattices", "-o", "out.tsv")
    assert sorted(p.name for p in place.iterdir()) == ["lattices", "out.tsv"]
