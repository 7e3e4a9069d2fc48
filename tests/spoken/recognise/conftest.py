"""Six short recordings."""

import pytest

from .cases import write


@pytest.fixture
def audio(tmp_path):
    for i in range(6):
        write(tmp_path / "audio" / ("deep" if i % 2 else ".") / f"talk{i}.wav", 8000 + i, seed=i)
    return tmp_path / "audio"
