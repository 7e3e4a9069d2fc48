"""British and American spelling: alternations of stems and endings, and pairs of words.

A row of ``ALTERNATIONS`` has the British letters, the American ones, and what stands before and behind them. Words that
have both spellings with different meanings (cheque and check, storey and story) are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

_ENDINGS = "(?:s|ed|ing|er|ers|able|ful|fully|less|ly|ist|ists|ism|hood|ite|ites|al|y)?"
_OUR = (
    "arb ard arm behavi cand clam clang col demean dol enam endeav fav ferv flav glam harb hon hum lab "
    "misdemean neighb od parl ranc rig rum savi sav splend succ tum val vap vig"
)
_RE = (
    "calib cent fib lit lust meag met mit nit och reconnoit sab scept sepulch somb spect theat centimet "
    "kilomet millimet epicent"
)
_OGUE = "anal catal dial epil monol prol travel demag pedag synag homol"
_L = (
    "apparel barrel bevel cancel carol channel chisel counsel crenel cruel devil dial dishevel duel enamel "
    "equal fuel gambol gravel grovel imperil initial jewel kennel label laurel level libel marshal marvel "
    "medal model panel parcel pedal pencil pommel pummel quarrel ravel revel rival scalpel shovel shrivel "
    "signal snivel spiral stencil swivel tassel total towel trammel travel tunnel unravel victual weasel yodel"
)
_AE = (
    "an~mia an~mic an~sthesia an~sthetic an~sthetist arch~ology arch~ological arch~ologist encyclop~dia encyclop~dic "
    "gyn~cology h~morrhage h~moglobin leuk~mia medi~val orthop~dic p~diatric p~diatrician pal~ontology prim~val "
    "~sthetic ~sthetics ~on f~ces c~sarean h~mophilia septic~mia"
)
_OE = "am~ba diarrh~a ~dema f~tus f~tal ~sophagus ~strogen hom~opathy hom~opathic"
_PAIRS = """
grey gray|greys grays|greyish grayish|tyre tire|tyres tires|programme program|programmes programs|aeroplane airplane
aeroplanes airplanes|aluminium aluminum|jewellery jewelry|plough plow|ploughs plows|ploughed plowed|ploughing plowing
ploughman plowman|draught draft|draughts drafts|draughtsman draftsman|sceptic skeptic|sceptics skeptics
sceptical skeptical|scepticism skepticism|mould mold|moulds molds|moulded molded|moulding molding|mouldings moldings
mouldy moldy|moult molt|smoulder smolder|smouldering smoldering|moustache mustache|moustaches mustaches|pyjamas pajamas
licence license|licences licenses|defence defense|defences defenses|offence offense|offences offenses
pretence pretense|pretences pretenses|practise practice|practised practiced|practises practices|practising practicing
cosy cozy|sulphur sulfur|sulphuric sulfuric|whisky whiskey|yoghurt yogurt|artefact artifact|artefacts artifacts
axe ax|enrol enroll|enrols enrolls|enrolment enrollment|fulfil fulfill|fulfils fulfills|fulfilment fulfillment
instalment installment|instalments installments|instil instill|distil distill|appal appall|skilful skillful
skilfully skillfully|wilful willful|wilfully willfully|woollen woolen|woollens woolens|marvellous marvelous
judgement judgment|judgements judgments|acknowledgement acknowledgment|ageing aging|gaol jail|gaols jails|gaoler jailer
gaolers jailers|manoeuvre maneuver|manoeuvres maneuvers|manoeuvred maneuvered
connexion connection|connexions connections
inflexion inflection|reflexion reflection|catalogued cataloged|cataloguing cataloging|furore furor|cypher cipher
waggon wagon|waggons wagons|gypsy gipsy|gypsies gipsies|shew show|shewn shown|shewed showed
"""
_NOT_VERBS = (
    "advertis advis appris aris chastis circumcis compris compromis concis demis despis devis disguis enterpris excis "
    "exercis expertis franchis improvis incis likewis merchandis otherwis paradis precis premis pris promis revis ris "
    "supervis surmis surpris televis treatis uppris wis"
)


class Alternation(NamedTuple):
    """The British and the American letters between what two patterns match."""

    british: str
    american: str
    before: str
    after: str

    def pattern(self, letters: str) -> re.Pattern[str]:
        """The pattern of words with these letters."""
        return re.compile(f"({self.before}){letters}({self.after})")


def _any(stems: Iterable[str]) -> str:
    return f"(?:{'|'.join(stems)})"


_VERB = "(?:e|ed|es|er|ers|ing|ings)"
ALTERNATIONS = {
    "-our": Alternation("our", "or", f"(?:un|mis|dis|re)?{_any(_OUR.split())}", _ENDINGS),
    "-ise": Alternation(
        "s", "z", rf"(?!{_any(_NOT_VERBS.split())}{_VERB}$)[a-z]{{2,}}[^aeou]i", "(?:e|ed|es|er|ers|ing|ations?|able)"
    ),
    "-yse": Alternation("s", "z", "[a-z]+ly", "(?:e|ed|er|ers|ing)"),
    "-re": Alternation("re", "er", _any(_RE.split()), "s?"),
    "-red": Alternation("r", "er", _any(_RE.split()), "ed"),
    "-ogue": Alternation("ogue", "og", _any(_OGUE.split()), "s?"),
    "-ll-": Alternation(
        "ll", "l", f"(?:un|re|mis|out|dis)?{_any(stem[:-1] for stem in _L.split())}", "(?:ed|ings?|ers?|ors?|ists?)"
    ),
}
_TO_AMERICAN = [(row.pattern(row.british), row.american) for row in ALTERNATIONS.values()]
_TO_BRITISH = [(row.pattern(row.american), row.british) for row in ALTERNATIONS.values()]
PAIRS: dict[str, str] = dict(
    pair.split()
    for pair in (
        *(pair for pair in _PAIRS.replace("\n", "|").split("|") if pair),
        *(f"{word.replace('~', 'ae')} {word.replace('~', 'e')}" for word in _AE.split()),
        *(f"{word.replace('~', 'oe')} {word.replace('~', 'e')}" for word in _OE.split()),
    )
)  # British → American
_BRITISH = {american: british for british, american in PAIRS.items()}


@lru_cache(maxsize=1 << 14)
def american(word: str) -> str:
    """The American spelling of a word.

    >>> american("travelled"), american("centre"), american("analyse"), american("promise"), american("color")
    ('traveled', 'center', 'analyze', 'promise', 'color')
    """
    return PAIRS.get(word) or _replaced(word, _TO_AMERICAN) or word


@lru_cache(maxsize=1 << 14)
def other_spelling(word: str) -> str | None:
    """The American spelling of a British word, or the other way round; None if there is none.

    It may be no word at all: whoever asks looks whether there is one.

    >>> other_spelling("colour"), other_spelling("organize"), other_spelling("gray"), other_spelling("four")
    ('color', 'organise', 'grey', None)
    """
    there = PAIRS.get(word) or _replaced(word, _TO_AMERICAN)
    return there or _BRITISH.get(word) or _replaced(word, _TO_BRITISH)


def _replaced(word: str, rows: Sequence[tuple[re.Pattern[str], str]]) -> str | None:
    for pattern, letters in rows:
        if match := pattern.fullmatch(word):
            return match[1] + letters + match[2]
    return None
