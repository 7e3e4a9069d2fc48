"""Files in any format as lattices."""

import pytest

from rankine.errors import InputError
from rankine.spoken.recognise.recognisers.outputs import read_output

from ...lattice.formats.cases import TRANSCRIPTS


def test_what_a_recogniser_wrote(tmp_path):
    (tmp_path / "x.json").write_text(TRANSCRIPTS["whisper.json"])
    assert [unit.lower().strip(",.!") for unit in read_output(tmp_path / "x.json").units] == ["hello", "world", "yes"]
    (tmp_path / "x.json").write_text('{"text": "", "segments": [], "language": "en"}')
    assert read_output(tmp_path / "x.json") is None
    (tmp_path / "x").write_bytes(b"\0")
    with pytest.raises(InputError, match=r"^x: in none of the formats that `rankine spoken formats` lists"):
        read_output(tmp_path / "x")
