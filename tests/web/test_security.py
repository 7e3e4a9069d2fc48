"""The guard: hosts, sites, tokens, cookies, and the headers of every answer."""

import re

import pytest

from rankine.web.security import HostList, cookie_name, host_name

from .cases import SITE, error_of

API = "/api/v1"


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8517", "127.0.0.1.evil.example", "localhost@evil.example", "[::1",
             "127.0.0.1:8517:1", "", "localhost:x", "10.0.0.7"]
)  # fmt: skip
def test_foreign_hosts_are_refused(site, host):
    for client in (site.client(), site.stranger()):
        for path in ("/", f"{API}/archive", "/static/login.js", "/session"):
            answer = client.get(path, headers={"Host": host})
            assert answer.status_code == 403
            assert error_of(answer)["code"] == "foreign-host"


def test_own_hosts_of_any_port(client):
    for host in ("127.0.0.1:8517", "localhost:9000", "LOCALHOST", "127.0.0.1"):
        assert client.get(f"{API}/archive", headers={"Host": host}).status_code == 200


def test_addresses_in_digits_only_where_the_server_listens_everywhere():
    names = frozenset({"localhost"})
    assert HostList(names, addresses=True).holds("192.168.0.7:8517")
    assert HostList(names, addresses=True).holds("[fe80::1]:8517")
    assert not HostList(names, addresses=True).holds("evil.example")
    assert not HostList(names).holds("192.168.0.7")
    assert host_name("[::1]:80") == "::1"
    assert host_name("a.example.") == "a.example"


def test_foreign_origins_are_refused(site, client):
    for origin in ("http://evil.example", "null", "https://127.0.0.1:8517", "http://127.0.0.1:8518", ""):
        for method, path in (("POST", "/session"), ("GET", f"{API}/archive"), ("GET", f"{API}/search?q=storm")):
            answer = client.request(method, path, headers={"Origin": origin})
            assert answer.status_code == 403, (origin, path)
            assert error_of(answer)["code"] == "foreign-origin"
    answer = client.post("/session", json={"token": site.token}, headers={"Origin": SITE})
    assert answer.status_code == 204


def test_headers_that_tell_the_site_come_once(client):
    for name, values in (("Origin", (SITE, "http://evil.example")), ("Sec-Fetch-Site", ("same-origin", "cross-site"))):
        for order in (values, values[::-1]):
            answer = client.get(f"{API}/archive", headers=[(name, value) for value in order])
            assert (answer.status_code, error_of(answer)["code"]) == (403, "foreign-origin")


@pytest.mark.parametrize("fetch", ["cross-site", "same-site"])
def test_requests_of_other_sites_are_refused(site, client, fetch):
    headers = {"Sec-Fetch-Site": fetch, "Sec-Fetch-Mode": "no-cors"}
    for path in (f"{API}/archive", f"{API}/recordings/harbour%2F1/audio", "/static/main.js", "/"):
        assert client.get(path, headers=headers).status_code == 403
    assert client.post("/session", json={"token": site.token}, headers=headers).status_code == 403
    navigation = headers | {"Sec-Fetch-Mode": "navigate"}
    assert client.get("/recordings", headers=navigation).status_code == 200  # people follow links
    assert client.get(f"{API}/archive", headers=navigation).status_code == 403
    assert client.post("/session", json={"token": site.token}, headers=navigation).status_code == 403
    for own in ("same-origin", "none"):
        assert client.get(f"{API}/archive", headers={"Sec-Fetch-Site": own}).status_code == 200


def test_the_token_leaves_the_address(site):
    stranger = site.stranger()
    answer = stranger.get("/recording/harbour%2F1", params={"t": "3", "token": site.token, "q": "a&b"})
    assert answer.status_code == 303
    assert answer.headers["location"] == "/recording/harbour%2F1?t=3&q=a%26b"
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(cookie_name(8517, False) + "=")
    assert site.token not in cookie
    assert all(part in cookie for part in ("HttpOnly", "Path=/", "SameSite=strict"))
    assert stranger.get(f"{API}/archive").status_code == 200  # the client keeps the cookie


@pytest.mark.parametrize("path", ["/?token=", "/?token=wrong", "/?token=a&token=b", "/api/v1/archive?token={}",
                                  "/static/main.js?token={}"])  # fmt: skip
def test_other_tokens_and_places_do_not_count(site, path):
    answer = site.stranger().get(path.format(site.token))
    assert answer.status_code in (400, 401)
    assert "set-cookie" not in answer.headers


def test_a_page_view_without_cookie_gets_the_login_page(site):
    for path in ("/", "/recordings", "/recording/harbour%2F1?t=3"):
        answer = site.stranger().get(path, headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"})
        assert answer.status_code == 401
        assert answer.headers["content-type"].startswith("text/html")
        assert "login.js" in answer.text
        assert "main.js" not in answer.text
    for name in ("login.css", "login.js", "icon.svg"):
        assert site.stranger().get(f"/static/{name}").status_code == 200


def test_sessions_by_form_and_by_json(site):
    for body in ({"json": {"token": site.token}}, {"data": {"token": site.token}}):
        client = site.stranger()
        assert client.post("/session", **body).status_code == 204
        assert client.get(f"{API}/archive").json()["user"] == "ann"
    for wrong in ({"json": {"token": "x"}}, {"json": ["x"]}, {"json": {"token": 3}}, {"content": b"{"},
                  {"data": {"a": 1}},
                  {"content": b"[" * 4000, "headers": {"Content-Type": "application/json"}}):  # fmt: skip
        client = site.stranger()
        assert client.post("/session", **wrong).status_code in (400, 401)
        assert client.get(f"{API}/archive").status_code == 401


def test_every_answer_has_the_headers(site):
    client, stranger = site.client(), site.stranger()
    answers = [client.get("/"), stranger.get("/"), client.get(f"{API}/archive"), stranger.get(f"{API}/archive"),
               client.get("/nothing"), client.get(f"{API}/recordings/harbour%2F1/audio"), client.put("/"),
               client.get("/static/main.js"), client.get("/", headers={"Host": "evil.example"})]  # fmt: skip
    nonces = set()
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "http" not in policy
        assert policy.startswith("default-src 'none'; script-src 'nonce-")
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert "server" not in answer.headers
        nonces.add(re.search("nonce-([^']+)", policy)[1])
    assert len(nonces) == len(answers)


def test_pages_have_the_nonce_and_nothing_inline_without(client):
    answer = client.get("/")
    nonce = re.search("nonce-([^']+)", answer.headers["content-security-policy"])[1]
    scripts = re.findall("<(?:script|style)[^>]*>", answer.text)
    assert scripts
    assert all(f'nonce="{nonce}"' in tag for tag in scripts)
    assert not re.search(r"\son\w+=|javascript:|\sstyle=", answer.text)
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", answer.text)


def test_methods_and_long_addresses(client):
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "X"):
        answer = client.request(method, f"{API}/archive")
        assert answer.status_code == 405
    assert client.get(f"{API}/search", params={"q": "x" * 20_000}).status_code == 414
    assert client.get("/" + "x" * 20_000).status_code == 414


def test_cookies_of_others_do_not_count(site):
    client = site.client()
    own, other = cookie_name(8517, False), cookie_name(8518, False)
    cookie = client.cookies[own]
    for line in (f"other={cookie}", f"{own}=wrong", f"{other}={cookie}", "=", ";;"):
        assert site.stranger().get(f"{API}/archive", headers={"Cookie": line}).status_code == 401
    line = f"a=b; {own}=wrong; {own}={cookie}"
    assert site.stranger().get(f"{API}/archive", headers={"Cookie": line}).status_code == 200
    assert cookie_name(443, True) == "__Host-rankine-443"
