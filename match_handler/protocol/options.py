"""Match options as JSON: read from a request, written complete or short, named by a key (DESIGN section 6).

The form takes the short enum values and those with their prefix (`ONLINE`, `MODE_ONLINE`).
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
"""The longest options that are read."""

KEY_CHARACTERS: Final = 16

_ALWAYS_STORED: Final = ("mode", "max_players", "min_players")
"""Options whose defaults depend on others."""


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
    bots: list[_BotForm] | UnsetType = UNSET
    allow_spectators: bool | UnsetType = UNSET
    local_players: list[str] | UnsetType = UNSET
    hints: bool | UnsetType = UNSET
    private: bool | UnsetType = UNSET
    seed: int | UnsetType = UNSET


_E = TypeVar("_E", bound=Enum)
_F = TypeVar("_F", bound=_Form)
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


def _read(raw: bytes) -> _OptionsForm:
    try:
        return read_object(raw or b"{}", _OptionsForm)
    except JsonError as error:
        text = str(error) if error.field else f"options: {error}"
        raise OptionsError(error.field or "options", text) from None


def _values(form: _OptionsForm) -> GivenOptions:
    given = _given(form)
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
    return cast("GivenOptions", given)


def parse_options(raw: bytes, *, allow_seed: bool = False) -> MatchOptions:
    """Reads options and completes them; empty bytes mean the defaults.

    Args:
        raw: a JSON object.
        allow_seed: whether a seed may be given in every mode but the daily challenge
        (`SET_MATCH_ALLOW_SEED`).

    Raises:
        OptionsError: with the field's name and what is allowed.
    """
    if len(raw) > MAX_OPTIONS_BYTES:
        raise OptionsError("options", f"options: {len(raw)} bytes, at most {MAX_OPTIONS_BYTES} are allowed")
    return checked_options(allow_seed=allow_seed, **_values(_read(raw)))


def _form(options: MatchOptions) -> _OptionsForm:
    plain = {name: getattr(options, name) for name in _OptionsForm.__struct_fields__}
    plain["mode"] = PREFIXES[Mode] + options.mode.name
    plain["penalty"] = PREFIXES[Penalty] + options.penalty.name
    plain["bots"] = [_BotForm(PREFIXES[BotLevel] + level.name) for level in options.bots]
    plain["local_players"] = list(options.local_players)
    plain["animation_ms"] = _animation_form(options.animation_ms)
    return _OptionsForm(**plain)


def _animation_form(animation: AnimationMs) -> _AnimationForm:
    return _AnimationForm(**asdict(animation))


def complete_form(options: MatchOptions) -> bytes:
    """All options as JSON: equal bytes for equal options, and `parse_options` reads them back."""
    return msgspec.json.encode(_form(options))


def stored_form(options: MatchOptions) -> bytes:
    """The options as a state keeps them: JSON without default values, but always with mode and seats.

    So an older version of the service reads every match that uses no option it does not know.
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
    """The options of a stored form. They were checked when they were new, and are not checked again.

    Raises:
        OptionsError: an option that this version of the service does not know.
    """
    return completed_options(_values(_read(stored)))


@lru_cache(maxsize=1024)
def options_key(options: MatchOptions) -> str:
    """A short name of the options for labels and queries: equal for equal options.

    It stays the same when a later version adds options. Empty for options with a seed: with the key, a client
    could find the seed by trying all of them, so such a match is only joined by its id. Empty also for
    private matches.
    """
    return (
        ""
        if options.seed or options.private
        else hashlib.sha256(stored_form(options)).hexdigest()[:KEY_CHARACTERS]
    )
