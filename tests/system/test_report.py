"""Reports: Markdown and HTML with the same content, whole files, escaped text."""

import base64
import re

from rankine.system.report import Section, markdown, write, write_page

PARTS = [
    Section("A & B", "Fewer < more.", ("name", "value"), [("x|y", 1.5), ("<b>", "a text of more than 24 characters")]),
    Section("A picture", picture="p.png"),
]


def test_markdown():
    lines = markdown(PARTS[0]).splitlines()
    assert lines[0] == "Fewer < more."
    assert lines[2:5] == ["| name | value |", "| --- | --- |", "| x\\|y | 1.5 |"]
    assert markdown(PARTS[1]) == "![A picture](p.png)\n"


def test_both_files_hold_the_same(tmp_path):
    (tmp_path / "p.png").write_bytes(b"picture")
    (tmp_path / "report.md").write_text("an older one")
    files = write(PARTS, tmp_path)
    assert [f.name for f in files] == ["report.md", "report.html"]
    assert sorted(f.name for f in tmp_path.iterdir()) == ["p.png", "report.html", "report.md"]
    text, page = (f.read_text(encoding="utf-8") for f in files)
    assert text.startswith("# A & B\n\nFewer < more.\n")
    assert "\n## A picture\n" in text
    assert "<title>A &amp; B</title>" in page
    assert "<h1>A &amp; B</h1>" in page
    assert "<p>Fewer &lt; more.</p>" in page
    assert "<td>&lt;b&gt;</td>" in page
    assert '<td class="words">a text of more than 24 characters</td>' in page
    assert base64.b64decode(re.search('base64,([^"]*)', page)[1]) == b"picture"


def test_a_page_of_the_documentation(tmp_path):
    folder = tmp_path / "theory"
    folder.mkdir()
    write_page(PARTS, folder, "bounds", level=3)
    text = (folder / "bounds.md").read_text(encoding="utf-8")
    assert text.startswith("### A & B\n")
    assert "\n#### A picture\n\n![A picture](_static/theory/p.png)\n" in text
