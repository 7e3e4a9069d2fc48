"""Errors of bad input: hints, optional packages, one line."""

import pickle
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from rankine.errors import (
    DISTRIBUTION,
    InputError,
    in_lines,
    in_one_line,
    install,
    is_utf8,
    naming,
    nearest,
    needs,
    shorten,
    writing_to,
)


def test_the_place_comes_first():
    assert str(InputError("expected a number", "a.txt, line 3")) == "a.txt, line 3: expected a number"
    assert str(InputError("expected a number")) == "expected a number"


def test_lines_below_point_at_a_place():
    error = InputError("a\nb", "x.txt", below="  q\x1b\n  ^")
    assert str(error) == "x.txt: a\nb\n  q\x1b\n  ^"
    assert in_lines(error) == "x.txt: a\\x0ab\n  q\\x1b\n  ^"
    assert in_lines(InputError("a\nb")) == "a\\x0ab"
    assert pickle.loads(pickle.dumps(error)).below == error.below


@pytest.mark.parametrize(
    ("name", "names", "hint"),
    [
        ("svm-nap", ["svm-map", "svm-rr"], " Did you mean 'svm-map'?"),
        ("AP", ["ap", "Ap"], " Did you mean 'ap'?"),  # alike but for case: the first of the table
        ("svm-map", ["listnet", "duchi"], ""),
        ("x", [], ""),
    ],
)
def test_hint(name, names, hint):
    assert nearest(name, names) == hint
    assert nearest(name, iter(names)) == hint


def test_text_is_cut_above_the_limit_only():
    assert shorten("abcde", limit=5) == "'abcde'"
    assert shorten("abcdef", limit=5) == "'abcde…'"
    assert shorten("a\nb") == r"'a\nb'"  # one line


def test_utf8():
    assert is_utf8("汉字 \U0001f600")
    assert not is_utf8("half of a pair: \ud83d")


def test_optional_packages(tmp_path, monkeypatch):
    assert needs("json.decoder", "test").JSONDecoder().decode("[1]") == [1]
    with pytest.raises(InputError, match=r'^this needs the package json: pip install -e "\.\[torch\]"$'):
        needs("json.no_such_module", "torch")
    (tmp_path / "broken_package.py").write_text("import no_such_package")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):  # it is installed: the hint would be wrong
        needs("broken_package", "torch")


def test_one_line():
    assert in_one_line(PermissionError(13, "Permission denied", "a b.txt")) == "a b.txt: Permission denied"
    assert in_one_line(OSError(28, "No space left on device")) == "[Errno 28] No space left on device"
    assert in_one_line(InputError("expected a number", "a.txt")) == "a.txt: expected a number"


def test_an_error_names_its_place_once():
    with pytest.raises(InputError, match=r"^a\.txt: no rows$"), naming("a.txt"):
        raise InputError("no rows")
    with pytest.raises(InputError, match=r"^a\.txt, line 3: no rows$"), naming("a.txt"):
        raise InputError("no rows", "a.txt, line 3")


def test_an_error_that_names_no_file_gets_a_name():
    with pytest.raises(OSError, match=r"too large: 'a.part'"), writing_to("a.part"):
        raise OSError(27, "File too large")
    with pytest.raises(FileNotFoundError, match=r"b.txt"), writing_to("a.part"):
        raise FileNotFoundError(2, "absent", "b.txt")


def test_extras_are_installed_in_a_clone_or_from_a_wheel(tmp_path, monkeypatch):
    assert install("web") == 'pip install -e ".[web]"'
    place = tmp_path / "site-packages" / "rankine"
    place.mkdir(parents=True)
    (tmp_path / "pyproject.toml").touch()  # of somebody else
    monkeypatch.setattr("rankine.errors.__file__", str(place / "errors.py"))
    assert install("web") == 'pip install "rankine-ltr[web]"'
    with pytest.raises(InputError, match=r'^this needs the package no_such_package: pip install "rankine-ltr\[web\]"$'):
        needs("no_such_package", "web")


def test_the_distribution_is_called_by_its_own_name():
    """Another package is called rankine where packages are published."""
    root = Path(__file__).parent.parent
    assert tomllib.loads((root / "pyproject.toml").read_text())["project"]["name"] == DISTRIBUTION
    if not (root / ".git").exists():
        pytest.skip("needs the repository")
    names = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True).stdout
    tool = rb"(?:(?:pip3?|pipx)\s+install|uv\s+(?:pip\s+|tool\s+)?(?:install|add))"
    other = re.compile(tool + rb"(?:\s+-[-\w=]+)*\s+[\"'`]?rankine(?!-ltr)\b|\brankine\\?\[[a-z{]")
    for text in (
        b"pip install rankine",
        b'pip3 install -U "rankine[web]"',
        b"pipx install\n  rankine",
        b"uv add rankine",
    ):
        assert other.search(text)
    assert not other.search(b"pip install -q rankine-ltr")
    wrong = [
        f"{name}: {match[0].decode()}"
        for name in names.split("\0")
        if name not in ("", "tests/test_errors.py") and (root / name).is_file()
        for match in other.finditer((root / name).read_bytes())
    ]
    assert wrong == []
