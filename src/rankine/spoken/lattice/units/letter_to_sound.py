"""Letter-to-sound rules for English words that no dictionary has: gruut's lexicon and its model of letters.

gruut itself first looks for sentences, numbers, dates and parts of speech, takes half a second to import, and searches
its whole lexicon for each word. A plain word has none of these, so its phones are read from gruut's two files directly.
They are those that gruut finds, but for words that sound by their part of speech: they get their first pronunciation.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from base64 import b64decode, b64encode
from collections.abc import Iterable
from contextlib import closing
from functools import lru_cache
from pathlib import Path
from typing import Any

from ....errors import InputError, install

ARPABET = dict(
    pair.split("=")
    for pair in (
        "ɑ=AA æ=AE ɛ=EH i=IY ɪ=IH ɔ=AO ʊ=UH ʌ=AH u=UW ə=AH ɚ=ER eɪ=EY aɪ=AY oʊ=OW ɔɪ=OY aʊ=AW p=P b=B t=T d=D k=K ɡ=G "
        "t͡ʃ=CH d͡ʒ=JH f=F v=V θ=TH ð=DH s=S z=Z ʃ=SH ʒ=ZH h=HH l=L m=M n=N ŋ=NG ɹ=R w=W j=Y"
    ).split()
)
PLAIN = re.compile(r"[a-z]+(?:'[a-z]+)?")  # the words that the rules are for
_CONTEXT = 3  # letters on either side that the model looks at
_thread = threading.local()  # a model must not be used by two threads


@lru_cache(maxsize=1 << 17)
def guess(word: str) -> list[str]:
    """The phones of a plain word by gruut's letter-to-sound model; none for any other text.

    >>> guess("rankine")
    ['R', 'AE', 'NG', 'K', 'AY', 'N']
    """
    if not PLAIN.fullmatch(word):
        return []
    try:
        sounds = word_sounds(word)
    except ImportError:
        raise InputError(
            f"{word!r} is not in the dictionary; letter-to-sound rules need gruut: {install('spoken')}"
        ) from None
    plain = (sound.strip("ˈˌ").replace("ː", "") for sound in sounds)
    return [ARPABET[sound] for sound in plain if sound in ARPABET]  # others are breaks


def word_sounds(word: str) -> list[str]:
    """The sounds of a plain word, in the phonetic alphabet."""
    from gruut_lang_en import get_lang_dir

    folder = Path(get_lang_dir())
    listed = _listed(folder / "lexicon.db", word[0])
    sounds = listed.get(word) or listed.get(word.replace("'", ""))
    return sounds.split() if sounds else _tagged(folder / "g2p" / "model.crf", word)


@lru_cache(maxsize=26)
def _listed(lexicon: Path, letter: str) -> dict[str, str]:
    """The words of gruut's lexicon that begin with this letter, and the first pronunciation of each.

    The lexicon has no index of its words: every question reads all of it. So it is asked once for each letter.
    """
    with closing(sqlite3.connect(f"{lexicon.as_uri()}?mode=ro", uri=True)) as database:
        asked = "SELECT word, phonemes FROM word_phonemes WHERE pron_order = 0 AND word >= ? AND word < ?"
        return dict(database.execute(asked, (letter, chr(ord(letter) + 1))))


def _tagged(model: Path, word: str) -> list[str]:
    """The sounds of a word by the model; labels are in base 64, ``_`` is no sound, ``|`` stands between several."""
    from pycrfsuite import Tagger

    if not hasattr(_thread, "tagger"):
        _thread.tagger = Tagger()
        _thread.tagger.open(str(model))
    labels: Iterable[str] = _thread.tagger.tag([_features(word, i) for i in range(len(word))])
    sounds = (sound for label in labels for sound in b64decode(label).decode().split("|"))
    return [sound for sound in sounds if sound != "_"]


def _features(word: str, i: int) -> dict[str, Any]:
    """What the model looks at to give letter i its sounds."""
    letters = {f"grapheme{j:+d}": word[i + j] for j in range(-_CONTEXT, _CONTEXT + 1) if j and 0 <= i + j < len(word)}
    features: dict[str, Any] = {name: _coded(letter) for name, letter in {"grapheme": word[i], **letters}.items()}
    ends = {name: True for name, place in (("begin", 0), ("end", len(word) - 1)) if i == place}
    return {"bias": 1.0, **features, **ends}


def _coded(letter: str) -> str:
    return b64encode(letter.encode()).decode()
