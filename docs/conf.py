"""Sphinx configuration; built with warnings as errors by ``make docs``."""

from pathlib import Path

import rankine
from rankine.cli.measures import rows
from rankine.cli.spoken.tables import list_formats, list_units

# The table of measures is made from the table of measures.
_lines = ["| name | also | what it says |", "|---|---|---|"]
_lines += [f"| `{name}` | {also} | {says} |" for name, also, says in rows()]
Path(__file__).with_name("_measures.md").write_text("\n".join(_lines) + "\n", encoding="utf-8")
for _name, _listing in (("_lattice_formats.md", list_formats()), ("_units.md", list_units())):
    _lines = ["| " + " | ".join(_listing.columns) + " |", "|---" * len(_listing.columns) + "|"]
    _lines += ["| `" + "` | ".join([row[0], " | ".join(row[1:])]) + " |" for row in _listing.rows]
    Path(__file__).with_name(_name).write_text("\n".join(_lines) + "\n", encoding="utf-8")

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
myst_enable_extensions = ["dollarmath", "colon_fence"]
html_theme = "furo"
html_title = "Rankine"
html_static_path = ["_static"]
exclude_patterns = ["_build", "_measures.md", "_lattice_formats.md", "_units.md"]
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
napoleon_google_docstring = True
nitpicky = False
copybutton_exclude = ".linenos, .gp, .go"
suppress_warnings = ["config.cache"]
