"""Words of a text, and words without punctuation."""

import pytest

from rankine.spoken.writing.tokens import clean, written_words


@pytest.mark.parametrize(
    ("written", "word"),
    [
        ("“Hello,”", "Hello"), ("don’t", "don’t"), ("(well)", "well"), ("wait…", "wait"), ("–", ""), ("你好。", "你好"),
        ("「是」，", "是"), ("¿Qué?", "Qué"), ("C++", "C++"), ("R&B", "R&B"), ("100%.", "100%"), ("it's", "it's"),
        ("'tis", "tis"), ("U.S.", "U.S"), ("♪la♪", "la"), ("\ufeffa\u200b", "a"), ("«oui»", "oui"),
        ("well-known", "well-known"), ("($5,", "$5"), ("£3m.", "£3m"), ("20¢.", "20¢"), ("$", ""), ("US$", "US"),
    ],
)  # fmt: skip
def test_punctuation_is_stripped(written, word):
    assert clean(written) == word


def test_words_of_a_text():
    words = ["So", "it’s", "a", "dash", "or", "(laughs)"]
    assert written_words("So… it’s a dash—or -- [Music] (laughs)") == words
    assert written_words("我们，今天 go!") == ["我", "们", "今", "天", "go!"]
    assert written_words("[12] … – ") == ["[12]"]
