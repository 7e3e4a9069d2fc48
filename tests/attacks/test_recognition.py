"""A few kills of a recognition, with a recogniser that needs no model."""

from dataclasses import dataclass

from attacks import recognition

from ..spoken.recognise.cases import Echo


@dataclass(frozen=True)
class Slow(Echo):
    """Words in a lattice with times."""

    ending: str = ".slf.gz"
    wait: float = 0.02

    def __call__(self, samples):
        import gzip

        text = super().__call__(samples).split()[2].decode()
        lines = f"N=2 L=1\nI=0 t=0\nI=1 t={len(samples) / self.rate}\nJ=0 S=0 E=1 W={text} a=-1\n"
        return gzip.compress(lines.encode(), mtime=0)


def test_resumed_is_the_same(capfd):
    assert recognition.attack(8, 1, heard=Slow()) == []
    assert "Slow: " in (said := capfd.readouterr().out)
    assert "8 kills" in said
    assert " 0 failures" in said
