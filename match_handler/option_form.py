"""Match options as JSON: read from a request, written complete, named by a key (DESIGN section 6).

The form takes the short enum values and those with their prefix (`ONLINE`, `MODE_ONLINE`). The complete form
holds every option, so that it means the same to any version of the service.
"""

import hashlib
import re
from enum import Enum
from functools import lru_cache
from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from set_core.options import AnimationMs, BotLevel, MatchOptions, Mode, OptionsError, Penalty

MAX_OPTIONS_BYTES: Final = 4096
"""The longest options that are read."""

KEY_CHARACTERS: Final = 16


class _Form(Struct, rename="camel", forbid_unknown_fields=True):
    """Base of the parts of the form."""


class _AnimationForm(_Form):
    valid_set: int | UnsetType = UNSET
    refill: int | UnsetType = UNSET
    invalid_set: int | UnsetType = UNSET
    expand_board: int | UnsetType = UNSET


class _BotForm(_Form):
    level: str


class _OptionsForm(_Form):
    mode: str | UnsetType = UNSET
    max_players: int | UnsetType = UNSET
    min_players: int | UnsetType = UNSET
    time_limit_seconds: int | UnsetType = UNSET
    penalty: str | UnsetType = UNSET
    time_penalty_seconds: int | UnsetType = UNSET
    tie_break_fewest_invalid: bool | UnsetType = UNSET
    penalize_stale_claims: bool | UnsetType = UNSET
    reconnect_window_seconds: int | UnsetType = UNSET
    animation_ms: _AnimationForm | UnsetType = UNSET
    bots: Annotated[list[_BotForm], Meta(max_length=7)] | UnsetType = UNSET
    allow_spectators: bool | UnsetType = UNSET
    local_players: Annotated[list[str], Meta(max_length=8)] | UnsetType = UNSET
    hints: bool | UnsetType = UNSET
    seed: int | UnsetType = UNSET


_E = TypeVar("_E", bound=Enum)
_decoder = msgspec.json.Decoder(_OptionsForm)
PREFIXES: Final[dict[type[Enum], str]] = {Mode: "MODE_", Penalty: "PENALTY_", BotLevel: "BOT_LEVEL_"}
"""What the wire puts before the names of each enum."""


def _parse_enum(kind: type[_E], field: str, text: str) -> _E:
    try:
        return kind[text.removeprefix(PREFIXES[kind])]
    except KeyError:
        allowed = ", ".join(kind.__members__)
        raise OptionsError(field, f"{field}: {text[:40]!r} is not known; allowed: {allowed}") from None


def _given(form: Struct) -> dict[str, Any]:
    values = ((name, getattr(form, name)) for name in form.__struct_fields__)
    return {name: value for name, value in values if value is not UNSET}


_UNKNOWN_FIELD: Final = "Object contains unknown field `"


_PATH: Final = re.compile(r" - at `\$\.?([\w.\[\]]*)`\Z")
_TYPES: Final = {
    "`int`": "a whole number",
    "`float`": "a fraction",
    "`str`": "a string",
    "`bool`": "true or false",
    "`object`": "an object",
    "`array`": "a list",
    "`null`": "null",
}
"""msgspec's names of types, Python's for the most part, as those who write JSON call them."""


def _in_json_words(text: str) -> str:
    for name, words in _TYPES.items():
        text = text.replace(name, words)
    return f"{text[:1].lower()}{text[1:]}"


def _schema_error(error: msgspec.ValidationError) -> OptionsError:
    text = str(error)
    path = _PATH.search(text)
    field = (path and path[1]) or "options"
    text = text[: path.start()] if path else text
    if text.startswith(_UNKNOWN_FIELD):
        name = _one_word(text.removeprefix(_UNKNOWN_FIELD).removesuffix("`"))
        unknown = f"{path[1]}.{name}" if path and path[1] else name
        allowed = ", ".join(_allowed_in(field))
        return OptionsError(unknown, f"{unknown} is not an option: allowed are {allowed}")
    return OptionsError(field, f"{field}: {_in_json_words(text)}")


def _one_word(name: str) -> str:
    """A name that a client made up, fit for a line of text: quoted if it is anything but a plain word."""
    return name[:40] if name.isidentifier() else repr(name[:40])


def _allowed_in(field: str) -> tuple[str, ...]:
    if field == "animationMs":
        return _AnimationForm.__struct_encode_fields__
    return (
        _BotForm.__struct_encode_fields__
        if field.startswith("bots")
        else _OptionsForm.__struct_encode_fields__
    )


def _decode(raw: bytes) -> _OptionsForm:
    if len(raw) > MAX_OPTIONS_BYTES:
        raise OptionsError("options", f"options: {len(raw)} bytes, at most {MAX_OPTIONS_BYTES} are allowed")
    try:
        return _decoder.decode(raw or b"{}")
    except msgspec.ValidationError as error:
        raise _schema_error(error) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise OptionsError("options", "options: not a JSON object in UTF-8") from None


def parse_options(raw: bytes, *, allow_seed: bool = False) -> MatchOptions:
    """Reads options and completes them; empty bytes mean the defaults.

    Args:
        raw: a JSON object.
        allow_seed: whether a seed may be given in every mode but the daily challenge
        (`SET_MATCH_ALLOW_SEED`).

    Raises:
        OptionsError: with the field's name and what is allowed.
    """
    given = _given(_decode(raw))
    if "mode" in given:
        given["mode"] = _parse_enum(Mode, "mode", given["mode"])
    if "penalty" in given:
        given["penalty"] = _parse_enum(Penalty, "penalty", given["penalty"])
    if "bots" in given:
        given["bots"] = tuple(_parse_enum(BotLevel, "bots.level", bot.level) for bot in given["bots"])
    if "local_players" in given:
        given["local_players"] = tuple(given["local_players"])
    if "animation_ms" in given:
        given["animation_ms"] = AnimationMs(**_given(given["animation_ms"]))
    return MatchOptions.of(allow_seed=allow_seed, **given)


def _form(options: MatchOptions) -> _OptionsForm:
    plain = {name: getattr(options, name) for name in _OptionsForm.__struct_fields__}
    plain["mode"] = PREFIXES[Mode] + options.mode.name
    plain["penalty"] = PREFIXES[Penalty] + options.penalty.name
    plain["bots"] = [_BotForm(PREFIXES[BotLevel] + level.name) for level in options.bots]
    plain["local_players"] = list(options.local_players)
    animation = options.animation_ms
    plain["animation_ms"] = _AnimationForm(
        animation.valid_set, animation.refill, animation.invalid_set, animation.expand_board
    )
    return _OptionsForm(**plain)


def complete_form(options: MatchOptions) -> bytes:
    """All options as JSON: equal bytes for equal options, and `parse_options` reads them back."""
    return msgspec.json.encode(_form(options))


@lru_cache(maxsize=1024)
def options_of(complete: bytes) -> MatchOptions:
    """The options of a complete form that this service wrote, so that any seed in it was allowed."""
    return parse_options(complete, allow_seed=True)


@lru_cache(maxsize=1024)
def options_key(options: MatchOptions) -> str:
    """Equal for equal options: what a label says for those who look for a match."""
    return hashlib.sha256(complete_form(options)).hexdigest()[:KEY_CHARACTERS]
