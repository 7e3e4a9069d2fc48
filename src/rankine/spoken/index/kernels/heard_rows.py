"""The postings of some rows, in lists that are sorted by unit."""

# mypy: allow-untyped-defs

from ....kernel import kernel


@kernel
def _at_least(values, low, high, least):
    """The first place from ``low`` to ``high`` whose value is at least ``least``; values rise."""
    while low < high:
        middle = (low + high) // 2
        if values[middle] < least:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def runs_of_rows(ptr, row, first, last, begin, end):
    """Where the postings of rows ``first`` to ``last`` − 1 begin and end in each list. Cost: lists × log length."""
    for u in range(len(ptr) - 1):
        begin[u] = _at_least(row, ptr[u], ptr[u + 1], first)
        end[u] = _at_least(row, begin[u], ptr[u + 1], last)
