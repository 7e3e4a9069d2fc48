"""Sphinx configuration; built with warnings as errors by ``make docs``."""

import inspect
from importlib import import_module
from pathlib import Path

import typer.main

import rankine
from rankine.cli import app
from rankine.cli.spoken.tables import list_formats, list_recognisers, list_units
from rankine.experiments.table import TABLE as EXPERIMENTS
from rankine.losses.table import TABLE as LOSSES
from rankine.losses.table import get
from rankine.normalise import TABLE as NORMALISERS
from rankine.solvers import TABLE as SOLVERS


def listed(command):
    """The columns and rows that ``rankine COMMAND`` prints."""
    module = import_module(f"rankine.cli.{command}")
    return module.COLUMNS, module.rows()


def commands(group, name):
    """Every command with the first line of its help."""
    for word, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{name} {word}")
        else:
            yield f"{name} {word}", command.help.split("\n")[0]


# A line for each table: pages include _tables/NAME.md
TABLES = {
    "measures": listed("measures"),
    "losses": listed("losses"),
    "solvers": listed("solvers"),
    "rankers": listed("rankers"),
    "formats": listed("formats"),
    "lattice-formats": list_formats(),
    "units": list_units(),
    "recognisers": list_recognisers(),
    "normalisers": (("name", "what it does"), ((name, row.explanation) for name, row in NORMALISERS.items())),
    "experiments": (("name", "what it is"), ((name, row.explanation) for name, row in EXPERIMENTS.items())),
    "commands": (("command", "what it does"), commands(typer.main.get_command(app), "rankine")),
}
# The same for functions and classes: pages include _tables/NAME-api.md
OBJECTS = {
    "losses": {type(get(f"{name}@10" if row.cut == "must" else name)) for name, row in LOSSES.items()},
    "solvers": {row.run for row in SOLVERS.values()},
}


def write_tables(folder):
    """Write the tables of the package as Markdown."""
    folder.mkdir(exist_ok=True)
    for name, (columns, rows) in TABLES.items():
        lines = [columns, ["---"] * len(columns), *((f"`{first}`", *rest) for first, *rest in rows)]
        text = "".join(f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    for name, objects in OBJECTS.items():
        lines = sorted(
            f".. auto{'class' if inspect.isclass(o) else 'function'}:: {o.__module__}.{o.__qualname__}\n"
            for o in objects
        )
        (folder / f"{name}-api.md").write_text(f"```{{eval-rst}}\n{''.join(lines)}```\n", encoding="utf-8")


write_tables(Path(__file__).with_name("_tables"))

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
