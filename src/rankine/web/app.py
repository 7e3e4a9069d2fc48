"""The application: routes, each a thin function, behind the guard."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, NamedTuple

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Scope

from ..errors import InputError
from ..system.console import say
from .answers import ApiError, bad_input, error_answer, json_answer
from .api import exports, recordings, search
from .api.listening import ListeningRoutes, attachment
from .limits import SEARCHES, Gate, StreamCount
from .live import ArchiveState, LiveArchive
from .pages import LOGIN_FILES, PageFiles
from .parameters import Parameters, recording_name
from .security import ENTRY, EntryRules, Guard, set_cookie
from .sessions import Sessions

Compute = Callable[[ArchiveState], dict[str, Any]]
Handler = Callable[[Request], Awaitable[Response]]
_LARGEST_BODY = 4096  # bytes
BODY_SECONDS = 10.0


class WebOptions(NamedTuple):
    """What is served, and to whom."""

    archive: LiveArchive
    rules: EntryRules
    read_only: bool = False


def is_page(path: str) -> bool:
    """Whether a path is one of the pages that people look at."""
    return path in ("/", "/recordings") or (path.startswith("/recording/") and path.count("/") == 2)


def needs_no_session(path: str) -> bool:
    """Whether a path is a file of the login page itself."""
    return path in [f"/static/{name}" for name in LOGIN_FILES]


def create_app(options: WebOptions, files: PageFiles | None = None) -> ASGIApp:
    """The whole application."""
    site = WebSite(options, files or PageFiles())
    app = Starlette(routes=site.routes(), exception_handlers={
        ApiError: _api_error, InputError: _input_error, HTTPException: _http_error, Exception: _unexpected,
        ClientDisconnect: _gone,
    })  # fmt: skip
    app.router.redirect_slashes = False
    return Guard(app, options.rules, site.login)


class WebSite:
    """What the routes share: the archive, the files of the page, and how much is done at once."""

    def __init__(self, options: WebOptions, files: PageFiles) -> None:
        self.options, self.archive, self.files = options, options.archive, files
        self.searches, self.reads = Gate("searches", SEARCHES), Gate("requests", 8)
        self.listening = ListeningRoutes(self.archive, self.reads, StreamCount())

    def routes(self) -> list[Route]:
        """All routes; names of recordings are still percent-encoded in the paths that they match."""
        api, one, listening = "/api/v1", "/api/v1/recordings/{id}", self.listening
        return [
            *(Route(path, self.shell) for path in ("/", "/recordings", "/recording/{id}")),
            Route("/static/{name:path}", self.static),
            Route(ENTRY, self.enter, methods=["POST"]),
            Route(f"{api}/archive", self.about),
            Route(f"{api}/search", partial(self.with_parameters, search.search, self.searches)),
            Route(f"{api}/why", partial(self.with_parameters, search.why, self.searches)),
            Route(f"{api}/recordings", partial(self.with_parameters, recordings.recordings, self.reads)),
            Route(one, self.recording),
            Route(f"{one}/transcript", self.transcript),
            Route(f"{one}/peaks", listening.peaks),
            Route(f"{one}/audio", listening.audio),
            Route(f"{one}/clip", listening.clip),
            Route(f"{one}/citation", self.citation),
            Route(f"{one}/subtitles.{{form}}", self.subtitles),
            Route(f"{api}/hits.{{form}}", self.hits),
        ]

    # -- pages

    async def shell(self, request: Request) -> Response:
        """The one page of all views."""
        return self.files.page("page.html", request.scope["nonce"], self.archive.folder.resolve().name)

    def login(self, scope: Scope) -> Response:
        """The page that asks for the token, after it has loaded the address once more from this site."""
        return self.files.page("login.html", scope["nonce"], status=401)

    async def static(self, request: Request) -> Response:
        """A file of the pages."""
        wanted = request.query_params.get("v", "")
        return self.files.static(request.path_params["name"], wanted, request.headers.get("if-none-match", ""))

    async def enter(self, request: Request) -> Response:
        """Open a session for a token, which comes as JSON or from a form."""
        body = await small_body(request)
        if request.headers.get("content-type", "").partition(";")[0].strip() == "application/json":
            try:
                content = json.loads(body)
            except (ValueError, RecursionError):
                content = None
            token = content.get("token") if isinstance(content, dict) else None
        else:
            token = Parameters(body).values.get("token")
        rules = self.options.rules
        cookie = rules.sessions.enter(token) if isinstance(token, str) else None
        if cookie is None:
            raise ApiError(401, "wrong-token", "this is not the token that the server printed")
        answer = Response(status_code=204, headers={"Cache-Control": "no-store"})
        set_cookie(answer, rules, cookie)
        return answer

    # -- the API

    async def answer(self, gate: Gate, compute: Compute) -> Response:
        """What is computed from one state of the archive, with the name of the state."""
        content, state = await gate.run(partial(self.archive.answer, compute))
        return json_answer({**content, "state": state.id})

    async def with_parameters(self, compute: Callable[..., dict[str, Any]], gate: Gate, request: Request) -> Response:
        """An answer that depends on the parameters alone."""
        parameters = Parameters(request.scope["query_string"])
        return await self.answer(gate, lambda state: compute(state, parameters))

    async def about(self, request: Request) -> Response:
        """The archive as a whole, and who asks."""
        mine = {"read_only": self.options.read_only, "user": request.scope["user"]}
        return await self.answer(self.reads, lambda state: recordings.archive_content(state) | mine)

    async def recording(self, request: Request) -> Response:
        """One recording."""
        name, url = recording_name(request.path_params["id"]), request.url.path
        return await self.answer(self.reads, lambda state: self.listening.with_audio(state, name, url))

    async def transcript(self, request: Request) -> Response:
        """The words of a recording."""
        name, parameters = recording_name(request.path_params["id"]), Parameters(request.scope["query_string"])
        return await self.answer(self.reads, lambda state: recordings.transcript(state, name, parameters))

    async def citation(self, request: Request) -> Response:
        """A line that cites a recording."""
        name, parameters = recording_name(request.path_params["id"]), Parameters(request.scope["query_string"])
        return await self.answer(self.reads, lambda state: exports.citation_content(state, name, parameters))

    async def subtitles(self, request: Request) -> Response:
        """A recording's words as subtitles."""
        name, form = recording_name(request.path_params["id"]), request.path_params["form"]
        return await self.file(self.reads, lambda state: exports.subtitle_file(state, name, form))

    async def hits(self, request: Request) -> Response:
        """All hits of a query as a file."""
        parameters, form = Parameters(request.scope["query_string"]), request.path_params["form"]
        return await self.file(self.searches, lambda state: exports.export_hits(state, parameters, form))

    async def file(self, gate: Gate, compute: Callable[[ArchiveState], exports.ExportFile]) -> Response:
        """A file that is computed from one state of the archive."""
        file, state = await gate.run(partial(self.archive.answer, compute))
        headers = {"Cache-Control": "no-store", "Content-Disposition": attachment(file.name), "X-State": state.id}
        return Response(file.content, 200, headers, file.type)


async def small_body(request: Request) -> bytes:
    """The body of a request; an ApiError where it is larger than a few lines, or does not come."""
    body = b""
    try:
        with anyio.fail_after(BODY_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > _LARGEST_BODY:
                    raise ApiError(413, "too-large", f"expected at most {_LARGEST_BODY} bytes")
    except TimeoutError:
        raise ApiError(408, "too-slow", f"the request has not come within {BODY_SECONDS:g} seconds") from None
    return body


async def _api_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)
    return error_answer(error)


async def _input_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, InputError)
    return error_answer(bad_input(error))


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        return error_answer(ApiError(405, "method", "this address takes no such request", error.headers))
    return error_answer(ApiError(404, "not-found", "there is no such address"))


async def _gone(request: Request, error: Exception) -> Response:
    return Response(status_code=400)


async def _unexpected(request: Request, error: Exception) -> Response:
    say(f"rankine: this is a bug in Rankine: {type(error).__name__}: {error}")
    return error_answer(ApiError(500, "bug", "this is a mistake in Rankine itself; the server's terminal says more"))


def new_rules(sessions: Sessions, **options: Any) -> EntryRules:
    """The rules of a guard for the pages of this application."""
    return EntryRules(sessions, free=needs_no_session, is_page=is_page, **options)
