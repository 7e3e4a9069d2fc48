"""Pages and their files: by name only, kept by their content, values as text."""

import pytest

from rankine.web.answers import ApiError
from rankine.web.pages import PageFiles


@pytest.fixture
def files(tmp_path):
    (tmp_path / "vendor").mkdir()
    (tmp_path / "page.html").write_text(
        '<script nonce="{{nonce}}">{{title}} {{version}} {{waveform}} {{other}}</script>'
    )
    (tmp_path / "main.js").write_text("1")
    (tmp_path / "vendor" / "lib.js").write_text("2")
    (tmp_path / "notes.txt").write_text("not for readers")
    (tmp_path / "__init__.py").write_text("")
    return PageFiles(tmp_path)


def test_values_are_text_and_filled_in_once(files):
    body = files.page("page.html", "n0", "<b>{{nonce}}\"'&").body.decode()
    assert body.startswith('<script nonce="n0">&lt;b&gt;{{nonce}}&quot;&#x27;&amp; ')
    assert "{{other}}" in body


def test_files_by_name_only(files):
    assert files.static("main.js", "", "").body == b"1"
    assert files.static("vendor/lib.js", "", "").body == b"2"
    for name in ("page.html", "notes.txt", "__init__.py", "../pages.py", "/etc/passwd", "", ".", "vendor", "main.js/"):
        with pytest.raises(ApiError) as caught:
            files.static(name, "", "")
        assert caught.value.status == 404


def test_kept_by_content(files):
    answer = files.static("main.js", "", "")
    assert answer.headers["cache-control"] == "private, no-cache"
    assert files.static("main.js", "", answer.headers["etag"]).status_code == 304
    version = files.page("page.html", "n").body.decode().split()[2]
    assert "immutable" in files.static("main.js", version, "").headers["cache-control"]
    assert "immutable" not in files.static("main.js", "old", "").headers["cache-control"]
    (files.folder / "main.js").write_text("changed")
    assert files.static("main.js", "", answer.headers["etag"]).body == b"changed"
    assert files.page("page.html", "n").body.decode().split()[2] != version


def test_the_waveform_is_told(files):
    before = files.page("page.html", "n").body
    (files.folder / "vendor" / "wavesurfer.esm.js").write_text("3")
    assert b" yes " in files.page("page.html", "n").body
    assert b" yes " not in before
