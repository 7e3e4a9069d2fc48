"""The server as a process: its address, its port, its end."""

import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
from collections import Counter
from contextlib import ExitStack, contextmanager, suppress

import httpx2
import pytest

from rankine.errors import InputError
from rankine.web.pages import has_waveform
from rankine.web.server import ServeOptions, TimedProtocol, _announce, address, free_socket, hosts_of, is_local
from rankine.web.sessions import Sessions

from .cases import Site, comes_true, held_streams, long_archive, served, usual

WATCHDOG = 60.0  # seconds


@contextmanager
def serving(folder, *options):
    """``rankine spoken serve`` as a process; yields it and the first line that it prints."""
    command = [sys.executable, "-m", "rankine", "spoken", "serve", str(folder), "--no-browser", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ)
    watchdog = threading.Timer(WATCHDOG, process.kill)
    watchdog.start()
    try:
        yield process, process.stdout.readline().strip()
    finally:
        watchdog.cancel()
        process.kill()
        process.communicate()


def entered(url, **options):
    client = httpx2.Client(base_url=url.split("/?")[0], timeout=30, trust_env=False, **options)
    for _ in range(100):  # it prints the address before it listens to the first request
        try:
            assert client.get("/?" + url.split("/?")[1]).status_code == 303
            return client
        except httpx2.ConnectError:
            threading.Event().wait(0.05)
    raise AssertionError("the server does not answer")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_streams_ends_it_within_two_seconds(tmp_path, number):
    folder = long_archive(tmp_path / "p").folder
    with serving(folder, "--port", "0") as (process, url):
        client = entered(url)
        with held_streams(client, "/api/v1/recordings/long/audio", 5):
            late = threading.Timer(2.0, process.kill)
            process.send_signal(number)
            late.start()
            code = process.wait(WATCHDOG)
            late.cancel()
        assert code == 0  # the watchdog has not killed it
        assert "Traceback" not in process.stderr.read()
        client.close()


def test_what_it_prints(tmp_path):
    folder = usual(tmp_path / "p").folder
    with serving(folder, "--port", "0", "--read-only") as (process, url):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{43}", url)
        client = entered(url)
        about = client.get("/api/v1/archive").json()
        assert (about["read_only"], about["recordings"], about["name"]) == (True, 3, "archive")
        client.close()
        process.send_signal(signal.SIGINT)
        output, error = process.communicate(timeout=WATCHDOG)
        assert output == ""
        assert "Ctrl-C ends" in error
        assert process.returncode == 0


def test_a_port_that_is_taken(tmp_path):
    folder = usual(tmp_path / "p").folder
    with free_socket("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with serving(folder, "--port", str(port)) as (process, url):
            own = int(re.search(r":(\d+)/", url)[1])
            assert port < own < port + 50
            entered(url).close()
            process.send_signal(signal.SIGTERM)
            assert f"port {port} is taken; this is port {own}" in process.communicate(timeout=WATCHDOG)[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["nothing"], "not a spoken archive: there is no such folder"),
        (["here", "--certificate", "c.pem"], "--certificate and --key belong together"),
        (["here", "--port", "70000"], "expected a port from 0 to 65535"),
        (["here", "--token-for", "bob"], "--token-for is for colleagues"),
        (["here", "--host", "no.such.host.invalid"], "cannot listen on no.such.host.invalid"),
        (["here", "--certificate", "c.pem", "--key", "k.pem"], "certificate"),
    ],
)  # fmt: skip
def test_one_line_where_it_cannot_serve(tmp_path, options, message):
    usual(tmp_path / "p").folder.rename(tmp_path / "here")
    command = [sys.executable, "-m", "rankine", "spoken", "serve", *options, "--no-browser"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=WATCHDOG, check=False)
    assert done.returncode == 1
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""


def test_addresses():
    assert address("http", "127.0.0.1", 8517, "a b") == "http://127.0.0.1:8517/?token=a%20b"
    assert address("https", "::1", 1, "t") == "https://[::1]:1/?token=t"
    assert socket.gethostname() in address("http", "0.0.0.0", 1, "t")
    assert is_local("127.0.0.1")
    assert is_local("::1")
    assert is_local("localhost")
    assert not is_local("0.0.0.0")
    assert not hosts_of("127.0.0.1").holds("10.0.0.7")
    assert hosts_of("0.0.0.0").holds("10.0.0.7:8517")
    assert hosts_of("tapes.example").holds("tapes.example:8517")


def test_options_that_do_not_fit():
    with pytest.raises(InputError, match="different names"):
        ServeOptions(host="0.0.0.0", colleagues=("bob", "bob")).check()
    ServeOptions(host="0.0.0.0", colleagues=("bob", "eve")).check()
    with pytest.raises(InputError, match="cannot listen"):
        free_socket("203.0.113.7", 8517)  # an address of nobody


def test_a_request_that_does_not_come_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr("rankine.web.app.BODY_SECONDS", 0.2)
    body = b"POST /session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nx"

    def answer(data):
        place = ("127.0.0.1", some.base_url.port)
        with socket.create_connection(place, timeout=WATCHDOG) as connection, suppress(ConnectionError):
            connection.sendall(data)
            return connection.recv(13)
        return b""

    with served(Site(usual(tmp_path / "p").folder)) as client:
        some = client()
        with monkeypatch.context() as patch:
            patch.setattr("rankine.web.server.HEAD_SECONDS", 0.2)
            assert answer(b"GET / HT") == answer(b"") == b""
        assert answer(body) == b"HTTP/1.1 408 "
        assert some.get("/api/v1/archive").status_code == 200


def test_answers_are_sent_at_once(tmp_path, monkeypatch):
    """The system does not hold a small answer back until the client has acknowledged the one before."""
    made, options = TimedProtocol.connection_made, []

    def watched(self, transport):
        made(self, transport)
        options.append(transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    with free_socket("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP
    monkeypatch.setattr(TimedProtocol, "connection_made", watched)
    with served(Site(usual(tmp_path / "p").folder)) as client:
        assert client().get("/api/v1/archive").status_code == 200
    assert options
    assert all(options)


def self_signed(folder):
    """The files of a certificate for this machine and of its key, made by openssl."""
    if shutil.which("openssl") is None:
        pytest.skip("needs the program openssl, which makes the certificate")
    certificate, key = folder / "cert.pem", folder / "key.pem"
    command = [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
        "-keyout", str(key), "-out", str(certificate),
    ]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True, timeout=WATCHDOG)
    return certificate, key


def test_https(tmp_path):
    """Requests over TLS whose certificate the client checks; the cookie never goes over plain HTTP."""
    folder = usual(tmp_path / "p").folder
    certificate, key = self_signed(tmp_path)
    with serving(folder, "--port", "0", "--certificate", str(certificate), "--key", str(key)) as (process, url):
        assert re.fullmatch(r"https://127\.0\.0\.1:\d+/\?token=[\w-]{43}", url)
        base, token = url.split("/?token=")
        port = int(base.rsplit(":", 1)[1])
        client = entered(url, verify=ssl.create_default_context(cafile=str(certificate)))
        assert client.get("/api/v1/archive").json()["recordings"] == 3
        answer = client.post("/session", json={"token": token}, headers={"Origin": base})
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith(f"__Host-rankine-{port}=")
        assert {"HttpOnly", "Path=/", "SameSite=strict", "Secure"} <= {part.strip() for part in cookie.split(";")}
        assert "strict-transport-security" not in answer.headers  # it would hold for all other servers of this host
        for origin in (base.replace("https", "http"), "null"):
            assert client.post("/session", json={"token": token}, headers={"Origin": origin}).status_code == 403
        part = client.get("/api/v1/recordings/harbour%2F1/audio", headers={"Range": "bytes=0-99"})
        assert (part.status_code, len(part.content)) == (206, 100)
        with pytest.raises(httpx2.ConnectError):  # nobody vouches for this certificate elsewhere
            httpx2.get(base, trust_env=False, timeout=30)
        with pytest.raises(httpx2.RemoteProtocolError):
            httpx2.get(base.replace("https", "http"), trust_env=False, timeout=30)
        client.close()
        process.send_signal(signal.SIGTERM)
        assert "Traceback" not in process.communicate(timeout=WATCHDOG)[1]
        assert process.returncode == 0


def test_an_address_has_few_connections_without_a_session(tmp_path, monkeypatch):
    """The server counts in a thread of its own: a client may have its answer before it is counted."""
    strangers = Counter()
    monkeypatch.setattr(TimedProtocol, "strangers", strangers)
    monkeypatch.setattr("rankine.web.server.STRANGERS", 5)
    with served(Site(usual(tmp_path / "p").folder)) as client, ExitStack() as stack:
        some = client()
        assert some.get("/api/v1/archive").status_code == 200  # its connection stays open, and is no stranger's
        assert comes_true(lambda: strangers == {})
        place = ("127.0.0.1", some.base_url.port)
        slow = [stack.enter_context(socket.create_connection(place, timeout=WATCHDOG)) for _ in range(5)]
        for connection in slow:
            connection.sendall(b"GET / HT")
        with socket.create_connection(place, timeout=WATCHDOG) as further, suppress(ConnectionResetError):
            assert further.recv(10) == b""
        assert some.get("/api/v1/archive").status_code == 200
        assert comes_true(lambda: strangers == {"127.0.0.1": 5})
        stack.close()
        assert comes_true(lambda: strangers == {})
        assert client().get("/api/v1/archive").status_code == 200


def test_a_missing_waveform_is_said(tmp_path, monkeypatch, capsys):
    sessions = Sessions()
    for there in (False, True):
        monkeypatch.setattr("rankine.web.server.has_waveform", lambda there=there: there)
        _announce(ServeOptions(), sessions, "me", 8517)
        assert ("make waveform" in capsys.readouterr().err) is not there
    assert not has_waveform(tmp_path)
