"""Match options as JSON: parser, complete form, stored form, public form and key (DESIGN section 6).

All forms have the fields of `MatchOptions`. The parser accepts enum values with and without their prefix
(`ONLINE`, `MODE_ONLINE`).
"""

import hashlib
import re
from dataclasses import fields
from enum import Enum, EnumType
from functools import lru_cache
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType, defstruct

from match_handler.protocol.lenient_json import JsonError, read_object
from set_core.option_checks import checked_options, completed_options
from set_core.option_errors import OptionsError, json_name
from set_core.options import AnimationMs, BotLevel, MatchOptions

MAX_OPTIONS_BYTES: Final = 4096
"""The maximum size of options in a request."""

KEY_CHARACTERS: Final = 16
"""The length of an options key, in hexadecimal digits."""

_ALWAYS_STORED: Final = ("mode", "maxPlayers", "minPlayers")
"""Options whose defaults depend on other options, so that the stored form always has them."""

_HIDDEN: Final = "seed"
"""The option that players do not receive: they could compute the deck from it."""


class _Form(Struct, rename="camel", forbid_unknown_fields=True):
    """Base class of the JSON objects in the options; an absent field is UNSET."""


class _BotForm(_Form):
    level: str


def _form_class(source: type[MatchOptions | AnimationMs], json_types: dict[Any, Any]) -> type[Struct]:
    """Return the class that parses the JSON form of a dataclass. All fields are optional."""
    kinds = {field.name: json_types.get(field.type, field.type) for field in fields(source)}
    optional = [
        (name, (str if isinstance(kind, EnumType) else kind) | UnsetType, UNSET)
        for name, kind in kinds.items()
    ]
    return defstruct(f"_{source.__name__}Form", optional, bases=(_Form,))


_AnimationForm: Final = _form_class(AnimationMs, {})
_OptionsForm: Final = _form_class(
    MatchOptions,
    {AnimationMs: _AnimationForm, tuple[BotLevel, ...]: list[_BotForm], tuple[str, ...]: list[str]},
)
_ENUMS: Final[dict[str, Any]] = {
    field.name: field.type for field in fields(MatchOptions) if isinstance(field.type, EnumType)
}


def prefix_of(kind: EnumType) -> str:
    """Return the prefix of an enum's values in `client.proto`: `BOT_LEVEL_` for `BotLevel`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).upper() + "_"


def _parse_enum(kind: EnumType, field: str, text: str) -> object:
    try:
        return kind[text.removeprefix(prefix_of(kind))]
    except KeyError:
        allowed = ", ".join(kind.__members__)
        raise OptionsError(field, f"{field}: {text[:40]!r} is not known; allowed: {allowed}") from None


def _present_fields(form: Struct) -> dict[str, Any]:
    values = ((name, getattr(form, name)) for name in form.__struct_fields__)
    return {name: value for name, value in values if value is not UNSET}


def _from_json(name: str, value: object) -> object:
    """Return the value of an option from its JSON form."""
    if name in _ENUMS and isinstance(value, str):
        return _parse_enum(_ENUMS[name], json_name(name), value)
    if isinstance(value, Struct):
        return AnimationMs(**_present_fields(value))
    if isinstance(value, list):
        return tuple(
            _parse_enum(BotLevel, "bots.level", item.level) if isinstance(item, _BotForm) else item
            for item in value
        )
    return value


def _parse_form(raw: bytes) -> dict[str, Any]:
    """Return the values of the options in a JSON form, without defaults."""
    try:
        form = read_object(raw or b"{}", _OptionsForm)
    except JsonError as error:
        text = str(error) if error.field else f"options: {error}"
        raise OptionsError(error.field or "options", text) from None
    return {name: _from_json(name, value) for name, value in _present_fields(form).items()}


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
    return checked_options(allow_seed=allow_seed, **_parse_form(raw))


def _object(values: MatchOptions | AnimationMs) -> dict[str, Any]:
    """Return the fields of a dataclass as a JSON object."""
    return {json_name(field.name): _to_json(getattr(values, field.name)) for field in fields(values)}


def _to_json(value: object) -> object:
    if isinstance(value, Enum):
        return prefix_of(type(value)) + value.name
    if isinstance(value, AnimationMs):
        return _object(value)
    if isinstance(value, tuple):
        return [{"level": _to_json(item)} if isinstance(item, BotLevel) else item for item in value]
    return value


def complete_form(options: MatchOptions) -> bytes:
    """Return all options as JSON. Equal options give equal bytes; `parse_options` is the inverse function."""
    return msgspec.json.encode(_object(options))


@lru_cache(maxsize=1024)
def public_form(options: MatchOptions) -> msgspec.Raw:
    """Return the options as JSON for players, without the seed."""
    form = _object(options)
    del form[_HIDDEN]
    return msgspec.Raw(msgspec.json.encode(form))


def stored_form(options: MatchOptions) -> bytes:
    """Return the options as JSON for a match state: without default values, except for mode and seats.

    An older version of the service can therefore read each match that does not use an option that is new.
    """
    form = _without_defaults(_object(options), MatchOptions())
    if "animationMs" in form:
        form["animationMs"] = _without_defaults(form["animationMs"], AnimationMs())
    return msgspec.json.encode(form)


def _without_defaults(form: dict[str, Any], defaults: MatchOptions | AnimationMs) -> dict[str, Any]:
    standard = _object(defaults)
    return {name: value for name, value in form.items() if name in _ALWAYS_STORED or value != standard[name]}


@lru_cache(maxsize=1024)
def options_of(stored: bytes) -> MatchOptions:
    """Return the options of a stored form. They are not validated again: `parse_options` validated them.

    Raises:
        OptionsError: the form has an option that this version of the service does not know.
    """
    return completed_options(_parse_form(stored))


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
