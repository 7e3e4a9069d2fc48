"""Letter-to-sound rules for English words that no dictionary has: gruut's lexicon and its model of letters.

gruut itself first looks for sentences, numbers, dates and parts of speech, and takes half a second to import. A plain
word has none of these, so its phones are read from gruut's two files directly. They are those that gruut finds.
"""

from __future__ import annotations

import re
import sqlite3
from base64 import b64decode, b64encode
from collections.abc import Iterable, Sequence
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
_PLAIN = re.compile(r"(?!vs)[a-z]+(?:'[a-z]+)?")  # gruut reads vs as versus, also where a word begins with it
_CONTEXT = 3  # letters on either side that the model looks at


@lru_cache(maxsize=1 << 17)
def guess(word: str) -> list[str]:
    """The phones of a word by gruut's letter-to-sound model.

    >>> guess("rankine")
    ['R', 'AE', 'NG', 'K', 'AY', 'N']
    """
    try:
        sounds = plain_sounds(word)
        if sounds is None:
            sounds = sentence_sounds(word)
    except ImportError:
        raise InputError(
            f"{word!r} is not in the dictionary; letter-to-sound rules need gruut: {install('spoken')}"
        ) from None
    plain = (sound.strip("ˈˌ").replace("ː", "") for sound in sounds)
    return [ARPABET[sound] for sound in plain if sound in ARPABET]  # others are breaks


def sentence_sounds(text: str) -> list[str]:
    """The sounds of any text, in the phonetic alphabet, by all of gruut."""
    from gruut import sentences

    tokens = (token for sentence in sentences(text, lang="en-us", espeak=False) for token in sentence)
    return [sound for token in tokens for sound in token.phonemes or ()]


def plain_sounds(word: str) -> Sequence[str] | None:
    """The sounds of a word of letters, in the phonetic alphabet; None if only all of gruut can tell."""
    if not _PLAIN.fullmatch(word):
        return None
    from gruut_lang_en import get_lang_dir

    folder = Path(get_lang_dir())
    for form in dict.fromkeys((word, word.replace("'", ""))):
        entries = _entries(folder / "lexicon.db", form)
        if any(role for role, _ in entries):  # depends on the part of speech
            return None
        if entries:
            return entries[0][1].split()
    return _tagged(folder / "g2p" / "model.crf", word)


def _entries(lexicon: Path, word: str) -> list[tuple[str, str]]:
    """The roles and pronunciations of a word in gruut's lexicon."""
    with closing(sqlite3.connect(f"{lexicon.as_uri()}?mode=ro", uri=True)) as database:
        rows = database.execute("SELECT role, phonemes FROM word_phonemes WHERE word = ? ORDER BY pron_order", (word,))
        return rows.fetchall()


def _tagged(model: Path, word: str) -> list[str]:
    """The sounds of a word by the model; labels are in base 64, ``_`` is no sound, ``|`` stands between several."""
    from pycrfsuite import Tagger

    tagger = Tagger()  # a new one for each word, since it must not be used by two threads; opening takes a millisecond
    tagger.open(str(model))
    labels: Iterable[str] = tagger.tag([_features(word, i) for i in range(len(word))])
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
