"""What tests of transcripts share: the words of a file, with times, confidences and speakers."""

import rankine as rk
from rankine.spoken.lattice import formats as f
from rankine.spoken.lattice.formats.transcripts.transcript import unpacked


def pieces(folder, content, name="x.json"):
    """The pieces of a file with this content."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(f.pieces(f.files(path)[0]))


def segments(folder, content, name="x.json"):
    """The segments of a file with this content."""
    return [segment for piece in pieces(folder, content, name) for segment in unpacked(piece.content())]


def timed(folder, content, name="x.json"):
    """(word, start, end) of a file with this content, as they are indexed."""
    lattice = lattice_of(folder, content, name)
    arcs = [i for i in range(len(lattice)) if lattice.unit[i] >= 0]
    rows = [(lattice.units[lattice.unit[i]], float(lattice.start[i]), float(lattice.end[i])) for i in arcs]
    return [(word, round(start, 6), round(end, 6)) for word, start, end in rows]


def lattice_of(folder, content, name="x.json"):
    """The lattice of a file with this content."""
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return rk.spoken.read_lattice(folder / name)


def speakers(folder, content, name="x.json"):
    """(speaker, words) of the turns of a file with this content."""
    turns = pieces(folder, content, name)
    return [(p.turn.speaker, " ".join(w.text for s in unpacked(p.content()) for w in s.words)) for p in turns]
