"""What Rankine installs has no GPL in it: by what packages state, and by the libraries that their wheels bundle."""

import email
import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = ("spoken", "media", "whisper", "vosk", "web", "boost", "torch", "export")  # of users
LGPL = {"soxr"}  # packages under the LGPL, which is allowed
BUNDLED = {  # licences of libraries in wheels, by how their files begin
    "GPL": ("x264", "x265", "xvidcore", "postproc", "rubberband", "vidstab", "fftw", "readline"),
    "LGPL": ("avcodec", "avformat", "avutil", "sndfile", "mpg123", "mp3lame", "gmp", "gnutls", "nettle", "hogweed",
             "unistring", "asound", "soxr"),
}  # fmt: skip
BUNDLERS = {"GPL": {"av"}, "LGPL": {"av", "soundfile", "soxr"}}  # packages that may bundle them
GPL = re.compile(r"(?<!L)GPL|(?<!Lesser )General Public License|Affero")


def installed(requirements):
    """The names of all packages that requirements lead to here; skip where one is missing."""
    seen, todo = set(), [(Requirement(text), "") for text in requirements]
    while todo:
        needed, extra = todo.pop()
        name = canonicalize_name(needed.name)
        if needed.marker and not needed.marker.evaluate({"extra": extra}):
            continue
        for own in {"", *needed.extras} - {own for other, own in seen if other == name}:
            seen.add((name, own))
            todo += [(Requirement(text), own) for text in required(name, own)]
    return {name for name, _ in seen} - {PROJECT["name"]}


def required(name, extra):
    if name == PROJECT["name"]:
        return PROJECT["optional-dependencies"][extra] if extra else PROJECT["dependencies"]
    try:
        return metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        pytest.skip(f"{name} is not installed")


def licences(about):
    """The licences among which one may choose; those that hold together are one text."""
    if expression := about.get("License-Expression"):
        assert "(" not in expression or not GPL.search(expression), f"{about['Name']}: read {expression}"
        return expression.split(" OR ")
    classes = [text for text in about.get_all("Classifier") or [] if text.startswith("License :: ")]
    stated = [text.rpartition(" :: ")[2] for text in classes if text != "License :: OSI Approved"]
    return stated or [text for text in [(about.get("License") or "").strip()] if text not in ("", "UNKNOWN")]


def is_gpl(licence):
    """Whether one of the licences that hold together is the GPL without an exception for what is linked to it."""
    return any(GPL.search(part) and " WITH " not in part for part in licence.split(" AND "))


def bundled(name):
    """The licences of the libraries of the table that a package brings, with the names of the files."""
    files = [Path(file).name for file in metadata.files(name) or [] if re.search(r"\.(so|dylib|dll)\b", str(file))]
    by_licence = {}
    for licence, libraries in BUNDLED.items():
        pattern = re.compile(rf"(lib)?({'|'.join(libraries)})(?![a-z])")
        by_licence[licence] = [file for file in files if pattern.match(file)]
    return by_licence


@pytest.mark.parametrize("extra", ["", *EXTRAS, "dev"])
def test_packages_under_the_gpl_offer_another_licence(extra):
    """Those that only development needs, such as bagit, are looked at with ``dev``."""
    abouts = {name: metadata.metadata(name) for name in installed([f"{PROJECT['name']}[{extra}]"])}
    assert [name for name, about in abouts.items() if not licences(about)] == []
    assert [name for name, about in abouts.items() if licences(about) and all(map(is_gpl, licences(about)))] == []
    assert {name for name, about in abouts.items() if "LGPL" in " ".join(licences(about))} <= LGPL | (
        {"num2words"} if extra == "dev" else set()  # of gruut, with which the tests compare
    )


@pytest.mark.parametrize("extra", ["", *EXTRAS])
def test_libraries_that_wheels_bundle(extra):
    for name in installed([f"{PROJECT['name']}[{extra}]"]):
        for licence, files in bundled(name).items():
            assert not files or name in BUNDLERS[licence], (name, files)


def test_pyav_is_installed_by_its_own_extra_only():
    """Its wheels bundle x264 and x265."""
    assert [extra for extra in EXTRAS if "av" in installed([f"{PROJECT['name']}[{extra}]"])] == ["media"]
    if any(str(file).startswith("av.libs/") for file in metadata.files("av") or []):
        assert {re.match("libx26[45]", file)[0] for file in bundled("av")["GPL"]} == {"libx264", "libx265"}


def test_every_extra_is_looked_at():
    assert set(PROJECT["optional-dependencies"]) == {*EXTRAS, "test", "docs", "dev", "bench"}


@pytest.mark.parametrize(
    ("fields", "choice", "gpl"),
    [
        ({"License-Expression": "GPL-3.0-or-later"}, 1, True),
        ({"License-Expression": "MIT OR GPL-2.0-only"}, 2, False),
        ({"License-Expression": "MIT AND AGPL-3.0-only"}, 1, True),
        ({"License-Expression": "MIT AND GPL-3.0-or-later WITH GCC-exception-3.1"}, 1, False),
        ({"License-Expression": "LGPL-2.1-or-later"}, 1, False),
        ({"License": "GPLv3"}, 1, True),
        ({"License": "UNKNOWN"}, 0, None),
        ({"License": "x", "Classifier": "License :: OSI Approved :: GNU General Public License (GPL)"}, 1, True),
        ({"Classifier": "License :: OSI Approved :: GNU Library or Lesser General Public License (LGPL)"}, 1, False),
        ({"Classifier": "License :: OSI Approved :: GNU Affero General Public License v3"}, 1, True),
    ],
)
def test_licences_are_told_apart(fields, choice, gpl):
    lines = {"Name": "x", **fields}.items()
    stated = licences(email.message_from_string("".join(f"{name}: {value}\n" for name, value in lines)))
    assert len(stated) == choice
    assert not stated or all(map(is_gpl, stated)) is gpl
