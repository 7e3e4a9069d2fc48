"""Evidence of a term over the rows of a query's places."""

# mypy: allow-untyped-defs

from ....kernel import kernel


@kernel
def number_rows(places, row_of, order, n, rows):
    """Number places in the order in which they come first; ``row_of`` is 0 for new ones. How many rows there are."""
    for i in range(len(places)):
        place = places[i]
        if row_of[place] == 0:
            order[n] = place
            n += 1
            row_of[place] = n
        rows[i] = row_of[place] - 1
    return n


@kernel
def add_word(rows, p, missing, best):
    """Add an alternative's word: ``missing`` is Π (1 − p), ``best`` the largest p."""
    for i in range(len(rows)):
        missing[rows[i]] *= 1.0 - p[i]
        best[rows[i]] = max(best[rows[i]], p[i])


@kernel
def add_gram(rows, p, number, weight, heard, least, total):
    """Add gram ``number`` of an alternative: the least p of those that are all heard so far, and the weighted sum."""
    for i in range(len(rows)):
        r = rows[i]
        total[r] += weight * p[i]
        if heard[r] == number:
            least[r] = p[i] if number == 0 else min(least[r], p[i])
            heard[r] = number + 1


@kernel
def take_grams(rows, n_grams, weights, heard, least, total, whole, share):
    """Keep the larger evidence of the alternatives, and clear the sums for the next; for the rows of one gram."""
    for i in range(len(rows)):
        r = rows[i]
        share[r] = max(share[r], total[r] / weights)
        if heard[r] == n_grams:
            whole[r] = max(whole[r], least[r])
        heard[r] = 0
        total[r] = 0.0
