"""Routes: nothing without a session, JSON and plain sentences, names of any kind."""

import pytest
from starlette.routing import Route

from rankine.web.app import WebSite, is_page, needs_no_session

from .cases import Site, error_of, make_archive, spoken, strings_in

API = "/api/v1"
HARBOUR = f"{API}/recordings/harbour%2F1"


def paths(site):
    """Every route of the application, with a recording that is there."""
    routes = site.app.app.routes
    assert all(isinstance(route, Route) for route in routes)
    assert len(routes) >= 15
    forms = {"subtitles": "vtt", "hits": "csv"}
    for route in routes:
        form = next((form for name, form in forms.items() if name in route.path), "")
        path = route.path.replace("{id}", "harbour%2F1").replace("{name:path}", "main.js").replace("{form}", form)
        for method in route.methods:
            yield method, path


def test_nothing_without_a_session(site):
    stranger = site.stranger()
    seen = 0
    for method, path in paths(site):
        if path == "/session":
            continue
        answer = stranger.request(method, path, params={"q": "storm", "place": "railway", "start": 0, "end": 1})
        assert answer.status_code == 401, path
        assert b"lighthouse" not in answer.content
        seen += 1
    assert seen >= 28
    for path in ("/nothing", "/api/v2/archive", "/static/../app.py", "/api/v1/recordings/nobody/audio"):
        assert stranger.get(path).status_code == 401


def test_every_route_with_a_session(site):
    client = site.client()
    for method, path in paths(site):
        if method == "POST":
            continue
        answer = client.request(method, path, params={"q": "storm", "place": "harbour/1@0-2", "start": 0, "end": 1})
        assert answer.status_code == 200, (method, path, answer.content)


def test_pages_and_free_paths():
    assert is_page("/")
    assert is_page("/recordings")
    assert is_page("/recording/a%2Fb")
    assert not is_page("/recording/a/b")
    assert not is_page("/api/v1/archive")
    assert not is_page("/static/main.js")
    assert needs_no_session("/static/login.js")
    assert not needs_no_session("/static/main.js")


def test_errors_are_json_without_paths(client, site):
    answers = [
        client.get(f"{API}/nothing"),
        client.get(f"{API}/recordings/nobody"),
        client.get(f"{API}/search"),
        client.get(f"{API}/search", params={"q": '"storm'}),
        client.get(f"{API}/search", params={"q": "storm", "k": "many"}),
        client.get(f"{API}/search", params={"q": "x" * 1001}),
        client.get(f"{API}/why", params={"q": "storm", "place": "nobody@1-2"}),
        client.get(f"{API}/hits.exe", params={"q": "storm"}),
        client.get(f"{HARBOUR}/subtitles.exe"),
        client.get(f"{API}/recordings/%ff"),
        client.post(f"{API}/archive", headers={"Origin": "http://127.0.0.1:8517"}),
    ]
    for answer in answers:
        assert 400 <= answer.status_code < 500
        error = error_of(answer)
        assert error["code"]
        assert error["message"]
        assert str(site.archive.folder) not in answer.text
        assert "/tmp" not in answer.text
        assert answer.headers["cache-control"] == "no-store"


def test_answers_carry_their_state(client, site):
    states = {
        client.get(path, params={"q": "storm", "place": "harbour/1@0-2"}).json()["state"]
        for path in (f"{API}/archive", f"{API}/search", f"{API}/recordings", HARBOUR, f"{HARBOUR}/transcript",
                     f"{HARBOUR}/citation", f"{HARBOUR}/peaks", f"{API}/why")
    }  # fmt: skip
    assert states == {site.archive.state().id}


@pytest.mark.parametrize(
    "name", ["a/b", "100% <b>'\"&", "Zürich 中文", "a?b#c", "..%2f..", "a+b", "x\\y", "%2F", "~", "~.."]
)
def test_names_of_any_kind(tmp_path, name):
    from urllib.parse import quote

    client = Site(make_archive(tmp_path / "p", {name: ([spoken(["storm"])], {}, True)}).folder).client()
    written = ("~" if name == "~.." else "") + quote(name, safe="")  # a tilde stands before dots
    path = f"{API}/recordings/{written}"
    assert client.get(path).json()["id"] == name
    assert client.get(f"{path}/audio").status_code == 200
    assert client.get(f"{path}/transcript").json()["words"][0]["text"] == "storm"
    assert client.get(f"/recording/{written}").status_code == 200
    hit = client.get(f"{API}/search", params={"q": "storm", "recording": name}).json()["groups"][0]["hits"][0]
    assert client.get(f"{API}/why", params={"q": "storm", "place": hit["segment"]}).status_code == 200


HOSTILE = "<script>alert(1)</script>{{nonce}}\"'&"


def test_markup_stays_data(tmp_path):
    texts = {"title": HOSTILE, "speaker": HOSTILE}
    words = spoken(["storm", HOSTILE.replace('"', "").lower()])
    archive = make_archive(tmp_path / HOSTILE.replace("/", "|"), {HOSTILE: ([words], texts, True)})
    archive.metadata.set(HOSTILE, {"collection": HOSTILE, "tags": HOSTILE, "notes": HOSTILE})
    client = Site(archive.folder).client()
    for path in ("archive", "recordings", "search?q=storm", "search?q=%3Cscript%3Ealert(1)%3C/script%3E"):
        answer = client.get(f"{API}/{path}")
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"
    texts_told = set(strings_in(client.get(f"{API}/search?q=storm").json()))
    assert HOSTILE in texts_told
    for path in ("/", f"/recording/{'%3Cscript%3E'}", "/?q=%3Cscript%3Ealert(1)%3C/script%3E"):
        page = client.get(path)
        assert "<script>alert" not in page.text
    for form in ("csv", "json", "m3u", "xspf"):
        answer = client.get(f"{API}/hits.{form}?q=storm")
        assert "text/html" not in answer.headers["content-type"]
        assert answer.headers["content-disposition"].startswith("attachment")
    assert "<script>" not in client.get(f"{API}/hits.xspf?q=storm").text


def test_large_bodies_are_refused(site):
    answer = site.stranger().post("/session", content=b"x" * 10_000)
    assert answer.status_code == 413


def test_read_only_is_told(tmp_path):
    folder = make_archive(tmp_path / "p", {"a": ([spoken(["storm"])], {}, False)}).folder
    assert Site(folder, read_only=True).client().get(f"{API}/archive").json()["read_only"] is True
    assert Site(folder).client().get(f"{API}/archive").json() | {"read_only": False, "user": "ann"}


def test_a_mistake_of_ours_shows_nothing(site, monkeypatch, capsys):
    def broken(state, parameters):
        raise RuntimeError("/secret/path")

    monkeypatch.setattr(WebSite, "about", lambda self, request: broken(None, None))
    from .cases import Site

    answer = Site(site.archive.folder).client().get(f"{API}/archive")
    assert answer.status_code == 500
    assert "/secret" not in answer.text
    assert "RuntimeError" in capsys.readouterr().err
