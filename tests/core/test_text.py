"""Clean text: the characters allowed in names and claim ids (decision E61)."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from set_core.text import comparable, text_problem

FAMILY = "\N{MAN}\u200d\N{WOMAN}\u200d\N{GIRL}"


@pytest.mark.parametrize(
    "text",
    [
        "Ann",
        "0f8fad5b-d9cb-469f-a165-70867728950e",
        "Jos\u00e9 P\u00e9rez",
        "\u5f20\u4f1f",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        FAMILY,
        "\u2764\ufe0f",
        "<b>&amp;</b>",
        "a:b",
        "x" * 64,
    ],
)
def test_ordinary_text_is_clean(text: str) -> None:
    assert text_problem(text, 64) is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "allowed are 1..64 characters"),
        ("x" * 65, "allowed are 1..64 characters"),
        (" Ann", "spaces at the start or end are not allowed"),
        ("   ", "spaces at the start or end are not allowed"),
        ("a\x00b", "the character U+0000 is not allowed"),
        ("a\nb", "the character U+000A is not allowed"),
        ("a\x7f", "the character U+007F is not allowed"),
        ("\u200b", "the character U+200B is not allowed"),
        ("Ann\u200b", "the character U+200B is not allowed"),
        ("Ann\u202e", "the character U+202E is not allowed"),
        ("a\u00a0b", "the character U+00A0 is not allowed"),
        ("a\u2028b", "the character U+2028 is not allowed"),
        ("\u3164", "the character U+3164 is not allowed"),
        ("\u2800", "the character U+2800 is not allowed"),
        ("a\ud800", "the character U+D800 is not allowed"),
        ("\ufeffAnn", "the character U+FEFF is not allowed"),
        ("\ue000", "the character U+E000 is not allowed"),
        ("Ann\u200d", "the character U+200D is not allowed"),
        ("\u200cAnn", "the character U+200C is not allowed"),
        ("a\u200d\u200db", "the character U+200D is not allowed"),
        ("a \u200db", "the character U+200D is not allowed"),
        ("a\ufffc", "the character U+FFFC is not allowed"),
        ("\ufdd0", "the character U+FDD0 is not allowed"),
        ("a\U0003ffff", "the character U+3FFFF is not allowed"),
        ("\U0001d159", "the character U+1D159 is not allowed"),
        ("\ufe0f", "at least one visible character is needed"),
        ("\u0301", "at least one visible character is needed"),
    ],
    ids=ascii,
)
def test_unstorable_or_invisible_text_is_rejected(text: str, problem: str) -> None:
    assert text_problem(text, 64) == problem


@pytest.mark.parametrize(
    ("one", "other"),
    [("Jos\u00e9", "Jose\u0301"), ("\u2764\ufe0f", "\u2764"), ("a\u200db", "ab")],
    ids=ascii,
)
def test_texts_of_the_same_glyphs_are_equal(one: str, other: str) -> None:
    assert comparable(one) == comparable(other)


@given(st.text(max_size=40))
def test_clean_text_is_visible_and_safe_in_json_and_utf_8(text: str) -> None:
    if text_problem(text, 32) is None:
        assert 1 <= len(text) <= 32
        assert text == text.strip()
        assert text.encode().decode() == text
        assert not {"Cc", "Cs", "Zl", "Zp"}.intersection(map(unicodedata.category, text))
