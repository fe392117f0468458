"""Clean text: the form of text that is accepted from players (decision E61).

Clean text has no characters that a database cannot store or that are invisible: control and format
characters, lone surrogates, private characters, noncharacters and blank letters. It has no spaces at the
start or end.
"""

import unicodedata
from typing import Final

_INVALID_CATEGORIES: Final = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp", "Zs"})
_JOINERS: Final = frozenset("\u200c\u200d")
"""Format characters that some scripts and emoji need; allowed between two other characters."""
_BLANKS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufffc\U0001d159")
"""Letters, marks and symbols without a visible glyph."""
_VARIATION_SELECTORS: Final = frozenset(map(chr, [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]))
"""Marks that select a glyph for the character before them."""
_VISIBLE: Final = frozenset("LNPS")
"""First letters of the Unicode categories whose characters are visible on their own."""


def text_problem(text: str, longest: int) -> str | None:
    """Return why a string is not clean text of 1..`longest` characters; None if it is clean.

    The result is the last part of an error message that has the field and the string before it.
    """
    if not 1 <= len(text) <= longest:
        return f"allowed are 1..{longest} characters"
    if text[0] == " " or text[-1] == " ":
        return "spaces at the start or end are not allowed"
    if text.isascii() and text.isprintable():
        return None
    return _character_problem(text)


def comparable(text: str) -> str:
    """Return a normalized form that is equal for clean texts with the same glyphs."""
    plain = (character for character in text if character not in _VARIATION_SELECTORS | _JOINERS)
    return unicodedata.normalize("NFC", "".join(plain))


def _character_problem(text: str) -> str | None:
    invalid = next((index for index in range(len(text)) if not _is_allowed(text, index)), None)
    if invalid is not None:
        return f"the character U+{ord(text[invalid]):04X} is not allowed"
    if not any(unicodedata.category(character)[0] in _VISIBLE for character in text):
        return "at least one visible character is needed"
    return None


def _is_allowed(text: str, index: int) -> bool:
    character = text[index]
    if character in _JOINERS:
        neighbors = text[max(index - 1, 0) : index] + text[index + 1 : index + 2]
        return len(neighbors) == 2 and not _JOINERS.intersection(neighbors) and " " not in neighbors  # noqa: PLR2004
    invalid = unicodedata.category(character) in _INVALID_CATEGORIES or character in _BLANKS
    return character == " " or not (invalid or _is_noncharacter(ord(character)))


def _is_noncharacter(code: int) -> bool:
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF  # noqa: PLR2004 - Unicode, section 23.7
