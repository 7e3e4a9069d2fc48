"""Slow, obvious readers of judgments, runs and preferences: the rules of the pages, one line after another."""

import csv
import json
import math
import re

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)
FORMS = {
    "qrels": {3: (0, 1, 2), 4: (0, 2, 3)},
    "run": {3: (0, 1, 2), 6: (0, 2, 4)},
}
NAMES = {
    "query": ["queryid", "qid", "query", "topicid", "topic", "q"],
    "document": ["docno", "documentid", "docid", "corpusid", "document", "doc", "passageid", "pid", "did"],
    "grade": ["grade", "relevance", "rel", "label", "judgment", "judgement", "score"],
    "score": ["score", "similarity", "sim", "prediction"],
    "winner": ["winner", "winnerid", "preferred", "better", "chosen"],
    "loser": ["loser", "loserid", "worse", "rejected"],
}


def number(text):
    """A finite decimal, else ValueError."""
    if not _NUMBER.fullmatch(text) or not math.isfinite(float(text)):
        raise ValueError(text)
    return float(text)


def words(line):
    return re.findall(r"[^\x00-\x20]+", line)


def places(rows, kind):
    """Where the query, the document and the number stand in rows of TREC text."""
    first = rows[0]
    if kind == "run" and len(first) == 5:
        second = {row[1] for row in rows}
        repeated = len({row[0] for row in rows}) < len(rows)
        q0 = len(second) == 1 and (second <= {"Q0", "q0", "0"} or repeated)
        if q0:
            return (0, 2, 4) if _NUMBER.fullmatch(first[3]) and _NUMBER.fullmatch(first[4]) else (0, 2, 3)
        number(first[2])
        return 0, 1, 3
    return FORMS[kind][min(len(first), 6) if kind == "run" else len(first)]


def trec(text, kind):
    """(query, document, number) of each line of TREC text."""
    rows = [row for line in text.split("\n") if (row := words(line))]
    at = places(rows, kind)
    counts = {min(len(row), 6) if kind == "run" else len(row) for row in rows}
    if len(counts) > 1:
        raise ValueError("mixed")
    out = [(row[at[0]], row[at[1]], number(row[at[2]])) for row in rows]
    ranks = {}
    for q, _, v in out:
        ranks.setdefault(q, []).append(v)
    if kind == "run" and counts == {3} and all(v == list(range(1, len(v) + 1)) for v in ranks.values()):
        out = [(q, d, -v) for q, d, v in out] if max(map(len, ranks.values())) > 1 else out
    return out


def column(names, role):
    plain = [re.sub("[^a-z0-9]", "", name.lower()) for name in names]
    return next(names[plain.index(usual)] for usual in NAMES[role] if usual in plain)


def delimited(text, roles, delimiter):
    """The values of these roles of each line of CSV with a header."""
    rows = list(csv.DictReader([line for line in text.split("\n") if line.strip()], delimiter=delimiter))
    return [tuple(row[column(list(row), role)].strip() for role in roles) for row in rows]


def json_lines(text, roles):
    """The values of these roles of each line of JSON."""
    rows = [json.loads(line) for line in text.split("\n") if line.strip()]
    return [tuple(row[column(list(rows[0]), role)] for role in roles) for row in rows]


def preferences(edges, queries, documents):
    """Rows of winners and losers: ``queries`` and ``documents`` of all rows, documents None where they have no ids."""
    out = []
    for query, winner, loser in edges:
        rows = [i for i, q in enumerate(queries) if str(q) == query]
        if rows:
            names = [str(n + 1) if documents is None else str(documents[i]) for n, i in enumerate(rows)]
            out.append((rows[names.index(winner)], rows[names.index(loser)]))
    return out
