"""The rules of the house that no linter knows: short functions, names, one class of a name, tests beside the source."""

import ast
import re
from collections import Counter
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "rankine"
FILES = sorted(SOURCE.rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}
LONGEST_FUNCTION, LONGEST_FILE, MOST_MODULES = 60, 600, 12
NAMED_TUPLES = {"_replace", "_asdict", "_fields"}  # public in spite of the underscore
UNCLEAR = {"found", "known", "chosen"}  # names are nouns of the field
# tests of several modules together, or of none
ACROSS = {"house", "nonsense", "saved", "opens", "contributing", "agreement", "scikit_learn", "wheel", "licences"}


def place(path: Path, line: int = 1) -> str:
    return f"{path.relative_to(ROOT)}:{line}"


def is_kernel_file(path: Path) -> bool:
    return path.stem.endswith("kernels") or path.parent.name == "kernels"


def functions(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def test_functions_are_short():
    long = [
        f"{place(path, f.lineno)} {f.name}: {f.end_lineno - f.lineno + 1} lines"
        for path, tree in TREES.items()
        if not is_kernel_file(path)
        for f in functions(tree)
        if f.end_lineno - f.lineno + 1 > LONGEST_FUNCTION
    ]
    assert long == []


def is_kernel(function) -> bool:
    decorators = [d.func if isinstance(d, ast.Call) else d for d in function.decorator_list]
    return any(isinstance(d, ast.Name) and d.id == "kernel" for d in decorators)


def test_kernels_stand_in_files_of_kernels():
    kernels = [(path, f) for path, tree in TREES.items() for f in functions(tree) if is_kernel(f)]
    assert len(kernels) > 100
    assert [f"{place(path, f.lineno)} {f.name}" for path, f in kernels if not is_kernel_file(path)] == []


def test_files_are_short_or_say_why():
    long = [
        f"{place(path)}: {n} lines"
        for path in (*FILES, *TESTS)
        if (n := len((text := path.read_text(encoding="utf-8")).splitlines())) > LONGEST_FILE
        and "(long:" not in text.splitlines()[0]
    ]
    assert long == []


def test_a_folder_has_at_most_twelve_modules():
    """Rooms are named by ideas: whoever looks for a line sees the whole room at a glance."""
    folders = {path.parent for path in (*FILES, *(ROOT / "experiments").rglob("*.py"))}
    full = {
        str(folder.relative_to(ROOT)): count
        for folder in folders
        if (count := sum(path.name != "__init__.py" for path in folder.glob("*.py"))) > MOST_MODULES
    }
    assert full == {}


def test_no_two_classes_have_one_name():
    names = Counter(node.name for tree in TREES.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert {name for name, count in names.items() if count > 1} == set()


def own_private_names(tree) -> set[str]:
    """Names with one underscore that a module defines: functions, classes, variables, attributes, fields."""
    names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.id if isinstance(node, ast.Name) else node.attr)
    return names


def test_no_underscore_name_crosses_a_module():
    crossing = []
    for path, tree in TREES.items():
        own = own_private_names(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").startswith("rankine")):
                crossing += [
                    f"{place(path, node.lineno)} {a.name}"
                    for a in node.names
                    if a.name.startswith("_") and not a.name.startswith("__")
                ]
            private = isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.endswith("__")
            if private and node.attr not in own | NAMED_TUPLES:
                base = node.value
                inherited = (isinstance(base, ast.Name) and base.id in ("self", "cls")) or (
                    isinstance(base, ast.Call) and isinstance(base.func, ast.Name) and base.func.id == "super"
                )
                foreign = isinstance(base, ast.Name) and base.id in ("os", "sys")  # os._exit
                if not inherited and not foreign:
                    crossing.append(f"{place(path, node.lineno)} {node.attr}")
    assert crossing == []


def is_output(node) -> bool:
    """Whether a call prints or writes to standard output or standard error."""
    name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
    return name in ("print", "typer.echo", "typer.secho", "typer.prompt", "click.echo", "input") or (
        name.startswith(("sys.stdout.", "sys.stderr.")) and name.endswith((".write", ".writelines"))
    )


def test_all_output_goes_through_the_console():
    """Text from files must not control a terminal, and what is piped must be exact: system.console sees to both."""
    calls = [
        place(path, node.lineno)
        for path, tree in TREES.items()
        if path != SOURCE / "system/console.py"
        for node in ast.walk(tree)
        if is_output(node)
    ]
    assert calls == []


def test_names_are_nouns():
    unclear = []
    for path, tree in (*TREES.items(), *((test, ast.parse(test.read_text(encoding="utf-8"))) for test in TESTS)):
        for node in ast.walk(tree):
            stored = isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store)
            name = node.arg if isinstance(node, ast.arg) else None
            if stored:
                name = node.id if isinstance(node, ast.Name) else node.attr
            if name in UNCLEAR:
                unclear.append(f"{place(path, node.lineno)} {name}")
    assert unclear == []


IMPORT = re.compile(r"(?:from|python -m) ((?:rankine|attacks|benchmarks|experiments)(?:\.\w+)+)(?: import (\w+))?")
EARLIER = ("tests/saved/make.py", "tests/opens/fill.py")  # run with the code of an earlier commit


def is_there(module: str, name: str) -> bool:
    """Whether there is a module, and it holds a name if one is given."""
    try:
        return find_spec(module) is not None and (
            not name or hasattr(import_module(module), name) or is_there(f"{module}.{name}", "")
        )
    except ModuleNotFoundError:
        return False


def test_modules_that_text_names_are_there():
    """In the programs that tests run as text, in commands of the pages, and where no test comes."""
    folders = [ROOT / name for name in ("attacks", "benchmarks", "docs", "examples", "experiments", "tests")]
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
    texts = [
        *FILES,
        *pages,
        *(path for folder in folders for ending in ("py", "md") for path in folder.rglob(f"*.{ending}")),
    ]
    gone = [
        f"{place(path)}: {match[0]}"
        for path in texts
        if str(path.relative_to(ROOT)) not in EARLIER
        for match in IMPORT.finditer(path.read_text(encoding="utf-8"))
        if not is_there(match[1], match[2] or "")
    ]
    assert gone == []


@pytest.mark.parametrize("path", [p for p in TESTS if p.stem.startswith("test_")], ids=lambda p: p.stem)
def test_tests_stand_beside_the_source(path):
    """tests/a/test_b.py and test_b_c.py test src/rankine/a/b.py, b.js, a folder, kernels; or attacks, experiments."""
    folder, stem = path.parent.relative_to(ROOT / "tests"), path.stem.removeprefix("test_")
    if stem in ACROSS:
        return
    home = ROOT / folder if folder.parts[:1] in (("attacks",), ("experiments",)) else SOURCE / folder
    parts = stem.split("_")
    stems = ["_".join(parts[:n]) for n in range(1, len(parts) + 1)]
    names = [name for s in stems for name in (f"{s}.py", f"{s}/__init__.py", f"{s}_kernels.py", f"{s}.js")]
    candidates = [home / name for name in names]
    if stem == folder.name:  # the package itself
        candidates.append(home / "__init__.py")
    assert any(c.exists() for c in candidates), f"no module {folder / stem}"
