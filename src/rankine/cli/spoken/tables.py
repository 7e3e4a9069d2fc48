"""``rankine spoken formats``, ``units`` and ``recognisers``."""

from ...console import print_table


def formats() -> None:
    """List all lattice formats: names, endings, whether each is written too, and what it is."""
    from ...spoken.lattice.formats import TABLE

    rows = [
        (name, " ".join(row.endings), "no" if row.write is None else "yes", row.explanation)
        for name, row in TABLE.items()
    ]
    print_table("Formats of lattices", ["name", "endings", "written", "what it is"], rows)


def units() -> None:
    """List all units that words can be split into; a file of words and their units can be used too."""
    from ...spoken.lattice.units import TABLE

    rows = [(name, ", ".join(row.languages), row.explanation) for name, row in TABLE.items()]
    print_table("Units", ["name", "indexed for", "what it is"], rows)


def recognisers() -> None:
    """List all recognisers of speech: names, what each needs to be installed, and what it is."""
    from ...spoken.recognise.table import TABLE

    rows = [(name, f"rankine[{row.extra}]", row.explanation) for name, row in TABLE.items()]
    print_table("Recognisers", ["name", "needs", "what it is"], rows)
