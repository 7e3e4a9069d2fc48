"""Who changes an archive."""

from __future__ import annotations


def login_name() -> str:
    """The name that the user is logged in with; empty where the system does not tell."""
    import getpass

    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""
    return name if name.isprintable() else ""
