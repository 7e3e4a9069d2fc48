"""Corrections in further hearings."""

from rankine.spoken import Archive

from ..cases import answers
from ..hearings.cases import write_recordings
from .cases import KINDS, OtherTimed, Timed, hits

SAID = "we read mary wool|wolf stone|stones craft today and she wrote"
SPAN = "@1.5-3.0"


def test_further_hearings_are_corrected_too(tmp_path):
    texts, others = (SAID, "words in the other one"), ("he read marry wall stone raft today and he rode", "words in it")
    write_recordings(tmp_path / "audio", range(2))
    archive = Archive.create(tmp_path / "archive", KINDS)
    archive.recordings.add([tmp_path / "audio"], {"one": Timed(texts), "two": OtherTimed(others)})
    archive.hearings.weigh("two", 1.0)

    def second(archive=archive):
        return Archive(archive.hearings.all()[0].folder)

    plain = answers(second(), ("raft", "stone", "today"))
    assert hits(second(), "raft") == [("r00", 2.5, 3.0)]
    done = archive.corrections.add(f"r00{SPAN}", "Wollstonecraft")
    assert hits(second(), "wollstonecraft") == [("r00", 1.5, 3.0)]
    assert hits(second(), "raft") == []
    archive.check()
    archive.pack(tmp_path / "p.zip")
    other = Archive.unpack(tmp_path / "p.zip", tmp_path / "other")
    assert hits(second(other), "wollstonecraft") == [("r00", 1.5, 3.0)]
    archive.corrections.undo(done.change)
    assert answers(second(), ("raft", "stone", "today")) == plain
    archive.corrections.undo(archive.corrections.history()[-1].id)
    archive.hearings.add([tmp_path / "audio"], {"two": OtherTimed(("he red merry wool stoned raft to day he", "w"))})
    assert hits(second(), "wollstonecraft") == [("r00", 1.5, 3.0)]
    assert [hit[0] for hit in hits(second(), '"merry wollstonecraft to day"')] == ["r00"]
    assert hits(second(), "raft") == []
