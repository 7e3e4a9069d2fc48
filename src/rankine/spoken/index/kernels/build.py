"""Sorting postings by unit."""

# mypy: allow-untyped-defs

from ....kernel import kernel


@kernel
def by_unit(unit, ptr, order):
    """Stable counting sort; ``ptr`` becomes where each unit begins. Cost: linear in units and postings."""
    for u in unit:
        ptr[u + 1] += 1
    for u in range(len(ptr) - 1):
        ptr[u + 1] += ptr[u]
    at = ptr.copy()
    for i in range(len(unit)):
        order[at[unit[i]]] = i
        at[unit[i]] += 1
