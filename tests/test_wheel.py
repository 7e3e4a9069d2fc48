"""The wheel: what is in it, and that it works with nothing beside it but what it requires."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from contextlib import suppress
from importlib.metadata import (
    Distribution,
    PackageNotFoundError,
    PathDistribution,
    distribution,
    packages_distributions,
)
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
VENDOR = Path("src/rankine/web/page/vendor")
LEFT_OUT = shutil.ignore_patterns("__pycache__", "vendor")

# Modules of which nothing is required are hidden, also from processes that the command starts.
HIDING = """
import sys
from importlib.machinery import PathFinder

class Plain(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in {hidden!r} else PathFinder.find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Plain
"""


def copy_source(folder: Path) -> Path:
    """What a wheel is built of, without what the Makefile fetches."""
    shutil.copytree(ROOT / "src", folder / "src", ignore=LEFT_OUT)
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    return folder


def run_pip(*arguments):
    command = [sys.executable, "-m", "pip", *arguments, "--quiet", "--no-deps", "--no-index"]
    own = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore"}
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **own})


def build(source: Path, folder: Path):
    return run_pip("wheel", "--no-build-isolation", "--wheel-dir", str(folder), str(source))


def test_no_wheel_without_the_waveform(tmp_path):
    done = build(copy_source(tmp_path / "source"), tmp_path / "wheels")
    assert done.returncode != 0
    assert f"{VENDOR}/wavesurfer.esm.js is missing, and a wheel must have it: run `make waveform` first" in done.stderr
    assert not list(tmp_path.glob("wheels/*.whl"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    if not (ROOT / VENDOR / "wavesurfer.esm.js").exists():
        pytest.skip("needs the waveform: `make waveform`")
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(ROOT / VENDOR, copy_source(folder / "source") / VENDOR)
    done = build(folder / "source", folder / "wheels")
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("wheels/rankine_ltr-*.whl")
    return path


def test_the_wheel_has_all_that_is_read_at_run_time(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {
        "rankine/web/page/vendor/wavesurfer.esm.js",
        "rankine/web/page/vendor/wavesurfer.esm.LICENSE",
        "rankine/web/page/page.html",
        "rankine/spoken/learn/shipped.json",
        "rankine/sample/search.txt",
        "rankine/sample/spoken/queries.tsv",
        "rankine/__init__.pyi",
    } <= names
    source = {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src").rglob("*") if path.is_file()}
    made = re.compile(r"/__pycache__/|\.egg-info/")
    assert {name for name in source if not made.search(name)} <= names


def required(own: Distribution) -> set[str]:
    """The names of the distributions that one requires without its extras, and of those that they require."""
    waiting, seen = [(own, "")], {("", "")}
    while waiting:
        of, extra = waiting.pop()
        for requirement in map(Requirement, of.requires or ()):
            if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
                continue
            name = canonicalize_name(requirement.name)
            new = {(name, e) for e in ("", *requirement.extras)} - seen
            seen |= new
            with suppress(PackageNotFoundError):  # what this environment has not, nothing has to hide
                waiting += [(distribution(name), e) for _, e in new]
    return {name for name, _ in seen}


def hidden_modules(own: Distribution) -> set[str]:
    """Modules of this environment that an installation of the wheel without extras would not have."""
    there = required(own) | {"rankine-ltr", "pip", "setuptools"}
    return {
        module
        for module, owners in packages_distributions().items()
        if not {canonicalize_name(owner) for owner in owners} & there
    }


def install(wheel: Path, folder: Path) -> Path:
    """The wheel as it is installed, with the kernels that were compiled here, which are of the same source."""
    done = run_pip("install", "--target", str(folder), str(wheel))
    assert done.returncode == 0, done.stderr
    for path in (folder / "rankine").rglob("*kernels.py"):
        source = ROOT / "src" / path.relative_to(folder)
        shutil.copystat(source, path)
        path.parent.joinpath("__pycache__").mkdir(exist_ok=True)
        for compiled in source.parent.glob(f"__pycache__/{source.stem}.*.nb?"):
            shutil.copy2(compiled, path.parent / "__pycache__")
    return folder


def test_the_demo_of_a_plain_wheel(wheel, tmp_path):
    """Without extras there is the half that ranks, and one line says what the other half needs."""
    place = install(wheel, tmp_path / "installed")
    hidden = hidden_modules(PathDistribution(next(place.glob("rankine_ltr-*.dist-info"))))
    assert {"pocketsphinx", "soundfile", "starlette", "lightgbm", "pytest"} <= hidden
    assert not {"numpy", "rich", "sklearn", "typer"} & hidden
    (place / "sitecustomize.py").write_text(HIDING.format(hidden=hidden))
    command = [sys.executable, "-m", "rankine", "demo", "made"]
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(place)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "SVM-NDCG − bm25" in done.stdout
    assert (tmp_path / "made" / "report.html").read_text().count("<img") == 1
    (line,) = [line for line in done.stdout.splitlines() if "rankine-ltr" in line]
    assert line.startswith("2. ")
    assert line.endswith('pip install "rankine-ltr[spoken]"')
    assert "rankine train made/search.txt" in done.stdout
    assert "rankine spoken" not in done.stdout + done.stderr
    assert not (tmp_path / "made" / "archive").exists()
