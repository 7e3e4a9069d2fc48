"""Mutations of text, bytes and JSON. Everything depends on the random generator alone, so a seed makes it again."""

from __future__ import annotations

import copy
import json
import random
import re

EXTREME = [
    b"0", b"-0", b"-1", b"1e308", b"-1e308", b"1e309", b"1e-320", b"1e-9999999", b"1e9999999", b"nan", b"NaN", b"inf",
    b"-inf", b"Infinity", b"2147483647", b"2147483648", b"4294967295", b"4294967296", b"-2147483649",
    b"9223372036854775807", b"9223372036854775808", b"18446744073709551616", b"-9223372036854775809", b"9" * 400,
    b"0." + b"1" * 400, b"0x10", b"1_000", b"1,5", b"1.", b".5", b"+1", b"--1", b"1e", b"e5", b"00001", "١".encode(),
    "½".encode(), b"1e+0000000000000000000000005", b"0.1111111111111111111111e-9999999", b"3.4028236e38", b"1e-46",
]  # fmt: skip
TOKENS = [
    b"", b" ", b"\t", b"\0", b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\x1b[31m", b"#", b"=", b":", b"::", b"\"", b"'",
    b"[", b"]", b"{", b"}", b"\\", b"\r", b"\n", b"\r\n", b"\x0b", b"\x85", "\u2028".encode(), "\u202e".encode(),
    b"\xef\xbb\xbf", b"-", b"..", b"../../x", b"/dev/zero", b"null", b"true", "é".encode(), "🂡".encode(), b"a" * 300,
    b"a" * 1001, b"1" * 29, b"a." * 30, "e\u0301\u0301".encode(),
    b"<eps>", b"!NULL", b"qid:", b"qid:1", b"1:1", b"docid", b"W=", b"I=0", b"J=0", b"S=0", b"E=0",
]  # fmt: skip
_NUMBER = re.compile(rb"(?<![\w.])[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
_FIELD = re.compile(rb"\S+")


def text(rng: random.Random, data: bytes) -> bytes:
    """A text with one to four changes, each by the grammar of lines, fields and numbers, or of bytes."""
    for _ in range(1 + int(rng.expovariate(1.2))):
        change = rng.choices(_TEXT_CHANGES, _TEXT_WEIGHTS)[0]
        data = change(rng, data)
    return data[:200_000]


def _new_number(rng: random.Random, data: bytes) -> bytes:
    return _replaced(rng, _NUMBER, data, lambda old: _ordinary(rng, old))


def _extreme_number(rng: random.Random, data: bytes) -> bytes:
    return _replaced(rng, _NUMBER, data, lambda old: rng.choice(EXTREME))


def _new_field(rng: random.Random, data: bytes) -> bytes:
    fields = _FIELD.findall(data) or [b""]
    return _replaced(rng, _FIELD, data, lambda old: rng.choice(fields))


def _token_field(rng: random.Random, data: bytes) -> bytes:
    return _replaced(rng, _FIELD, data, lambda old: rng.choice([b"", old, old[:1]]) + rng.choice(TOKENS))


def _repeated_field(rng: random.Random, data: bytes) -> bytes:
    times = rng.choice([2, 2, 3, 8, 50])
    blank = rng.choice([b" ", b" ", b"\t", b""])
    return _replaced(rng, _FIELD, data, lambda old: blank.join([old] * times))


def _no_field(rng: random.Random, data: bytes) -> bytes:
    return _replaced(rng, _FIELD, data, lambda old: b"")


def _lines(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    way = rng.randrange(6)
    if way == 0:
        lines[a], lines[b] = lines[b], lines[a]
    elif way == 1:
        lines.insert(b, lines[a])
    elif way == 2:
        del lines[a]
    elif way == 3:
        lines[a:a] = [b""] * rng.choice([1, 2, 30])
    elif way == 4:
        lines[a : a + 1] = [lines[a] + lines[b]]
    else:
        rng.shuffle(lines)
    return b"\n".join(lines)


def _ends(rng: random.Random, data: bytes) -> bytes:
    way = rng.randrange(7)
    if way == 0:
        return data.replace(b"\n", b"\r\n")
    if way == 1:
        return data.rstrip(b"\n")
    if way == 2:
        return b"\xef\xbb\xbf" + data
    if way == 3:
        return data.replace(b" ", rng.choice([b"  ", b"\t", b"\x0b", b"\xc2\xa0"]))
    if way == 4:
        return data + rng.choice([b"\n\n", b"\0", b"\x1a", b"# end", b" "])
    if way == 5:
        return data.upper() if rng.random() < 0.5 else data.lower()
    return data + data


def data(rng: random.Random, data: bytes) -> bytes:
    """Bytes with one to four changes without any grammar."""
    for _ in range(1 + int(rng.expovariate(1.0))):
        data = _bytes(rng, data)
    return data


def _bytes(rng: random.Random, data: bytes) -> bytes:
    if not data:
        return bytes(rng.randrange(256) for _ in range(8))
    out = bytearray(data)
    at, way = rng.randrange(len(out)), rng.randrange(7)
    if way == 0:
        out[at] ^= 1 << rng.randrange(8)
    elif way == 1:
        out[at] = rng.choice([0, 1, 10, 32, 45, 46, 58, 61, 127, 128, 255])
    elif way == 2:
        del out[at : at + rng.choice([1, 2, 4, 100])]
    elif way == 3:
        out[at:at] = bytes(rng.randrange(256) for _ in range(rng.choice([1, 2, 8])))
    elif way == 4:
        del out[at:]
    elif way == 5:
        width = rng.choice([1, 2, 4, 8])
        number = rng.choice([0, 1, -1, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63), rng.getrandbits(16)])
        out[at : at + width] = (number % 256**width).to_bytes(width, "little")
    else:
        end = min(len(out), at + rng.choice([4, 16, 64]))
        out[at:at] = out[at:end]
    return bytes(out)


def _replaced(rng: random.Random, pattern: re.Pattern[bytes], data: bytes, new) -> bytes:
    places = list(pattern.finditer(data))
    if not places:
        return _bytes(rng, data)
    place = rng.choice(places)
    return data[: place.start()] + new(place.group()) + data[place.end() :]


def _ordinary(rng: random.Random, old: bytes) -> bytes:
    value = rng.choice([rng.randrange(10), rng.randrange(-3, 100), round(rng.uniform(-3, 3), rng.randrange(1, 8))])
    if old.isdigit() and rng.random() < 0.6:
        value = abs(int(value))
    return str(value).encode()


_TEXT_CHANGES = [
    _new_number, _extreme_number, _new_field, _token_field, _repeated_field, _no_field, _lines, _ends, _bytes,
]  # fmt: skip
_TEXT_WEIGHTS = [8, 2, 2, 2, 2, 1, 4, 3, 1]


# JSON


STRANGE = [
    None, True, False, 0, -1, 1, 2**31, 2**53, 2**63, 10**30, -(10**30), 0.5, -0.5, 1e308, -1e308, 5e-324, float("nan"),
    float("inf"), "", "x", "nan", "../../victim", "/etc/passwd", "\x1b[31m", "\ud800", "é", "a" * 3000, [], {}, [[]],
    [None], {"a": None}, [0], [1.0, 2.0], ["x"], {"x": {}}, [1] * 100,
]  # fmt: skip


def _anything(rng: random.Random):
    return copy.deepcopy(rng.choice(STRANGE))


def tree(rng: random.Random, content, mild: float = 0.5):
    """JSON values with one to three changes: a share of ``mild`` only puts another value of the same type."""
    content = copy.deepcopy(content)
    for _ in range(1 + int(rng.expovariate(1.5))):
        holder, key = _place(rng, content)
        if holder is None:
            if rng.random() < 0.1:
                content = _anything(rng)
            continue
        if isinstance(content, dict) and rng.random() < 0.15:
            content[rng.choice(["extra", "note", ""])] = _anything(rng)
        elif rng.random() < mild:
            holder[key] = _like(rng, holder[key])
        else:
            _strange(rng, holder, key)
    return content


def json_text(rng: random.Random, content, mild: float = 0.5, indent: int | None = None) -> bytes:
    """The text of mutated JSON; now and then the text itself is mutated too."""
    changed = tree(rng, content, mild)
    if rng.random() < 0.02:
        depth = rng.choice([70, 1000, 100_000])
        return b"[" * depth + b"]" * depth
    out = json.dumps(changed, indent=indent, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")
    return text(rng, out) if rng.random() < 0.1 else out


def _place(rng: random.Random, content):
    """A member somewhere in the tree: its holder and key. Shallow ones are as likely as deep ones."""
    holder, key, level = None, None, content
    for _ in range(rng.choice([1, 1, 2, 2, 3, 4, 6])):
        if isinstance(level, dict) and level:
            holder, key = level, rng.choice(list(level))
        elif isinstance(level, list) and level:
            holder, key = level, rng.randrange(len(level))
        else:
            break
        level = holder[key]
    return holder, key


def _like(rng: random.Random, value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice([value, value + 1, value - 1, 0, 1, rng.randrange(100)])
    if isinstance(value, float):
        return rng.choice([value, -value, value * 1.5, 0.0, rng.gauss(0, 1), value * 1e10, value * 1e-10])
    if isinstance(value, str):
        return rng.choice([value, value + "x", value[1:], "other", value.upper()])
    if isinstance(value, list) and value:
        return rng.choice([value, value[::-1], value[:-1], value + value[:1]])
    return value


def _strange(rng: random.Random, holder, key) -> None:
    way = rng.randrange(5)
    if way == 0:
        del holder[key]
    elif way == 1 and isinstance(holder, dict):
        holder[rng.choice(["extra", "", "__class__", "kind", "size"])] = _anything(rng)
    elif way == 2 and isinstance(holder, dict):
        other = rng.choice(list(holder))
        holder[key], holder[other] = holder[other], holder[key]
    elif way == 3 and isinstance(holder, list):
        holder.insert(key, _anything(rng))
    else:
        holder[key] = _anything(rng)
