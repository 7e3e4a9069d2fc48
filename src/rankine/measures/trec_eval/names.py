"""trec_eval's names: the order in which it prints them, what they are here, their parameters, and its nicknames.

A name with cutoffs is a family: ``P`` is ``P_5`` to ``P_1000``, ``P.5,10`` is ``P_5`` and ``P_10``.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

from ...errors import InputError, shorten

_RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_TENTHS = tuple(i / 10 for i in range(11))
_FIFTHS = tuple(i / 5 for i in range(1, 11))
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_PARAMETERS = re.compile(rf"(?:\w+=)?{_NUMBER}(?:,(?:\w+=)?{_NUMBER})*")


@dataclass(frozen=True)
class TrecName:
    """A name of trec_eval: the measure and its fixed parameters, and the parameters that may follow the name.

    With ``members`` it is a family, one measure for each value of the first of ``takes``; otherwise the values that
    follow are those of ``takes``, in this order, or all of the one that ``takes`` names with a star. ``pairs``: they
    follow as ``name=value``; ``gained``: or as ``grade=gain``, and this is the measure then. ``is_text``: trec_eval
    prints text, which only ``rankine trec_eval`` does.
    """

    measure: str
    params: dict[str, Any] = field(default_factory=dict)
    takes: tuple[str, ...] = ()
    members: tuple[float, ...] = ()
    pairs: bool = False
    gained: str = ""
    is_text: bool = False
    is_count: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether the members are whole numbers."""
        return all(isinstance(m, int) for m in self.members)


def _ranks(measure: str, members: tuple[int, ...] = _RANKS, **params: Any) -> TrecName:
    return TrecName(measure, params, ("cutoff",), members)


def _count(measure: str) -> TrecName:
    return TrecName(measure, is_count=True)


def _prefs(average: str, over: str = "all") -> TrecName:
    return TrecName("Prefs", {"average": average, "over": over})


TREC_NAMES: dict[str, TrecName] = {
    "runid": TrecName("", is_text=True),
    "num_q": _count("NumQ"),
    "num_ret": _count("NumRet"),
    "num_rel": _count("NumRel"),
    "num_rel_ret": _count("NumRelRet"),
    "map": TrecName("AP"),
    "gm_map": TrecName("GMAP"),
    "Rprec": TrecName("Rprec"),
    "bpref": TrecName("Bpref"),
    "recip_rank": TrecName("RR"),
    "iprec_at_recall": TrecName("IPrec", {}, ("cutoff",), _TENTHS),
    "P": _ranks("P"),
    "relstring": TrecName("", takes=("length",), is_text=True),
    "recall": _ranks("R"),
    "infAP": TrecName("infAP"),
    "gm_bpref": TrecName("GMBpref"),
    "Rprec_mult": TrecName("Rprec", {}, ("mult",), _FIFTHS),
    "utility": TrecName("Utility", {}, ("hit", "noise", "miss", "rest")),
    "11pt_avg": TrecName("IPrecMean", {}, ("*points",)),
    "binG": TrecName("BinG"),
    "G": TrecName("G", pairs=True, gained="G"),
    "dcg": TrecName("DCG", {"dcg": "log2"}),
    "ndcg": TrecName("nDCG", {"dcg": "log2"}, pairs=True, gained="GainNDCG"),
    "ndcg_rel": TrecName("nDCGrel", pairs=True, gained="nDCGrel"),
    "Rndcg": TrecName("RnDCG", pairs=True, gained="RnDCG"),
    "ndcg_cut": _ranks("nDCG", dcg="log2"),
    "map_cut": _ranks("AP"),
    "relative_P": _ranks("RelativeP"),
    "success": _ranks("Success", (1, 5, 10)),
    "set_P": TrecName("SetP"),
    "set_relative_P": TrecName("SetRelativeP"),
    "set_recall": TrecName("SetR"),
    "set_map": TrecName("SetAP"),
    "set_F": TrecName("SetF", {}, ("x",)),
    "num_nonrel_judged_ret": _count("NumNonRelRet"),
    "prefs_num_prefs_poss": _count("NumPrefs"),
    "prefs_num_prefs_ful": _count("NumPrefsMet"),
    "prefs_num_prefs_ful_ret": TrecName("NumPrefsMet", {"over": "retrieved"}, is_count=True),
    "prefs_simp": _prefs("preferences"),
    "prefs_pair": _prefs("pairs"),
    "prefs_avgjg": _prefs("groups"),
    "prefs_avgjg_Rnonrel": TrecName("PrefsR"),
    "prefs_simp_ret": _prefs("preferences", "retrieved"),
    "prefs_pair_ret": _prefs("pairs", "retrieved"),
    "prefs_avgjg_ret": _prefs("groups", "retrieved"),
    "prefs_avgjg_Rnonrel_ret": TrecName("PrefsR", {"over": "retrieved"}),
    "prefs_simp_imp": _prefs("preferences", "implied"),
    "prefs_pair_imp": _prefs("pairs", "implied"),
    "prefs_avgjg_imp": _prefs("groups", "implied"),
    "map_avgjg": TrecName("GroupAP"),
    "P_avgjg": _ranks("GroupP"),
    "Rprec_mult_avgjg": TrecName("GroupRprec", {}, ("mult",), _FIFTHS),
    "yaap": TrecName("YAAP"),
    "rbp": TrecName("GradedRBP", {}, ("p",), pairs=True, gained="GradedRBP"),
    "rbp_resid": TrecName("RBPResidual", {}, ("p",), pairs=True),
    "unj": _ranks("Unjudged", (5, 10, 20)),
}
_COUNTS = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret")
_SETS = ("set_P", "set_recall", "set_relative_P", "set_map", "set_F")
NICKNAMES: dict[str, tuple[str, ...]] = {
    "official": (*_COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"),
    "set": (*_COUNTS, "utility", *_SETS),
    "all_trec": (
        *_COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P", "relstring", "recall",
        "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg", "binG", "G", "ndcg", "ndcg_rel", "Rndcg", "ndcg_cut",
        "map_cut", "relative_P", "success", *_SETS, "num_nonrel_judged_ret", "rbp", "rbp_resid", "unj",
    ),
    "all_prefs": ("runid", "num_q", *(name for name in TREC_NAMES if name.startswith("prefs_"))),
    "prefs": ("runid", "num_q", "prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret", "prefs_simp",
              "prefs_pair", "prefs_avgjg"),
    "qrels_jg": ("runid", "num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
}  # fmt: skip


def split_trec(text: str) -> tuple[str, str | None] | None:
    """A name of trec_eval and what follows it after ``.`` or ``_``, None if it is no such name.

    >>> split_trec("P.5,10"), split_trec("iprec_at_recall_0.10"), split_trec("map"), split_trec("MRR")
    (('P', '5,10'), ('iprec_at_recall', '0.10'), ('map', None), None)
    """
    if text in TREC_NAMES:
        return text, None
    for name in sorted(TREC_NAMES, key=len, reverse=True):
        rest = text[len(name) + 1 :]
        if text.startswith((f"{name}.", f"{name}_")) and _PARAMETERS.fullmatch(rest):
            return name, rest
    return None


def trec_members(name: str, following: str | None) -> dict[str, dict[str, Any]]:
    """The parameters of each measure that a name of trec_eval stands for, by the name that trec_eval prints.

    >>> trec_members("success", None), trec_members("P", "10,5"), trec_members("set_F", "2.0")
    ({'success_1': {'cutoff': 1}, ...}, {'P_5': {'cutoff': 5}, 'P_10': {'cutoff': 10}}, {'set_F_2.0': {'x': 2.0}})
    """
    row = TREC_NAMES[name]
    whole = name if following is None else f"{name}.{following}"
    if following is None and not row.members:
        return {name: dict(row.params)}
    if not row.takes and not row.pairs:
        raise InputError(f"measure {shorten(whole)}: trec_eval's {name} takes no such parameters here")
    if row.members:
        return _family(name, row, following, whole)
    parameters = _parameters(row, str(following), whole)
    return {f"{name}_{following}": parameters if "gains" in parameters else row.params | parameters}


def _family(name: str, row: TrecName, following: str | None, whole: str) -> dict[str, dict[str, Any]]:
    values = list(row.members)
    if following is not None:
        values = sorted(_numbers(following, whole))
        if row.is_whole:
            values = [int(v) for v in values]  # as trec_eval, 23.4 is 23
    if len(set(values)) < len(values):
        raise InputError(f"measure {shorten(whole)}: a cutoff is given twice")
    spelled = "{}_{}" if row.is_whole else "{}_{:.2f}"
    return {spelled.format(name, v): row.params | {row.takes[0]: v} for v in values}


def _parameters(row: TrecName, following: str, whole: str) -> dict[str, Any]:
    if row.pairs:
        return _pairs(row, following, whole)
    values = _numbers(following, whole)
    if row.takes[0].startswith("*"):
        return {row.takes[0][1:]: tuple(values)}
    if len(values) != len(row.takes):
        raise InputError(
            f"measure {shorten(whole)}: expected {len(row.takes)} numbers after the dot, got {len(values)}"
        )
    return dict(zip(row.takes, values, strict=True))


def _pairs(row: TrecName, following: str, whole: str) -> dict[str, Any]:
    """Parameters by name, and gains by grade."""
    out: dict[str, Any] = {}
    gains: list[float] = []
    for piece in following.split(","):
        key, _, text = piece.rpartition("=")
        if key in row.takes:
            out[key] = _numbers(text, whole)[0]
        elif row.gained and re.fullmatch(r"\d+", key):
            gains += [float(key), _numbers(text, whole)[0]]
        else:
            forms = [*(f"{t}=NUMBER" for t in row.takes), *(["GRADE=GAIN"] if row.gained else [])]
            raise InputError(
                f"measure {shorten(whole)}: expected {' or '.join(forms)} after the dot, got {shorten(piece)}"
            )
    return out | ({"gains": tuple(gains)} if gains else {})


def _numbers(following: str, whole: str) -> list[float]:
    if "=" in following:
        raise InputError(f"measure {shorten(whole)}: expected numbers after the dot, got {shorten(following)}")
    values = [float(v) for v in following.split(",")]
    if not all(map(math.isfinite, values)):
        raise InputError(f"measure {shorten(whole)}: a number after the dot is too large")
    return values
