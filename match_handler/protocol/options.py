"""Match options as JSON: parser, complete form, stored form and options key (DESIGN section 6).

The parser accepts enum values with and without their prefix (`ONLINE`, `MODE_ONLINE`).
"""

import hashlib
from dataclasses import asdict
from enum import Enum
from functools import lru_cache
from typing import Any, Final, TypeVar, cast

import msgspec
from msgspec import UNSET, Struct, UnsetType

from match_handler.protocol.lenient_json import JsonError, read_object
from set_core.option_checks import checked_options, completed_options
from set_core.option_errors import OptionsError
from set_core.options import AnimationMs, BotLevel, GivenOptions, MatchOptions, Mode, Penalty

MAX_OPTIONS_BYTES: Final = 4096
"""The maximum size of options in a request."""

KEY_CHARACTERS: Final = 16
"""The length of an options key, in hexadecimal digits."""

_ALWAYS_STORED: Final = ("mode", "max_players", "min_players")
"""Options whose defaults depend on other options, so that the stored form always has them."""


class _Form(Struct, rename="camel", forbid_unknown_fields=True):
    """Base class of the JSON objects in the options."""


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
    bots: list[_BotForm] | UnsetType = UNSET
    allow_spectators: bool | UnsetType = UNSET
    local_players: list[str] | UnsetType = UNSET
    hints: bool | UnsetType = UNSET
    private: bool | UnsetType = UNSET
    seed: int | UnsetType = UNSET


_E = TypeVar("_E", bound=Enum)
_F = TypeVar("_F", bound=_Form)
PREFIXES: Final[dict[type[Enum], str]] = {Mode: "MODE_", Penalty: "PENALTY_", BotLevel: "BOT_LEVEL_"}
"""The prefix of each enum's values in `client.proto`."""


def _parse_enum(kind: type[_E], field: str, text: str) -> _E:
    try:
        return kind[text.removeprefix(PREFIXES[kind])]
    except KeyError:
        allowed = ", ".join(kind.__members__)
        raise OptionsError(field, f"{field}: {text[:40]!r} is not known; allowed: {allowed}") from None


def _present_fields(form: Struct) -> dict[str, Any]:
    values = ((name, getattr(form, name)) for name in form.__struct_fields__)
    return {name: value for name, value in values if value is not UNSET}


def _parse_form(raw: bytes) -> _OptionsForm:
    try:
        return read_object(raw or b"{}", _OptionsForm)
    except JsonError as error:
        text = str(error) if error.field else f"options: {error}"
        raise OptionsError(error.field or "options", text) from None


def _values(form: _OptionsForm) -> GivenOptions:
    values = _present_fields(form)
    if "mode" in values:
        values["mode"] = _parse_enum(Mode, "mode", values["mode"])
    if "penalty" in values:
        values["penalty"] = _parse_enum(Penalty, "penalty", values["penalty"])
    if "bots" in values:
        values["bots"] = tuple(_parse_enum(BotLevel, "bots.level", bot.level) for bot in values["bots"])
    if "local_players" in values:
        values["local_players"] = tuple(values["local_players"])
    if "animation_ms" in values:
        values["animation_ms"] = AnimationMs(**_present_fields(values["animation_ms"]))
    return cast("GivenOptions", values)


def parse_options(raw: bytes, *, allow_seed: bool = False) -> MatchOptions:
    """Parse and validate options, and add the defaults.

    Args:
        raw: a JSON object; empty for the defaults.
        allow_seed: whether the option `seed` is allowed in mode ONLINE (`SET_MATCH_ALLOW_SEED`).

    Raises:
        OptionsError: an option is invalid; the message names the field and the allowed values.
    """
    if len(raw) > MAX_OPTIONS_BYTES:
        raise OptionsError("options", f"options: {len(raw)} bytes, at most {MAX_OPTIONS_BYTES} are allowed")
    return checked_options(allow_seed=allow_seed, **_values(_parse_form(raw)))


def _form(options: MatchOptions) -> _OptionsForm:
    values = {name: getattr(options, name) for name in _OptionsForm.__struct_fields__}
    values["mode"] = PREFIXES[Mode] + options.mode.name
    values["penalty"] = PREFIXES[Penalty] + options.penalty.name
    values["bots"] = [_BotForm(PREFIXES[BotLevel] + level.name) for level in options.bots]
    values["local_players"] = list(options.local_players)
    values["animation_ms"] = _animation_form(options.animation_ms)
    return _OptionsForm(**values)


def _animation_form(animation: AnimationMs) -> _AnimationForm:
    return _AnimationForm(**asdict(animation))


def complete_form(options: MatchOptions) -> bytes:
    """Return all options as JSON. Equal options give equal bytes; `parse_options` is the inverse function."""
    return msgspec.json.encode(_form(options))


def stored_form(options: MatchOptions) -> bytes:
    """Return the options as JSON for a match state: without default values, except for mode and seats.

    An older version of the service can therefore read each match that does not use an option that is new.
    """
    form = _without_defaults(_form(options), _form(MatchOptions()))
    if form.animation_ms is not UNSET:
        form.animation_ms = _without_defaults(form.animation_ms, _animation_form(AnimationMs()))
    return msgspec.json.encode(form)


def _without_defaults(form: _F, standard: _F) -> _F:
    for name in form.__struct_fields__:
        if name not in _ALWAYS_STORED and getattr(form, name) == getattr(standard, name):
            setattr(form, name, UNSET)
    return form


@lru_cache(maxsize=1024)
def options_of(stored: bytes) -> MatchOptions:
    """Return the options of a stored form. They are not validated again: `parse_options` validated them.

    Raises:
        OptionsError: the form has an option that this version of the service does not know.
    """
    return completed_options(_values(_parse_form(stored)))


@lru_cache(maxsize=1024)
def options_key(options: MatchOptions) -> str:
    """Return the options key, for labels and queries. Equal options have equal keys.

    A key does not change when a later version adds options. The key is empty for private matches. It is also
    empty for options with a seed, because a client could find the seed by trying all values. Users can join a
    match without a key only by its match id.
    """
    return (
        ""
        if options.seed or options.private
        else hashlib.sha256(stored_form(options)).hexdigest()[:KEY_CHARACTERS]
    )
