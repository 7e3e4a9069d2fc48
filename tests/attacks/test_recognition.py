"""A few kills of ``rankine spoken add``, with a program as its recogniser: it is quick."""

from attacks import recognition

LATTICE = """N=3 L=2
I=0 t=0
I=1 t=0.5
I=2 t=1
J=0 S=0 E=1 W=railway a=-1
J=1 S=1 E=2 W=water a=-1
"""


def test_added_in_the_end_as_without_kills(monkeypatch, tmp_path, capfd):
    (tmp_path / "heard.slf").write_text(LATTICE)
    script = tmp_path / "hear"
    script.write_text(f'cp "{tmp_path / "heard.slf"}" "$2"\n')
    program = f"sh {script} {{audio}} {{output}}.slf"
    monkeypatch.setitem(recognition.FLAGS, "program", ("--recogniser", program))
    assert recognition.attack(4, 1, ["program"]) == []
    said = capfd.readouterr().out
    assert "program: 8 lattices, 4 kills" in said
    assert "4 kills, 0 failures" in said
