"""Recognition against a plain loop over PocketSphinx, in one process and in two, on the bundled recordings."""

import shutil
import tempfile
import time
from importlib.resources import files
from pathlib import Path

import pocketsphinx
import soundfile

from rankine.spoken.recognise.run import PocketSphinx, recognise

from .timing import goal, heading

N = 30


def main() -> None:
    heading(f"Recognition: {N} of the bundled recordings")
    sample = Path(str(files("rankine").joinpath("sample", "spoken", "audio")))
    with tempfile.TemporaryDirectory() as folder:
        audio = Path(folder, "audio")
        audio.mkdir()
        for path in sorted(sample.glob("*.ogg"))[:N]:
            shutil.copy(path, audio)
        speech = sum(soundfile.info(p).duration for p in audio.glob("*.ogg"))

        def plain() -> float:
            decoder = pocketsphinx.Decoder(loglevel="FATAL", cmn="batch")
            start = time.perf_counter()
            for path in sorted(audio.glob("*.ogg")):
                samples, _ = soundfile.read(path, dtype="int16")
                decoder.reinit_feat()
                decoder.start_utt()
                decoder.process_raw(samples.tobytes(), full_utt=True)
                decoder.end_utt()
                decoder.get_lattice().write_htk(str(Path(folder, "lattice.slf")))
            return time.perf_counter() - start

        def ours(workers: int) -> float:
            out = Path(folder, f"out{workers}")
            shutil.rmtree(out, ignore_errors=True)
            start = time.perf_counter()
            recognise([audio], out, PocketSphinx(), workers=workers)
            return time.perf_counter() - start

        ours(1)  # loads the model in this process
        best = {"plain": plain(), "one": ours(1), "two": ours(2)}
    print(f"  {speech:.0f} s of speech: PocketSphinx alone {best['plain']:.1f} s, one process {best['one']:.1f} s, "
          f"two {best['two']:.1f} s ({speech / best['two']:.1f} × real time)")  # fmt: skip
    goal("one process / PocketSphinx alone", best["one"] / best["plain"], 1.1, at_most=True)
    goal("PocketSphinx alone / two processes (starting them included)", best["plain"] / best["two"], 1.9)
