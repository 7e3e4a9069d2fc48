"""The worked examples of CONTRIBUTING.md are replayed on a copy of the project; the files that it names exist."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCK = re.compile(
    r"^(?:New file `(?P<new>[^`]+)`|In `(?P<file>[^`]+)`, before `(?P<anchor>[^`]+)`):\n\n"
    r"```(?:python)?\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
CHECK = """
import rankine as rk
from rankine.sample import judged_set

assert rk.__file__.startswith({folder!r})
measure = rk.parse("F@5")
assert str(measure) == "F@5"
assert rk.evaluate("F@5", [1, 0, 1, 0, 0, 1], [6, 5, 4, 3, 2, 1]).mean["F@5"] == 2 * 2 / (5 + 3)
data = judged_set(n_queries=10)
model = rk.LinearRanker("logistic", C=1.0, normalise="query-zscore").fit(data)
assert model.gap_ <= 1e-3
assert rk.evaluate("AP", data.y, model.predict(data), data.qid).mean["AP"] > 0.8
"""


def section(title):
    """The text below a heading, to the next one."""
    return TEXT.split(f"\n## {title}\n")[1].split("\n## ")[0]


def contents(folder):
    """Every source file of a folder with its text."""
    return {
        p.relative_to(folder).as_posix(): p.read_text(encoding="utf-8")
        for p in folder.rglob("*.py*")
        if p.suffix in (".py", ".pyi")
    }


def apply(folder, title):
    """Make the changes of an example; the files that it names."""
    files = set()
    for block in BLOCK.finditer(section(title)):
        path = folder / (block["new"] or block["file"])
        if block["new"]:
            assert not path.exists()
            path.write_text(block["code"], encoding="utf-8")
        else:
            text = path.read_text(encoding="utf-8")
            assert text.count(f"\n{block['anchor']}") == 1, block["anchor"]
            blank = "\n\n" if block["code"].startswith("def ") else ""
            new = f"\n{block['code']}{blank}{block['anchor']}"
            path.write_text(text.replace(f"\n{block['anchor']}", new), encoding="utf-8")
        files.add(path.relative_to(folder).as_posix())
    return files


def run(folder, *arguments):
    """Run Python in the copy; its output."""
    environment = os.environ | {"PYTHONPATH": str(folder / "src")}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_examples_work_as_they_stand(tmp_path):
    ignored = shutil.ignore_patterns("test_saved.py", "saved", "*.flac", "*.wav", "*.tmp.*", "*.pyc.*")
    for name in ("src", "tests"):
        shutil.copytree(
            ROOT / name, tmp_path / name, ignore=ignored
        )  # with compiled kernels: nothing is compiled again
    shutil.copy2(ROOT / "pyproject.toml", tmp_path)
    before = contents(tmp_path)
    measure, loss = (apply(tmp_path, f"Example: a new {what}") for what in ("measure", "loss"))
    assert len(measure) == 3
    assert len(loss) == 4
    after = contents(tmp_path)
    assert {name for name in after if after[name] != before.get(name)} == measure | loss
    run(tmp_path, "-c", CHECK.format(folder=str(tmp_path)))
    command = "from rankine.cli import main; main()"
    assert "\nF(rel=1)@k\t" in run(tmp_path, "-c", command, "measures")
    assert "\nlogistic\t" in run(tmp_path, "-c", command, "losses")
    tests = ["tests/losses/test_logistic.py", "tests/measures/test_kernels.py", "tests/losses/test_base.py"]
    report = run(tmp_path, "-m", "pytest", "-q", *tests, "-k", "logistic or permutations")
    assert (
        int(re.search(r"(\d+) passed", report)[1]) >= 6 + 1 + 4
    )  # seeds of permutations, own test, tests of all losses


@pytest.mark.parametrize(
    "addition", re.findall(r"^\| ([a-z ]+) \| `", section("What an addition touches"), re.MULTILINE)
)
def test_an_addition_touches_at_most_four_files(addition):
    (row,) = re.findall(rf"^\| {addition} \| (.*) \|$", section("What an addition touches"), re.MULTILINE)
    files = re.findall(r"`([^`]+)`", row)
    assert 1 <= len(files) <= 4
    for name in files:
        path = ROOT / name if name.startswith(("tests/", "experiments/")) else ROOT / "src" / "rankine" / name
        assert path.exists() or path.stem in ("x", "test_x"), name
        assert path.parent.is_dir(), name


def test_every_room_is_named():
    table = section("Where things are")
    for path in (ROOT / "src" / "rankine").iterdir():
        if path.suffix == ".py" and path.stem != "__init__":
            assert f"`{path.stem}`" in table, path.stem
        elif path.is_dir() and (path / "__init__.py").exists():
            assert f"`{path.name}/`" in table, path.name


def test_no_module_imports_the_package_it_stands_in():
    graph = grimp.build_graph("rankine", cache_dir=None)
    upwards = {
        f"{module} -> {package}"
        for module in graph.modules
        for package in graph.find_modules_directly_imported_by(module)
        if module.startswith(f"{package}.") and not module.endswith(".__main__")
    }
    assert upwards == set()


def test_the_glossary_is_in_order():
    terms = re.findall(r"^(\S.*)\n: ", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(terms) > 40
    assert terms == sorted(terms, key=str.lower)
    assert len(set(terms)) == len(terms)
