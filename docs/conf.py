"""Sphinx configuration; built with warnings as errors by ``make docs``."""

import inspect
from pathlib import Path

import typer.main

import rankine
from experiments.table import TABLE as EXPERIMENTS
from rankine.cli import lists
from rankine.cli.app import app
from rankine.cli.lists import CANDIDATE_COLUMNS, candidate_rows
from rankine.cli.spoken.lists import list_formats, list_models, list_recognisers, list_units
from rankine.data.normaliser_table import TABLE as NORMALISERS
from rankine.export.table import TABLE as TARGETS
from rankine.losses import get, names
from rankine.rankers.base import LinearModel
from rankine.rankers.table import TABLE as RANKERS
from rankine.solvers import TABLE as SOLVERS
from rankine.spoken.metadata.fields import TABLE as FIELDS
from rankine.spoken.query.grammar import EXAMPLES
from rankine.spoken.recognise.recognisers.table import TABLE as RECOGNISERS


def listed(command):
    """The columns and rows that ``rankine COMMAND`` prints."""
    one = command.removesuffix("s")
    return getattr(lists, f"{one.upper()}_COLUMNS"), getattr(lists, f"{one}_rows")()


def commands(group, name):
    """Every command with the first line of its help."""
    for word, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{name} {word}")
        else:
            yield f"{name} {word}", command.help.split("\n")[0]


def targets():
    """Every export target with its explanation, the models that it holds, and whether its result can be run here."""
    for name, row in TARGETS.items():
        yield name, row.explanation, ", ".join(row.forms), "yes" if row.runs else "no"


def homes(objects):
    """Functions and classes by the names of their modules."""
    return {f"{o.__module__}.{o.__qualname__}": o for o in objects}


# A line for each table: pages include _tables/NAME.md
TABLES = {
    "measures": listed("measures"),
    "losses": listed("losses"),
    "solvers": listed("solvers"),
    "rankers": listed("rankers"),
    "candidates": (CANDIDATE_COLUMNS, candidate_rows()),
    "formats": listed("formats"),
    "lattice-formats": list_formats(),
    "units": list_units(),
    "recognisers": list_recognisers(),
    "models": list_models(),
    "fields": (
        ("field", "what it says", "other names"),
        ((name, row.explanation, ", ".join(row.aliases)) for name, row in FIELDS.items()),
    ),
    "queries": (("query", "what it finds"), EXAMPLES),
    "targets": (("name", "what it is", "models that it holds", "run here (`--check`)"), targets()),
    "normalisers": (("name", "what it does"), ((name, row.explanation) for name, row in NORMALISERS.items())),
    "experiments": (("name", "what it is"), ((name, row.explanation) for name, row in EXPERIMENTS.items())),
    "commands": (("command", "what it does"), commands(typer.main.get_command(app), "rankine")),
}
# The same for functions and classes: pages include _tables/NAME-api.md
OBJECTS = {
    "losses": homes(type(get(name.replace("@k", "@10"))) for name in names()),
    "solvers": homes(row.run for row in SOLVERS.values()),
    "rankers": {f"rankine.{row.class_name}": row.load() for row in RANKERS.values()},
    "targets": {f"rankine.export.{row.function}": row.load() for row in TARGETS.values()},
    "recognisers": {
        f"rankine.spoken.recognise.recognisers.{row.module}.{row.class_name}": row.load()
        for row in RECOGNISERS.values()
    },
}


def directive(place, described):
    """What documents a function or a class; of a ranker also the methods that other rankers do not have, and fit."""
    if not inspect.isclass(described):
        return f".. autofunction:: {place}\n"
    methods = []
    if hasattr(described, "fit"):
        own = [name for name, value in vars(described).items() if inspect.isfunction(value)]
        methods = [name for name in own if not name.startswith("_") and not hasattr(LinearModel, name)]
    return "".join([f".. autoclass:: {place}\n\n", *(f"   .. automethod:: {name}\n" for name in methods), "\n"])


def write_tables(folder):
    """Write the tables of the package as Markdown."""
    folder.mkdir(exist_ok=True)
    for name, (columns, rows) in TABLES.items():
        lines = [columns, ["---"] * len(columns), *((f"`{first}`", *rest) for first, *rest in rows)]
        text = "".join(f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    for name, objects in OBJECTS.items():
        lines = sorted(directive(place, o) for place, o in objects.items())
        (folder / f"{name}-api.md").write_text(f"```{{eval-rst}}\n{''.join(lines)}```\n", encoding="utf-8")


def check_pages(folder):
    """Raise an error if a table stands on no page."""
    text = "".join(page.read_text(encoding="utf-8") for page in folder.glob("*.md"))
    for name in (*TABLES, *(f"{name}-api" for name in OBJECTS)):
        if f"{{include}} _tables/{name}.md" not in text:
            raise ValueError(f"no page includes _tables/{name}.md")


write_tables(Path(__file__).with_name("_tables"))
check_pages(Path(__file__).parent)

project = "Rankine"
author = "The Rankine developers"
copyright = "2026, The Rankine developers"
version = release = rankine.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
]
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
html_theme = "furo"
html_title = "Rankine"
html_static_path = ["_static"]
exclude_patterns = ["_build", "_tables"]
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
napoleon_google_docstring = True
nitpicky = False
copybutton_exclude = ".linenos, .gp, .go"
suppress_warnings = ["config.cache"]
