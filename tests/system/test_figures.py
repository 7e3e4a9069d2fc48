"""Pictures are written whole or not at all, and the same figure gives the same bytes."""

import pytest

from rankine.errors import InputError
from rankine.system.figures import check_picture, save_figure


@pytest.mark.parametrize(("name", "start"), [("x.png", b"\x89PNG"), ("x.svg", b"<?xml"), ("x.pdf", b"%PDF")])
def test_the_same_figure_gives_the_same_bytes(tmp_path, name, start):
    from matplotlib.figure import Figure

    figure = Figure()
    figure.subplots().plot([1, 2], [3, 4])
    contents = []
    for _ in range(2):
        save_figure(figure, tmp_path / name)
        contents.append((tmp_path / name).read_bytes())
    assert contents[0].startswith(start)
    assert contents[0] == contents[1]


def test_a_figure_that_fails_leaves_the_old_file(tmp_path):
    class Broken:
        def savefig(self, path, **_):
            path.write_bytes(b"half")
            raise OSError("no space left")

    (tmp_path / "x.png").write_bytes(b"old")
    with pytest.raises(OSError, match="no space"):
        save_figure(Broken(), tmp_path / "x.png")
    assert [p.name for p in tmp_path.iterdir()] == ["x.png"]
    assert (tmp_path / "x.png").read_bytes() == b"old"


def test_endings():
    check_picture("a/b.PNG")
    for name in ("x.txt", "x", "png"):
        with pytest.raises(InputError, match=r"expected a picture ending in one of \.png, \.svg, \.pdf"):
            check_picture(name)
