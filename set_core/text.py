"""Clean text: the only text of players that is accepted, stored or shown to others (decision E61).

It leaves out what a database cannot store and what nobody can see: control and format characters, lone
surrogates, private characters, noncharacters, blank letters, and spaces at either end.
"""

import unicodedata
from typing import Final

_REFUSED_CATEGORIES: Final = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp", "Zs"})
_JOINERS: Final = frozenset("\u200c\u200d")
"""Format characters inside words of some scripts and inside emoji; allowed between two other characters."""
_BLANKS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufffc\U0001d159")
"""Letters, marks and symbols without a glyph."""
_VARIATION_SELECTORS: Final = frozenset(map(chr, [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]))
"""Marks that choose a glyph for the character before them."""
_VISIBLE: Final = frozenset("LNPS")
"""First letters of the Unicode categories with a glyph of their own."""


def text_problem(text: str, longest: int) -> str | None:
    """Why a string is not clean text of 1..`longest` characters; None if it is.

    The answer completes an error message that names the field and shows the string.
    """
    if not 1 <= len(text) <= longest:
        return f"allowed are 1..{longest} characters"
    if text[0] == " " or text[-1] == " ":
        return "spaces at the start or end are not allowed"
    if text.isascii() and text.isprintable():
        return None
    return _character_problem(text)


def comparable(text: str) -> str:
    """A form of clean text that is equal for texts with the same glyphs in two encodings."""
    plain = (character for character in text if character not in _VARIATION_SELECTORS | _JOINERS)
    return unicodedata.normalize("NFC", "".join(plain))


def _character_problem(text: str) -> str | None:
    refused = next((place for place in range(len(text)) if not _is_allowed(text, place)), None)
    if refused is not None:
        return f"the character U+{ord(text[refused]):04X} is not allowed"
    if not any(unicodedata.category(character)[0] in _VISIBLE for character in text):
        return "at least one visible character is needed"
    return None


def _is_allowed(text: str, place: int) -> bool:
    character = text[place]
    if character in _JOINERS:
        around = text[max(place - 1, 0) : place] + text[place + 1 : place + 2]
        return len(around) == 2 and not _JOINERS.intersection(around) and " " not in around  # noqa: PLR2004
    refused = unicodedata.category(character) in _REFUSED_CATEGORIES or character in _BLANKS
    return character == " " or not (refused or _is_noncharacter(ord(character)))


def _is_noncharacter(code: int) -> bool:
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF  # noqa: PLR2004 - Unicode, section 23.7
