"""Slow, obvious readers of every lattice format, and all paths of their lattices (long: a reader for each).

A reader gives (arcs, start, end); an arc is (from, to, word or None, acoustic, language, posterior, start, end), with
NaN for what a format does not say. Words are as they stand, but for what means nothing; nodes are numbered anyhow.
"""

import json
import math
import re
import struct
import unicodedata
from collections import Counter

from . import reference_hypotheses as hypotheses

NAN = math.nan
NOTHING = {"!NULL", "<eps>", "<epsilon>", "*DELETE*", "-", ""} | {
    "!SENT_START", "!SENT_END", "!ENTER", "!EXIT", "<s>", "</s>", "<sil>", "<SIL>", "SIL", "sil", "!SIL", "[NOISE]",
    "[SPEECH]", "++NOISE++", "<NOISE>", "<SPOKEN_NOISE>",
}  # fmt: skip
BREAKS = re.compile("[\\s\u2013\u2014\u2026\u3000-\u3004\u3008-\u301f\uff0c\uff01\uff1f\uff1a\uff1b]+|[.]{2,}|-{2,}")
LONG = {"time": "t", "WORD": "W", "START": "S", "END": "E", "acoustic": "a", "language": "l"}


def word_of(text):
    """A word without the number of its pronunciation; None where it means nothing."""
    variant = re.match(r"(.+)\(\d+\)$", text)
    text = variant[1] if variant and text not in NOTHING else text
    return None if text in NOTHING else text


def columns(line):
    return [c for c in re.split("[ \t\r\f\v]+", line) if c]


def lines_of(text):
    return [line for line in (columns(line) for line in text.split("\n")) if line]


def slf(data):
    header, nodes, links = {}, [], []
    for line in data.decode("utf-8", "surrogateescape").split("\n"):  # what is not used may be anything
        if links or line.startswith("J="):
            links += fields_of(line)
        elif nodes or line.startswith("I="):
            nodes += fields_of(line)
        elif not line.strip().startswith("#"):
            header.update(re.findall(r'(?<!\w)(\w+)=("[^"]*"|\S*)', line))
    base = float(header.get("base", math.e))
    by_id = {int(node["I"]): node for node in nodes}
    assert len(by_id) == len(nodes)
    assert float(header.get("N", len(nodes))) == len(nodes)
    assert float(header.get("L", len(links))) == len(links)
    weight = float(header.get("lmscale", 1))
    parts = weight if weight > 0 else 1.0
    on_links = any("W" in link for link in links)
    arcs = []
    for link in links:
        source, target = int(link["S"]), int(link["E"])
        word = (link if on_links else by_id[source]).get("W")
        word = None if word is None else word_of(word)
        a, lm, r = (
            times_scale(slf_log(link, key, base), float(header.get(scale, 1)) / parts)
            for key, scale in (("a", "acscale"), ("l", "lmscale"), ("r", "prscale"))
        )
        penalty = float(header.get("wdpenalty", 0)) / parts * (math.log(base) if base else 1)
        lm = lm + r + penalty * (word is not None)
        times = [float(by_id[n].get("t", NAN)) * float(header.get("tscale", 1)) for n in (source, target)]
        arcs.append((source, target, word, a, lm, float(link.get("p", NAN)), *times))
    start = int(header["start"]) if "start" in header else only(by_id, {a[1] for a in arcs})
    end = int(header["end"]) if "end" in header else only(by_id, {a[0] for a in arcs})
    return arcs, start, end


def fields_of(line):
    """The fields of a line, none if it is empty or a comment; the last of a repeated field counts."""
    line = line.lstrip(" \t\r")
    if not line or line.startswith("#"):
        return []
    fields = {}
    while line:
        key, line = line.split("=", 1)
        assert re.fullmatch("[A-Za-z0-9_]+", key)
        if line.startswith('"'):
            value, _, line = line[1:].partition('"')
            assert not line or line[0] in " \t\r"
        else:
            cut = re.search("[ \t\r]", line + " ").start()
            value, line = line[:cut], line[cut:]
        fields[LONG.get(key, key)] = value
        line = line.lstrip(" \t\r")
    return [fields]


def slf_log(link, key, base):
    if key not in link:
        return 0.0
    x = float(link[key])
    if base:
        return x * math.log(base)
    return math.log(x) if x else -math.inf


def times_scale(x, scale):
    return x * scale if scale else 0.0


def only(nodes, others):
    [node] = set(nodes) - others
    return node


def openfst(data):
    arcs, finals, start = [], [], None
    for fields in lines_of(data.decode()):
        start = int(fields[0]) if start is None else start
        if len(fields) <= 2:
            finals.append((int(fields[0]), float(fields[1]) if len(fields) == 2 else 0.0))
            continue
        has_cost = len(fields) == 5 or (len(fields) == 4 and is_number(fields[3]))
        label = fields[-2] if has_cost else fields[-1]
        cost = float(fields[-1]) if has_cost else 0.0
        word = None if label == "0" else word_of(label)
        arcs.append((int(fields[0]), int(fields[1]), word, -cost, 0.0, NAN, NAN, NAN))
    arcs += [(state, "end", None, -cost, 0.0, NAN, NAN, NAN) for state, cost in finals if math.isfinite(cost)]
    return arcs, start, "end"


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text and text.isascii()


def kaldi_text(data, frame=0.01):
    """``data`` of one utterance, its name on the first line."""
    arcs, finals, start, lengths, compact = [], [], None, [], None
    for fields in lines_of(data.decode().split("\n", 1)[1]):
        start = int(fields[0]) if start is None else start
        if len(fields) <= 2:
            graph, acoustic, frames = kaldi_weight(fields[1]) if len(fields) == 2 else (0.0, 0.0, 0)
            if math.isfinite(graph) and math.isfinite(acoustic):
                finals.append((int(fields[0]), graph, acoustic, frames))
            continue
        has_weight = len(fields) == 5 or (len(fields) == 4 and "," in fields[3])
        compact = len(fields) - has_weight == 3
        graph, acoustic, frames = kaldi_weight(fields[-1]) if has_weight else (0.0, 0.0, 0)
        label = fields[2] if compact else fields[3]
        word = (None if int(label) == 0 else str(int(label))) if re.fullmatch("[0-9]+", label) else word_of(label)
        if not compact:
            frames = int(fields[2] not in ("0", "<eps>"))
        arcs.append((int(fields[0]), int(fields[1]), word, graph, acoustic))
        lengths.append(frames)
    return kaldi(arcs, lengths, finals, start, compact, frame)


def kaldi_weight(text):
    graph, acoustic, *alignment = text.split(",")
    return float(graph), float(acoustic), len(alignment[0].split("_")) if alignment and alignment[0] else 0


def kaldi_binary(data, frame=0.01):
    """``data`` of one utterance, without its name; of words the numbers."""
    at = 4
    for _ in range(2):
        (length,) = struct.unpack_from("<i", data, at)
        kind, at = data[at + 4 : at + 4 + length], at + 4 + length
    start, n_states = struct.unpack_from("<qq", data, at + 16)
    at, compact = at + 40, kind == b"compactlattice44"
    arcs, finals, lengths = [], [], []

    def take(form):
        nonlocal at
        values = struct.unpack_from("<" + form, data, at)
        at += struct.calcsize("<" + form)
        return values

    def weight():
        nonlocal at
        graph, acoustic = take("ff")
        frames = take("i")[0] if compact else 0
        at += 4 * frames
        return graph, acoustic, frames

    for state in range(n_states):
        graph, acoustic, frames = weight()
        if math.isfinite(graph) and math.isfinite(acoustic):
            finals.append((state, graph, acoustic, frames))
        for _ in range(take("q")[0]):
            transition, label = take("ii")
            graph, acoustic, frames = weight()
            arcs.append((state, take("i")[0], str(label) if label else None, graph, acoustic))
            lengths.append(frames if compact else int(transition != 0))
    assert at == len(data)
    return kaldi(arcs, lengths, finals, start, compact, frame)


def kaldi(arcs, lengths, finals, start, compact, frame):
    """Frames before a state are those of the longest path to it; in lattices by frames a word lasts to the next one."""
    arcs = [*arcs, *((s, "end", None, graph, acoustic) for s, graph, acoustic, _ in finals)]
    lengths = [*lengths, *(f[3] for f in finals)]
    kept = on_paths(arcs, start, "end")
    arcs, lengths = ([x for x, keep in zip(values, kept, strict=True) if keep] for values in (arcs, lengths))
    times, next_word = {start: 0}, {}
    order = in_order(arcs, start)
    for node in order:
        for (u, v, *_), frames in zip(arcs, lengths, strict=True):
            if u == node:
                times[v] = max(times.get(v, 0), times[u] + frames)
    next_word["end"] = times["end"]
    for node in reversed(order):
        for u, v, word, *_ in arcs:
            if u == node:
                after = times[u] if word is not None else next_word[v]
                next_word[u] = min(next_word.get(u, math.inf), after)
    timed = any(lengths)
    out = []
    for u, v, word, graph, acoustic in arcs:
        end = times[v] if compact or word is None else next_word[v]
        span = (times[u] * frame, end * frame) if timed else (NAN, NAN)
        out.append((u, v, word, -acoustic, -graph, NAN, *span))
    return out, start, "end"


def in_order(arcs, start):
    """The nodes from the start, each after all from which arcs lead to it."""
    order, waiting = [], Counter(a[1] for a in arcs)
    free = [start]
    while free:
        node = free.pop()
        order.append(node)
        for a in arcs:
            if a[0] == node:
                waiting[a[1]] -= 1
                if waiting[a[1]] == 0:
                    free.append(a[1])
    return order


def sausage(line):
    """One line: ``name [ word p word p ] [ word p ]``."""
    [tokens] = lines_of(line.decode())
    slots, at = [], 1
    while at < len(tokens):
        assert tokens[at] == "["
        cut = tokens.index("]", at)
        inside, at = tokens[at + 1 : cut], cut + 1
        slots.append([(word_of(w), float(p), NAN, NAN) for w, p in zip(inside[::2], inside[1::2], strict=True)])
    return slots_as_arcs(slots)


def mesh(data):
    slots, info = {}, {}
    for key, *fields in lines_of(data.decode()):
        if key == "align":
            slots[int(fields[0])] = list(zip(fields[1::2], fields[2::2], strict=True))
        elif key == "info" and len(fields) >= 4:
            info[int(fields[0]), fields[1]] = float(fields[2]), float(fields[2]) + float(fields[3])
    return slots_as_arcs(
        [[(word_of(w), float(p), *info.get((i, w), (NAN, NAN))) for w, p in slots[i]] for i in range(len(slots))]
    )


def slots_as_arcs(slots):
    """Words of a slot side by side; what they lack to 1 is an empty arc, with the mean of their times."""
    arcs = []
    for i, entries in enumerate(slots):
        slot = {}
        for word, p, begin, end in entries:
            slot[word] = (slot[word][0] + p, *slot[word][1:]) if word in slot else (p, begin, end)
        total = sum(p for p, _, _ in slot.values())
        timed = [(s, e) for _, s, e in slot.values() if s == s]
        arcs += [(i, i + 1, w, 0.0, 0.0, p, s, e) for w, (p, s, e) in slot.items() if w is not None]
        empty = slot.get(None, (0.0,))[0] + max(1 - total, 0.0)
        if empty > 1e-9 or not any(w is not None for w in slot):
            span = [sum(t[k] for t in timed) / len(timed) for k in (0, 1)] if timed else [NAN, NAN]
            arcs.append((i, i + 1, None, 0.0, 0.0, empty, *span))
    return arcs, 0, len(slots)


def ctm(data):
    """``data`` of one utterance."""
    words = []
    for line in data.decode().split("\n"):
        fields = columns(line)
        if fields and not line.strip(" \t\r\f\v").startswith(";;"):
            begin, length = float(fields[2]), float(fields[3])
            end = max(begin, round(begin + length, 6)) if length >= 0 else begin + length  # microseconds
            words.append((fields[4], begin, end, float(fields[5]) if len(fields) == 6 else 1.0))
    return one_best(sorted(words, key=lambda w: w[1]))


def one_best(words):
    """(word, start, end, confidence), one after the other; an ignored word is there for certain."""
    slots = [(word_of(w), begin, end, c) for w, begin, end, c in words]
    return slots_as_arcs([[(w, 1.0 if w is None else c, begin, end)] for w, begin, end, c in slots])


def clean(word):
    """A word without punctuation around it, in lower case."""
    edge = [c not in "%#&@+" and not c.isalnum() and unicodedata.category(c)[0] in "PSZC" for c in word]
    at = [i for i, c in enumerate(edge) if not c or re.compile(r"[$£€¥₹¢](?=\d)|(?<=\d)[$£€¥₹¢]").match(word, i)]
    return word[min(at) : max(at) + 1] if at else ""


def turn(piece):
    """``data`` holds segments: (start, end, words, speaker, estimated, alternatives, recording)."""
    arcs, at = [], "0"
    for i, (start, end, words, _, _, others, _) in enumerate(json.loads(piece.content())):
        to = str(i + 1)
        for j, (weight, said) in enumerate([(1 - sum(w for w, _ in others), words), *others]):
            units = []
            for text, begin, stop, c in said:
                tokens = [t for t in map(clean, BREAKS.split(text)) if t]
                sizes = [sum(map(len, tokens[:k])) / sum(map(len, tokens)) for k in range(len(tokens) + 1) if tokens]
                for k, token in enumerate(tokens):
                    word = word_of(token)
                    times = [begin + (stop - begin) * sizes[k], begin + (stop - begin) * sizes[k + 1]]
                    units.append((None if word is None else word.lower(), *times, c))
            nodes = [at, *(f"{i} {j} {k}" for k in range(1, len(units))), to]
            for k, (word, begin, stop, c) in enumerate(units or [(None, start, end, 1.0)]):
                times = (begin - piece.turn.offset, stop - piece.turn.offset)
                c = 1.0 if word is None else c
                if weight > 1e-9:
                    arcs.append((nodes[k], nodes[k + 1], word, 0.0, 0.0, weight * c, *times))
                    if 1 - c > 1e-9:
                        arcs.append((nodes[k], nodes[k + 1], None, 0.0, 0.0, weight * (1 - c), *times))
        at = to
    return arcs, "0", at


def on_paths(arcs, start, end):
    """Which arcs lie on a path from start to end."""

    def reached(first, u, v):
        nodes, size = {first}, 0
        while len(nodes) > size:
            size = len(nodes)
            nodes |= {a[v] for a in arcs if a[u] in nodes}
        return nodes

    ahead, behind = reached(start, 0, 1), reached(end, 1, 0)
    return [a[0] in ahead and a[1] in behind for a in arcs]


def plain(x):
    """A value as text, floats with twelve digits."""
    return f"{x + 0.0:.12g}" if isinstance(x, float) else str(x)


def all_paths(arcs, start, end):
    """What the paths hold, node numbers left out, sorted."""
    out, stack = [], [(start, ())]
    while stack:
        node, path = stack.pop()
        if node == end:
            out.append(path)
            continue
        for a in arcs:
            if a[0] == node:
                stack.append((a[1], (*path, tuple(plain(x) for x in a[2:]))))
    return sorted(out)


def arcs_of(lattice):
    """The arcs of a lattice of the package, as the readers here give them."""
    columns = (lattice.source, lattice.target, lattice.unit, lattice.acoustic, lattice.language, lattice.posterior)
    rows = zip(*(c.tolist() for c in (*columns, lattice.start, lattice.end)), strict=True)
    arcs = [(u, v, None if w < 0 else lattice.units[w], *rest) for u, v, w, *rest in rows]
    return arcs, 0, lattice.n_nodes - 1


def agrees(piece, lattice, parsed):
    """Whether a lattice of the package, and what its reader made of the file, are what the slow readers give."""
    arcs, start, end = read(piece)
    if all_paths(*arcs_of(parsed)) != all_paths(arcs, start, end):
        return False
    slots = hypotheses.list_network(arcs, start, end) if piece.format == "nbest" else None
    return slots is None or hypotheses.same_slots(hypotheses.slots_of(lattice), slots)


READERS = {
    "slf": slf,
    "openfst": openfst,
    "mesh": mesh,
    "sausage": sausage,
    "nbest": lambda data: hypotheses.nbest(data, word_of),
    "ctm": ctm,
    "kaldi-tra": lambda line: hypotheses.tra(line, slots_as_arcs),
}


def read(piece):
    """(arcs, start, end) of an utterance of a file, by the slow reader of its format."""
    if piece.turn is not None:
        return turn(piece)
    if piece.format in READERS:
        return READERS[piece.format](piece.content())
    return (kaldi_binary if piece.byte >= 0 else kaldi_text)(piece.content())
