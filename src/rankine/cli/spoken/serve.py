"""``rankine spoken serve``."""

from __future__ import annotations

from typing import Annotated

import typer

from .common import Folder


def serve(
    archive: Folder,
    port: Annotated[int, typer.Option(help="The port; the next free one if it is taken, 0 for any.")] = 8517,
    host: Annotated[
        str, typer.Option(help="The address to listen on; other machines reach any but 127.0.0.1, such as 0.0.0.0.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    read_only: Annotated[bool, typer.Option("--read-only", help="Only search and listen: nothing is changed.")] = False,
    certificate: Annotated[
        str | None, typer.Option(help="A file with a certificate (PEM), for HTTPS; needs --key.")
    ] = None,
    key: Annotated[str | None, typer.Option(help="The file of the certificate's private key.")] = None,
    token_for: Annotated[
        list[str] | None, typer.Option(help="Print a token for a colleague of this name too; may be repeated.")
    ] = None,
) -> None:
    """Open an archive in the browser: search, listen, and see why.

    Prints an address with a token, which lets its reader in; opens it in the browser; ends with Ctrl-C. Recordings that
    are closed are not shown. The page follows what other commands add to the archive.

    `rankine spoken serve archive/`

    `rankine spoken serve archive/ --host 0.0.0.0 --certificate cert.pem --key key.pem --token-for ann`
    """
    from ...errors import needs

    for package in ("starlette", "uvicorn"):
        needs(package, "web")
    from ...web.server import ServeOptions
    from ...web.server import serve as serve_archive

    options = ServeOptions(host, port, browser, read_only, certificate, key, tuple(token_for or ()))
    serve_archive(archive, options)
