"""The build of a wheel, which fails where the drawing of the page's waveform has not been fetched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WAVEFORM = "src/rankine/web/page/vendor/wavesurfer.esm.js"


class WaveformHook(BuildHookInterface):
    """Checks that a wheel gets the waveform; an editable install goes on without it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """End the build of a wheel without the waveform."""
        if version == "standard" and not Path(self.root, WAVEFORM).is_file():
            self.app.abort(f"{WAVEFORM} is missing, and a wheel must have it: run `make waveform` first")
