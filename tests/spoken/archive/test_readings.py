"""How text is cut into words."""

from rankine.spoken.archive.readings import cut_words, longest_words


def test_longest_words():
    assert longest_words("设定温度二", {"设", "设定", "温度"}) == ["设定", "温度", "二"]
    assert longest_words("二十温", {"温"}) == ["二十", "温"]


def test_words_of_a_text_without_blanks():
    assert cut_words("printing,press") == ["printing", "press"]
    assert cut_words("'don’t'") == ["don’t"]
    assert cut_words("well‑known-") == ["well‑known"]
    assert cut_words("a_b/c") == ["a", "b", "c"]
    assert cut_words("हिन्दी") == ["हिन्दी"]  # marks belong to their letters
    assert cut_words("שָׁלוֹם") == ["שָׁלוֹם"]
    assert cut_words("2温b") == ["2", "温", "b"]
    assert cut_words("?!…") == []
