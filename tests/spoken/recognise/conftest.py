"""Six short recordings, and folders of models."""

import pytest

from rankine.spoken.recognise.models.table import TABLE

from .cases import write
from .toy_models import wheel_row, write_wheel


@pytest.fixture
def audio(tmp_path):
    for i in range(6):
        write(tmp_path / "audio" / ("deep" if i % 2 else ".") / f"talk{i}.wav", 8000 + i, seed=i)
    return tmp_path / "audio"


@pytest.fixture
def models_place(tmp_path, monkeypatch):
    """An empty folder of models."""
    monkeypatch.setenv("RANKINE_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


@pytest.fixture
def toy(tmp_path, models_place, monkeypatch):
    """The path of a wheel whose model, called toy, is in the table."""
    wheel = write_wheel(tmp_path / "wheels")
    monkeypatch.setitem(TABLE, "toy", wheel_row(wheel))
    return wheel
