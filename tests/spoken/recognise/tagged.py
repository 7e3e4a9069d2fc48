"""Small audio files with tags, made by hand."""

import struct

import numpy as np


def sound(path):
    """A tenth of a second of silence."""
    import soundfile

    soundfile.write(path, np.zeros(1600, np.float32), 16000)
    return path


def chunk(name, data, order="<"):
    return name + struct.pack(f"{order}I", len(data)) + data + b"\0" * (len(data) % 2)


def with_chunks(path, *chunks):
    """A wav or aiff file with more chunks behind its sound."""
    data = sound(path).read_bytes() + b"".join(chunks)
    order = "<" if data[:4] == b"RIFF" else ">"
    path.write_bytes(data[:4] + struct.pack(f"{order}I", len(data) - 8) + data[8:])
    return path


def comments(pairs):
    """Vorbis comments: names and texts."""
    texts = [f"{name}={text}".encode() for name, text in pairs]
    return b"".join(struct.pack("<I", len(b)) + b for b in [b"test"]) + struct.pack("<I", len(texts)) + b"".join(
        struct.pack("<I", len(text)) + text for text in texts
    )  # fmt: skip


def flac(path, pairs):
    """A FLAC file with comments behind the first block of its head."""
    data = sound(path).read_bytes()
    first = 8 + int.from_bytes(data[5:8], "big")
    block = comments(pairs)
    head = data[:4] + bytes([data[4] & 127]) + data[5:first]
    last = bytes([4 | data[4] & 128]) + len(block).to_bytes(3, "big")
    path.write_bytes(head + last + block + data[first:])
    return path


def ogg(path, pairs):
    """The two packets at the beginning of an Ogg file with Vorbis: what it holds, and comments."""
    packets = [b"\1vorbis" + struct.pack("<IBIiiiBB", 0, 1, 16000, 0, 64000, 0, 0xB8, 1)]
    packets += [b"\3vorbis" + comments(pairs) + b"\1"]
    with open(path, "wb") as file:
        for number, packet in enumerate(packets):
            sizes = bytes([255] * (len(packet) // 255) + [len(packet) % 255])
            file.write(b"OggS" + struct.pack("<BBqIIIB", 0, 2 * (not number), 0, 1, number, 0, len(sizes)))
            file.write(sizes + packet)
    return path


def frame(name, text, flags=0):
    """A frame of ID3 with text in UTF-8; of comments with their language and no description."""
    data = b"\3" + (b"eng\0" if name == "COMM" else b"") + text.encode()
    return name.encode() + synchsafe(len(data)) + bytes([0, flags]) + data


def id3(frames, version=4, flags=0):
    """An ID3 tag."""
    return b"ID3" + bytes([version, 0, flags]) + synchsafe(len(frames)) + frames


def synchsafe(n):
    return bytes([n >> 21 & 127, n >> 14 & 127, n >> 7 & 127, n & 127])
