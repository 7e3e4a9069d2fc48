"""Routes of what is heard: audio with ranges, clips, and the waveform."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import quote

import anyio
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from ..answers import ApiError, json_answer
from ..limits import Gate, StreamCount
from ..live import ArchiveState, LiveArchive
from ..parameters import Parameters, recording_name
from ..sound.audio import SentAudio, audio_files, open_clip, open_content
from ..sound.peaks import PeakCache
from ..sound.timeline import TimedFile
from .recordings import described, recording

_STALLED = 60.0  # seconds after which a client that takes nothing is given up
_KEEP = "private, no-cache"


class ListeningRoutes:
    """Audio, clips and peaks of the recordings of an archive."""

    def __init__(self, archive: LiveArchive, reads: Gate, streams: StreamCount) -> None:
        self.archive, self.reads, self.streams = archive, reads, streams
        self.decoding, self.sending = Gate("recordings", 2, seconds=300.0), Gate("streams", 16, waiting=1000)
        self.peak_cache = PeakCache()

    def with_audio(self, state: ArchiveState, name: str, url: str) -> dict[str, Any]:
        """One recording, with where its audio is."""
        described(state, name)
        content = recording(state, name)
        if content["audio"]["state"] == "ok":
            content["audio"] |= {"url": f"{url}/audio"}
        return content

    async def peaks(self, request: Request) -> Response:
        """The waveform of a recording."""
        name, parameters = recording_name(request.path_params["id"]), Parameters(request.scope["query_string"])
        points = parameters.number("points", 2000, 10, 20_000)
        files, state = await self.reads.run(lambda: self.archive.answer(lambda s: self._files(s, name)))
        waves = await self.decoding.run(lambda: self.peak_cache.get(files, points))
        return json_answer({"state": state.id, "seconds": waves.seconds, "peaks": waves.rows()})

    def _files(self, state: ArchiveState, name: str) -> Sequence[TimedFile]:
        described(state, name)
        return audio_files(state, name)

    async def audio(self, request: Request) -> Response:
        """The audio of a recording, or a range of it."""
        return await self._send(request, open_content)

    async def clip(self, request: Request) -> Response:
        """The samples between two times as a file to keep."""
        parameters = Parameters(request.scope["query_string"])
        start, end = parameters.seconds("start"), parameters.seconds("end")
        answer = await self._send(request, lambda files: open_clip(files, start, end))
        name = f"{recording_name(request.path_params['id'])} {start:.2f}-{end:.2f}.wav"
        answer.headers["Content-Disposition"] = attachment(name)
        return answer

    async def _send(self, request: Request, open_audio: Callable[[Sequence[TimedFile]], SentAudio]) -> Response:
        name = recording_name(request.path_params["id"])
        files, _ = await self.reads.run(lambda: self.archive.answer(lambda state: self._files(state, name)))
        content = await self.reads.run(lambda: open_audio(files))
        try:
            return self._answer(request, content)
        except BaseException:
            content.close()
            raise

    def _answer(self, request: Request, content: SentAudio) -> Response:
        headers = {"Accept-Ranges": "bytes", "ETag": content.mark, "Cache-Control": _KEEP}
        if content.mark in request.headers.get("if-none-match", ""):
            content.close()
            return Response(status_code=304, headers=headers)
        wanted = request.headers.get("range")
        if request.headers.get("if-range", content.mark) != content.mark:
            wanted = None
        part = read_range(wanted, content.size)
        begin, end = part or (0, content.size)
        headers["Content-Length"] = str(end - begin)
        if part is not None:
            headers["Content-Range"] = f"bytes {begin}-{end - 1}/{content.size}"
        if request.method == "HEAD":
            content.close()
            return Response(status_code=206 if part else 200, headers=headers, media_type=content.type)
        user = str(request.scope["user"])
        self.streams.enter(user)
        answer = PatientResponse(self._chunks(content, begin, end), 206 if part else 200, headers, content.type)
        answer.ends = [content.close, partial(self.streams.leave, user)]
        return answer

    async def _chunks(self, content: SentAudio, begin: int, end: int) -> AsyncIterator[bytes]:
        """The bytes of a range; each chunk is read in a thread, and none is held while a client takes its time."""
        chunks = content.chunks(begin, end)
        while data := await self.sending.run(lambda: next(chunks, b"")):
            yield data


class PatientResponse(StreamingResponse):
    """A stream that is given up when its client takes nothing for a while; ``ends`` are called when it ends."""

    ends: Sequence[Callable[[], None]] = ()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            for end in self.ends:
                end()

    async def stream_response(self, send: Send) -> None:
        """Send all chunks."""

        async def in_time(message: Message) -> None:
            with anyio.fail_after(_STALLED):
                await send(message)

        with suppress(TimeoutError):
            await super().stream_response(in_time)


def attachment(name: str) -> str:
    """The header by which a browser keeps an answer as a file of this name."""
    plain = "".join(c if c.isalnum() or c in " ._-" else "_" for c in name).strip(". ")[:150] or "recording"
    ascii_name = plain.encode("ascii", "replace").decode().replace("?", "_")
    return f"attachment; filename=\"{ascii_name}\"; filename*=UTF-8''{quote(plain, safe='')}"


# -- Ranges of bytes


_RANGE = re.compile(r"(\d{0,18})-(\d{0,18})", re.ASCII)


def read_range(header: str | None, size: int) -> tuple[int, int] | None:
    """First byte and the one behind the last; None: all of it. An ApiError where the range cannot be sent.

    >>> read_range("bytes=0-99", 1000), read_range("bytes=-100", 1000), read_range("bytes=990-", 1000)
    ((0, 100), (900, 1000), (990, 1000))
    """
    if header is None or not header.strip().lower().startswith("bytes="):
        return None  # a unit that is not known is passed over, as the standard says
    text = header.strip()[6:]
    if "," in text:
        raise _refused("expected one range of bytes, got several", size)
    match = _RANGE.fullmatch(text.strip())
    if match is None or match[0].strip() == "-":
        raise _refused("expected a range such as bytes=0-1023", size)
    first, last = match.groups()
    if not first:
        begin, end = max(size - int(last), 0), size
    else:
        begin, end = int(first), min(int(last) + 1, size) if last else size
    if begin >= end or (first and last and int(last) < int(first)):
        raise _refused(f"the range is not within the {size:,} bytes of this recording", size)
    return begin, end


def _refused(message: str, size: int) -> ApiError:
    return ApiError(416, "bad-range", message, {"Content-Range": f"bytes */{size}", "Accept-Ranges": "bytes"})
