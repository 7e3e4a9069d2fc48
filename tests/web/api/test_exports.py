"""Exports: tables, playlists, subtitles, citations."""

import csv
import io
from xml.etree import ElementTree

from ..cases import Site, make_archive, spoken

API = "/api/v1"
HARBOUR = f"{API}/recordings/harbour%2F1"


def test_hits_as_csv_and_json(client):
    answer = client.get(f"{API}/hits.csv", params={"q": "storm", "certainty": "heard"})
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.headers["content-disposition"].startswith('attachment; filename="hits.csv"')
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert {row["recording"] for row in rows} == {"harbour/1"}
    told = client.get(f"{API}/hits.json", params={"q": "storm", "certainty": "heard"}).json()
    assert told["query"] == "storm"
    assert [hit["place"] for hit in told["hits"]] == [row["place"] for row in rows]
    assert len(told["hits"]) == 2

    def count(**parameters):
        answer = client.get(f"{API}/hits.json", params={"q": "storm", "certainty": "heard", **parameters})
        return len(answer.json()["hits"])

    assert count(k=1) == 1
    assert count(recording="harbour/1") == 2
    assert count(recording="asked") == 0  # what is on request is not searched


def test_cells_are_no_formulas(tmp_path):
    texts = {"title": '=HYPERLINK("http://evil.example")', "speaker": "@cmd"}
    archive = make_archive(tmp_path / "p", {"+1": ([spoken(["storm", "-2"])], texts, False)})
    text = Site(archive.folder).client().get(f"{API}/hits.csv", params={"q": "storm"}).content.decode("utf-8-sig")
    (row,) = csv.DictReader(io.StringIO(text))
    assert all(cell[0] not in "=+-@" for cell in row.values() if cell)


def test_playlists_name_files_and_times(client, tmp_path):
    text = client.get(f"{API}/hits.m3u", params={"q": "keeper", "certainty": "heard"}).text
    lines = text.splitlines()
    assert lines[0] == "#EXTM3U"
    assert lines[2].startswith("#EXTINF:2,The harbour: lighthouse keeper storm")
    assert lines[3:6] == ["#EXTVLCOPT:start-time=0.00", "#EXTVLCOPT:stop-time=2.00", "r0.wav"]
    tree = ElementTree.fromstring(client.get(f"{API}/hits.xspf", params={"q": "keeper", "certainty": "heard"}).content)
    space = "{http://xspf.org/ns/0/}"
    assert [track.text for track in tree.iter(f"{space}location")] == ["r0.wav"]
    assert str(tmp_path) not in text


def test_subtitles(client):
    vtt = client.get(f"{HARBOUR}/subtitles.vtt")
    assert vtt.headers["content-type"].startswith("text/vtt")
    assert vtt.text.startswith("WEBVTT")
    assert "lighthouse" in vtt.text
    srt = client.get(f"{HARBOUR}/subtitles.srt")
    assert "-->" in srt.text
    assert client.get(f"{API}/recordings/asked/subtitles.vtt").status_code == 403
    assert client.get(f"{API}/recordings/shut/subtitles.vtt").status_code == 404


def test_citations(client):
    text = client.get(f"{HARBOUR}/citation", params={"t": 61.5}).json()["text"]
    assert text == "Ann Lee: “The harbour” (1999-05-17). Recording harbour/1, Coast, 1:01.5."
    assert client.get(f"{HARBOUR}/citation").json()["text"].endswith("Coast.")
    assert client.get(f"{HARBOUR}/citation", params={"t": "soon"}).status_code == 400
    assert client.get(f"{API}/recordings/shut/citation").status_code == 404
