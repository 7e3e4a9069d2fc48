"""Archives whose checksums are right and whose content is not: refused when it is used, and by ``check``."""

import json
import zlib
from contextlib import suppress

import numpy as np
import pytest

import rankine as rk
from rankine.spoken.archive import Archive
from rankine.spoken.transcripts.subtitles import subtitles
from rankine.system.files import sealed

from ..cases import filled


def unsealed(path):
    return json.loads(path.read_bytes().partition(b"\n")[2])


def rewritten(folder, change):
    """Change the footer (a dict) and the arrays (by name) of the first part; all checksums are right again."""
    manifest = unsealed(folder / "manifest.json")
    entry = manifest["parts"][0]
    data = (folder / entry["file"]).read_bytes()
    at, length = (int(x) for x in np.frombuffer(data[-16:], "<u8"))
    header = json.loads(data[at : at + length])
    arrays = {n: np.frombuffer(data, kind, size, begin).copy() for n, (kind, begin, size) in header["arrays"].items()}
    body = bytearray(data[:at])
    change(header, arrays)
    for name, array in arrays.items():
        kind, begin, size = header["arrays"].get(name, (None, 0, 0))
        if (kind, size) == (array.dtype.str, len(array)) and 0 <= begin <= at - array.nbytes:
            body[begin : begin + array.nbytes] = array.tobytes()
    header["crcs"] = header["crcs"] and [zlib.crc32(body[i : i + 65536]) for i in range(0, len(body), 65536)]
    footer = json.dumps(header).encode()
    footer += np.array([len(body), len(footer)], "<u8").tobytes()
    (folder / entry["file"]).write_bytes(bytes(body) + footer)
    entry["size"], entry["crc"] = len(body) + len(footer), zlib.crc32(footer)
    (folder / "manifest.json").write_bytes(sealed(json.dumps(manifest)))


def number(name, value, at=slice(None)):
    def change(header, arrays):
        arrays[name][at] = value

    return change


def place(name, i, value):
    return lambda header, arrays: header["arrays"][name].__setitem__(i, value)


def positions(value):
    return lambda header, arrays: header["meta"]["positions"].update({"word.pspl.positions": value})


WRONG = {
    "an utterance that is not there": number("word.cn.utt", 4_000_000_000),
    "a position that is not there": number("word.pspl.pos", 65535),
    "no positions": positions(0),
    "negative positions": positions(-1),
    "4e12 positions": positions(4 * 10**12),
    "4e9 positions": positions(4 * 10**9),
    "bounds that fall": number("word.cn.ptr", -5, 1),
    "bounds behind the end": number("word.pspl.ptr", 10**6, -1),
    "negative bounds": number("doc.first", -1, 0),
    "recordings without end": number("doc.first", 2**40, -1),
    "texts behind the end": number("doc.name.ptr", 2**40, -1),
    "texts that fall": number("best.word.ptr", -5, 2),
    "words without end": number("best.first", 2**40, -1),
    "slots without end": number("word.slot.first", 2**40, -1),
    "a text that is not UTF-8": number("doc.name.text", 255),
    "an infinite time": number("utt.offset", np.inf),
    "more recordings": lambda header, arrays: header["meta"].update(documents=10**15),
    "more utterances": lambda header, arrays: header["meta"].update(utterances=10**15),
    "no counts": lambda header, arrays: header["meta"].clear(),
    "no checksums": lambda header, arrays: header["crcs"].clear(),
    "an array that is missing": lambda header, arrays: header["arrays"].pop("word.cn.pos"),
    "an array of another length": place("word.cn.pos", 2, 1),
    "an array behind the end": place("word.cn.pos", 1, 2**40),
    "an array over another": place("word.cn.pos", 1, 64),
    "an array before the file": place("word.cn.pos", 1, -64),
    "an array without borders": place("word.cn.pos", 1, 65),
    "objects": place("word.cn.pos", 0, "|O"),
    "another type": place("word.cn.p", 0, "<u4"),
    "counts of an utterance that is not there": number("word.gram1.utt", 60_000),
    "counts of units that are not there": number("character.gram2.code", 10**12, -1),
    "codes that fall": number("character.gram2.code", 10**6, 0),
    "negative codes": number("word.gram1.code", -1, 0),
    "bounds of counts that fall": number("word.gram1.ptr", -5, 1),
    "counts behind the end": number("character.gram2.ptr", 10**6, -1),
    "counts of another length": place("word.gram1.n", 2, 1),
    "counts of another type": place("character.gram2.n", 0, "<u4"),
    "counts that are missing": lambda header, arrays: header["arrays"].pop("word.gram1.n"),
    "units of counts that are missing": lambda header, arrays: header["arrays"].pop("character.gram.unit.ptr"),
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG.keys())
def test_a_part_whose_numbers_are_no_places(tmp_path, change):
    filled(tmp_path / "a", [f"d{i}" for i in range(5)])
    rewritten(tmp_path / "a", change)
    with pytest.raises(rk.InputError, match=r"part: (the archive is damaged|not the footer of a part)") as caught:
        Archive(tmp_path / "a").check()
    assert "\n" not in str(caught.value)
    for use in (
        lambda archive: archive.search("w0 w1 w2", k=5),
        lambda archive: archive.search('"w1 w3"'),
        lambda archive: archive.merge(),
        lambda archive: archive.recordings.delete(["d1"]),
        lambda archive: subtitles(archive.index, "d2"),
    ):
        try:
            use(Archive(tmp_path / "a"))
        except rk.InputError as error:
            assert ".part: " in str(error) or "no recording" in str(error) or "need times" in str(error)


@pytest.mark.parametrize(
    "change",
    [
        number("word.unit.text", ord("z"), 1),
        lambda header, arrays: arrays["word.cn.utt"].__setitem__(slice(None), arrays["word.cn.utt"][::-1].copy()),
        number("word.cn.pos", 0),
        number("word.gram.unit.text", ord("z"), 1),
        number("character.gram2.utt", 0),
    ],
    ids=["units", "utterances", "positions", "units of counts", "utterances of counts"],
)
def test_check_looks_at_the_order(tmp_path, change):
    filled(tmp_path / "a", [f"d{i}" for i in range(5)])
    rewritten(tmp_path / "a", change)
    with pytest.raises(rk.InputError, match=r"the archive is damaged: (the order of the|a number of the postings)"):
        Archive(tmp_path / "a").check()
    with suppress(rk.InputError):
        Archive(tmp_path / "a").search("w0 w1")


def test_a_part_that_becomes_shorter_while_it_is_open(tmp_path):
    archive = filled(tmp_path / "a", [f"d{i}" for i in range(5)])
    part = next((tmp_path / "a").glob("*.part"))
    whole = part.read_bytes()
    with open(part, "r+b") as file:
        file.truncate(100)
    for use in (lambda: archive.search("w0"), lambda: subtitles(archive.index, "d2")):
        with pytest.raises(rk.InputError, match="the size, which has changed since the archive was opened, is wrong"):
            use()
    part.write_bytes(whole)
    assert archive.search("w0 w1")
    part.unlink()
    assert archive.search("w0 w1")  # a file that is removed stays mapped


MEMBERS = [
    ("settings", None, "settings"), ("settings", {}, "kinds"), ("settings", {"kinds": [], "prune": 0.1}, "kinds"),
    ("settings", {"kinds": {"word": 1}, "prune": 0.1}, "kinds"), ("parts", {}, "parts"), ("parts", [{}], "parts"),
    ("settings", {"kinds": {"word": "words"}, "prune": "x"}, "prune"),
    ("settings", {"kinds": {"word": "words"}, "prune": 1e300}, "prune"),
    ("settings", {"kinds": {}, "prune": 0.1}, "the first kind of units must be words"),
    ("files", [], "files"), ("files", {"x": "y"}, "files"), ("serial", None, "serial"), ("serial", -1, "serial"),
    ("parts", [{"file": "../x.part", "size": 1, "crc": 1}], "expected the name of a part"),
    ("parts", [{"file": "manifest.json", "size": 1, "crc": 1}], "expected the name of a part"),
    ("files", {"/dev/zero": 1}, "a stored name must stay in its folder"),
    ("id", "../x", "id"), ("settings", {"kinds": {"word": "words"}, "prune": 0.1, "dictionary": 3}, "dictionary"),
]  # fmt: skip


@pytest.mark.parametrize(("member", "value", "says"), MEMBERS)
def test_a_manifest_of_another_form(tmp_path, member, value, says):
    filled(tmp_path / "a", ["d"])
    path = tmp_path / "a" / "manifest.json"
    path.write_bytes(sealed(json.dumps({**unsealed(path), member: value})))
    with pytest.raises(rk.InputError, match=says) as caught:
        Archive(tmp_path / "a")
    assert "manifest.json: " in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_setting_of_a_later_release_is_named(tmp_path):
    archive = filled(tmp_path / "a", ["d", "e"])
    path = tmp_path / "a" / "manifest.json"
    content = unsealed(path)
    archive.recordings.delete(["d"])
    assert unsealed(path)["id"] == content["id"]
    content["settings"]["later"] = [1]
    path.write_bytes(sealed(json.dumps(content)))
    with pytest.raises(rk.InputError, match="does not know the setting 'later'"):
        archive.recordings.delete(["e"])


def test_sweeping_removes_only_what_a_writer_made(tmp_path, victims):
    archive = filled(tmp_path / "a", ["d", "e"])
    mine = ("download.part", "notes.new", "12.part", "x.part.new", ".letter.new-1", "manifest.json.new")
    for name in mine:
        (tmp_path / "a" / name).write_text("mine")
    (tmp_path / "a" / "000000009.part").symlink_to(victims.folder / "victim.txt")
    (tmp_path / "a" / "000000008.part").mkdir()
    left = ("000000007.part", ".manifest.json.new-x", ".000000003.part.new-ab.part")
    for name in left:
        (tmp_path / "a" / name).write_text("left behind")
    archive.recordings.delete(["d"])
    there = {p.name for p in (tmp_path / "a").iterdir()}
    assert there >= {*mine, "000000009.part", "000000008.part"}
    assert there.isdisjoint(left)


@pytest.mark.parametrize("name", ["lock", "manifest.json", "store.sqlite", "weights", "cache", "recognised"])
def test_links_in_an_archive_are_not_followed(tmp_path, victims, name):
    archive = filled(tmp_path / "a", ["d", "e"])
    (tmp_path / "a" / name).unlink(missing_ok=True)
    folder = name in ("weights", "cache", "recognised")
    (tmp_path / "a" / name).symlink_to(victims.folder if folder else victims.folder / "victim.txt")
    judged = rk.spoken.learn.judgments.Judged({"1": "w0", "2": "w1"}, {"1": {"d": 1.0}, "2": {"e": 1.0}})
    use = {
        "lock": lambda: archive.recordings.delete(["d"]),
        "manifest.json": lambda: Archive(tmp_path / "a"),
        "store.sqlite": lambda: archive.judgments.store.query("x"),
        "weights": lambda: archive.weights.use(None),
        "cache": lambda: archive.weights.learn(judged, "single", folds=2),
        "recognised": lambda: archive.recordings.delete(["d"]),
    }[name]
    with pytest.raises(rk.InputError, match="a link"):
        use()
