"""The leaderboard as text, JSON, CSV, picture and report; what is stored of it."""

import csv
import io
import json

import numpy as np
import pytest

from rankine.errors import InputError
from rankine.rankers.auto.estimate import Estimate, p_better
from rankine.rankers.auto.leaderboard import (
    COLUMNS,
    AutoReport,
    LeaderboardRow,
    ReportState,
    report_from,
    report_state,
    settings_text,
    verdict_of,
)
from rankine.system.records import checked

ROWS = (
    LeaderboardRow("linear", {"C": np.float64(0.1)}, 0.5, 0.4, 0.6, 1.25, "best"),
    LeaderboardRow("one, \"query\" <b>", {}, 0.25, np.nan, np.nan, 0.5, "not shown to be worse"),
    LeaderboardRow("trees", {}, np.nan, np.nan, np.nan, 0.0, "not tried: needs the extra [boost]"),
)  # fmt: skip
REPORT = AutoReport("AP", 30, ("Best at AP: linear.", "More."), ROWS, Estimate(0.48, 0.38, 0.58))
EMPTY = AutoReport("AP", 1, ("There is one query.",), (), Estimate(np.nan, np.nan, np.nan))


def test_as_text():
    text = str(REPORT).splitlines()
    assert text[:3] == ["Best at AP: linear.", "More.", ""]
    assert text[3].split() == ["candidate", "settings", "AP", "90", "%", "interval", "seconds", "verdict"]
    assert text[4].split()[:7] == ["linear", "C", "0.1", "0.5000", "[0.4000,", "0.6000]", "1.2"]
    assert text[6].split()[:5] == ["trees", "-", "-", "-", "0.0"]
    assert "nan" not in str(REPORT)
    assert str(EMPTY).startswith("There is one query.\n\ncandidate")


def test_as_json():
    content = json.loads(REPORT.to_json())
    assert content["estimate"] == {"mean": 0.48, "low": 0.38, "high": 0.58}
    assert [list(row) for row in content["leaderboard"]] == [list(COLUMNS)] * 3
    assert content["leaderboard"][2]["mean"] is None
    assert json.loads(EMPTY.to_json())["estimate"] == {"mean": None, "low": None, "high": None}


def test_as_csv():
    rows = list(csv.DictReader(io.StringIO(REPORT.to_csv())))
    assert [row["name"] for row in rows] == [r.name for r in ROWS]
    assert json.loads(rows[0]["params"]) == {"C": 0.1}
    assert float(rows[0]["mean"]) == 0.5


def test_written(tmp_path):
    paths = REPORT.write(tmp_path / "new" / "folder")
    assert {p.name for p in paths} >= {"leaderboard.json", "leaderboard.csv", "report.md", "report.html"}
    page = (tmp_path / "new" / "folder" / "report.html").read_text()
    assert "Best at AP: linear." in page
    assert "<b>" not in page  # names are texts
    assert "&lt;b&gt;" in page
    assert (tmp_path / "new" / "folder" / "leaderboard.png").stat().st_size > 1000
    EMPTY.write(tmp_path / "empty")
    assert not (tmp_path / "empty" / "leaderboard.png").exists()


def test_the_picture_needs_something_to_draw(tmp_path):
    with pytest.raises(InputError, match="no candidate was judged: there is nothing to draw"):
        EMPTY.plot(tmp_path / "x.png")


@pytest.mark.parametrize("report", [REPORT, EMPTY])
def test_stored(report):
    state = json.loads(json.dumps(report_state(report, True)))
    again = report_from(checked(state, ReportState, "a report", None))
    assert str(again) == str(report)
    assert again.to_json() == report.to_json()
    assert repr(again.estimate) == repr(tuple(report.estimate))


def test_settings():
    assert settings_text({}) == "-"
    assert settings_text({"C": 0.000316, "n_trees": 25, "loss": "x"}) == "C 0.000316, n_trees 25, loss x"


def test_verdicts():
    rng = np.random.default_rng(0)
    best = rng.uniform(size=40)
    assert verdict_of(best, best, None) == "not shown to be worse"
    worse = best - 0.1 * rng.uniform(size=40)
    assert verdict_of(worse, best, None) == f"worse (p = {p_better(best - worse):.2g})"
    assert verdict_of(best, worse, None) == "not shown to be worse"
