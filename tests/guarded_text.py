"""Text right before memory that cannot be read: a kernel that looks too far behind it dies. Run as a program."""

import ctypes
import mmap
from contextlib import suppress
from itertools import product

import numpy as np

from rankine.errors import InputError
from rankine.io.letor.lines import LetorLineError, LetorLines, parse_block
from rankine.io.trec import kernels as trec_kernels
from rankine.spoken.lattice.formats.lattices import slf_kernels
from rankine.system.files import PADDING, Block

LETOR = "1.25 qid:10 1:0.1234567 2:-1.5e-10 3:12345678 # docid = GX1\n2 qid:10 1:0.123456 2:nan 3:0.5 #d2"
TREC = "q1 Q0 d1 1 12345678.12345678e-10 tag\nq2 Q0 d2 2 inf"
SLF = 'J=0 S=0 E=12345678 W="a b" a=-12.5e-10 acoustic=1 l=12345678\nJ=1 START=1 E=2 W=b p=0.12345678'


def guarded(text):
    """(array of the text and its padding, what keeps it): the next byte cannot be read."""
    page = mmap.PAGESIZE
    size = -(-(len(text) + PADDING) // page) * page
    memory = mmap.mmap(-1, size + page)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    protect = ctypes.CDLL(None).mprotect
    assert protect(ctypes.c_void_p(address + size), ctypes.c_size_t(page), 0) == 0
    start = size - len(text) - PADDING
    memory[start : start + len(text)] = text
    return np.frombuffer(memory, np.uint8)[start:size]


def read_letor(data, end):
    for stride, has_qid, unordered in product((0, 1, 3), (True, False), (True, False)):
        lines = LetorLines(np.dtype(np.float32), None, None, has_qid, unordered)
        with suppress(LetorLineError):
            parse_block(Block(data, end, 0), 8, stride, 1, lines)


def read_trec(data, end):
    spans, state = np.empty((9, 4), np.int64), np.zeros(5, np.int64)
    trec_kernels.cut_lines(
        data, end, 6, 6, 2, 4, spans, np.empty(9), np.empty(9, np.int64), np.empty((9, 3), np.int64), state
    )


def read_slf(data, end):
    columns = np.empty((3, 9), np.int64), np.empty((4, 9)), np.empty(9, np.int64), np.empty(9, np.int64)
    keys = np.frombuffer(b"JSEalpr", np.uint8)
    slf_kernels.read_fields(data, 0, end, keys, *columns, 0, np.full(32, -1, np.int64), np.empty((9, 2), np.int64), 0)


def main():
    for text, read, line_end in ((LETOR, read_letor, "\n"), (TREC, read_trec, "\n"), (SLF, read_slf, "")):
        for cut in range(1, len(text) + 1):
            piece = (text[:cut] + line_end).encode()
            with suppress(InputError):
                read(guarded(piece), len(piece))
    print("read")


if __name__ == "__main__":
    main()
