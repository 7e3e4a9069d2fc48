"""The grammar of queries: what each sign means, and errors that point at the mistake."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankine as rk
from rankine.spoken.query.grammar import EXAMPLES, FIELDS, LONGEST, NearItems, mistake, parse_syntax

from ... import reference_queries as ref

FRAGMENTS = [
    "press", "Roman", "don't", '"', "“", "”", "„", "«", "»", "-", "*", "prin*", "OR", "|", "near/5", "NEAR", "near/x",
    "near/", "near", "speaker:", "speaker:ann", "date:2021..2023", "date:..", "date:x", "sepaker:ann", "tag:",
    'title:"a b"', "(", ")", " ", " ", " ", "\t", "\n", "设定", "温*", "she4", "1455", "1,455", "\x00", "\x1b",
    "\u200f", "שלום", "\u0301", "://", "NOT", "AND", ":", "..", "²", "\ud800", "ﷺ", "\u202e", "é",
]  # fmt: skip


def items(text):
    return [
        (item.operands[0].kind, [o.text for o in item.operands], item.excluded) for item in parse_syntax(text).items
    ]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("printing press", [("word", ["printing"], False), ("word", ["press"], False)]),
        ('"printing press"', [("phrase", ["printing press"], False)]),
        ("“a b” „c d“ «e»", [("phrase", [t], False) for t in ("a b", "c d", "e")]),
        ('-press -"a b"', [("word", ["press"], True), ("phrase", ["a b"], True)]),
        ("prin* -pre*", [("prefix", ["prin"], False), ("prefix", ["pre"], True)]),
        ("温*", [("prefix", ["温"], False)]),
        ("a OR b | c d", [("word", ["a", "b", "c"], False), ("word", ["d"], False)]),
        ("a|b", [("word", ["a", "b"], False)]),
        ('"a b" OR c', [("phrase", ["a b", "c"], False)]),
        ("speaker:ann", [("field", ["ann"], False)]),
        ('Speaker:"ann lee" -title:x', [("field", ["ann lee"], False), ("field", ["x"], True)]),
        ("speaker:ann OR speaker:bob", [("field", ["ann", "bob"], False)]),
        ("date:2021..2023", [("field", ["2021..2023"], False)]),
        ("(a OR b) c,", [("word", ["a", "b"], False), ("word", ["c"], False)]),
        ("well-known 12:30 http://x.y - -- ?! note: near or and", [
            ("word", [t], False) for t in ("well-known", "12:30", "http://x.y", "note:", "near", "or", "and")
        ]),
        ("", []),
    ],
)  # fmt: skip
def test_what_a_query_says(text, want):
    assert items(text) == want


def test_near_joins_its_neighbours():
    syntax = parse_syntax('x a near/5 "b c" NEAR d OR e y')
    assert [len(item.operands) for item in syntax.items] == [1, 1, 1, 2, 1]
    assert syntax.nears == (NearItems(1, 2, 5), NearItems(2, 3, 10))


@pytest.mark.parametrize(
    ("text", "message", "at"),
    [
        ('find "spoken words', "this quotation mark is not closed", 5),
        ('a ""', "no word stands between the quotation marks", 2),
        ('a "?!"', "no word stands between the quotation marks", 2),
        ("OR a", "nothing stands before OR", 0),
        ("a OR", "nothing stands behind OR", 2),
        ("a OR OR b", "nothing stands before OR", 5),
        ("a | ?", "nothing stands behind OR", 2),
        ("near/5 a", "nothing stands before near/5", 0),
        ("a NEAR", "nothing stands behind near/10", 2),
        ("a near/x b", "from 1 to 1000, got 'near/x'", 2),
        ("a near/0 b", "from 1 to 1000, got 'near/0'", 2),
        ("a near/1001 b", "from 1 to 1000, got 'near/1001'", 2),
        ("a near/٣ b", "from 1 to 1000, got 'near/٣'", 2),
        ("a OR -b", "OR stands between words and phrases, or between values of one field", 2),
        ("a OR speaker:b", "OR stands between words and phrases", 2),
        ("speaker:a OR title:b", "OR stands between words and phrases", 10),
        ("a near/5 -b", "near stands between words or phrases", 2),
        ("speaker:a near/5 b", "near stands between words or phrases", 10),
        ("a speaker: b", "expected a value directly behind speaker:, such as speaker:ann", 9),
        ("speaker:", "expected a value directly behind speaker:", 7),
        ('x tag:"', "this quotation mark is not closed", 6),
        ('x tag:""', "no word stands between the quotation marks", 6),
        ("a sepaker:ann", "unknown field 'sepaker'. Did you mean 'speaker'? There are: title, speaker, tag,", 2),
        ('sepaker:"ann lee"', "unknown field 'sepaker'", 0),
        ("a date:5.11.2026", "expected a year (2023), a month (2023-05) or a day (2023-05-17), or two of them", 7),
        ("date:2023..2021", "expected dates from the earlier to the later, got '2023..2021'", 5),
        ('date:"x y"', "expected a year", 6),
        ("a *", "expected a word before *, such as prin*", 2),
        ("pr*ng", "* stands at the end of a word", 2),
        ("*press", "* stands at the end of a word", 0),
        ("a p*", "expected at least two letters before *, got 'p'", 3),
        ("a -(b c)", "expected a word, a phrase or a field behind -, got a bracket", 3),
        ("a\x07b", "the query holds the control character U+0007", 1),
        ("a \udcff", "a character of the query is not valid text", 2),
        ("设定 \"温度", "this quotation mark is not closed", 3),
    ],
)  # fmt: skip
def test_mistakes(text, message, at):
    with pytest.raises(rk.InputError) as caught:
        parse_syntax(text)
    first, line, caret = str(caught.value).split("\n")
    assert message in first
    assert caret == " " * (2 + ref.columns(text[:at])) + "^"
    assert line.isprintable()


def test_the_caret_stands_under_its_place():
    assert mistake("m", "温度 OR", 3).below == "  温度 OR\n       ^"
    assert mistake("m", "a\tb\x1b\u202e*", 5).below == "  a b\\x1b\\u202e*\n               ^"
    long = "x" * 500 + "*" + "y" * 500
    line, caret = mistake("m", long, 500).below.split("\n")
    assert len(line) < 72
    assert line[len(caret) - 1] == "*"
    line, caret = mistake("m", "温" * 300 + "*", 300).below.split("\n")
    assert ref.columns(line.partition("*")[0]) == len(caret) - 1
    assert mistake("m", "ab", 2).below.endswith("\n    ^")  # behind the end


def test_too_long():
    with pytest.raises(
        rk.InputError, match=r"^a query of 10,000 words and 60,000 characters; at most 4,000 characters"
    ):
        parse_syntax("press " * 10000)
    assert len(parse_syntax("a" * LONGEST).items) == 1


def test_the_examples_are_right():
    for example, _ in EXAMPLES:
        for text in example.split("  "):
            assert parse_syntax(text, lambda: ["place"]).items
    assert all(any(name + ":" in example for example, _ in EXAMPLES) for name in FIELDS)


def test_fields_of_an_archive():
    asked = []

    def free():
        asked.append(1)
        return ["place", "tape-no", "x_1"]

    def fields(text):
        return [(o.field, o.text) for item in parse_syntax(text, free).items for o in item.operands]

    assert fields("speakers:ann tags:x speaker:bob") == [("speaker", "ann"), ("tag", "x"), ("speaker", "bob")]
    assert fields("rights:open 10:30 well-being: press") == [
        ("rights", "open"),
        ("", "10:30"),
        ("", "well-being:"),
        ("", "press"),
    ]
    assert asked == []
    assert fields('place:york Tape-No:7 x_1:a place:"new york"') == [
        ("place", "york"), ("tape-no", "7"), ("x_1", "a"), ("place", "new york"),
    ]  # fmt: skip
    assert fields("well-known:x") == [("", "well-known:x")]
    with pytest.raises(
        rk.InputError, match=r"unknown field 'plac'. Did you mean 'place'[?] There are: title, .*, place, "
    ):
        fields("plac:york")


def test_any_text_is_a_query_or_a_mistake():
    accepted, refused = set(), set()

    @settings(max_examples=1500)
    @given(st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=4), max_size=8).map("".join) | st.text())
    def check(text):
        try:
            syntax = parse_syntax(text)
        except rk.InputError as error:
            refused.add(str(error).split("\n")[0])
            lines = str(error).split("\n")
            assert len(lines) == 3
            assert lines[2].strip() == "^"
            assert all(line.isprintable() for line in (lines[0], lines[2]))
            return
        for near in syntax.nears:
            assert near.right == near.left + 1 < len(syntax.items)
        for item in syntax.items:
            assert len({o.field for o in item.operands}) == 1
            for operand in item.operands:
                assert any(c.isalnum() for c in operand.text)
                assert operand.text in text
        accepted.add(text)

    check()
    assert len(accepted) > 300
    assert len(refused) > 15
