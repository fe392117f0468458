"""JSON objects as clients write them, read into typed values (decision E62).

Accepted as protobuf's parser accepts it: whole numbers in any notation (`40`, `40.0`, `4e1`) and `null` for
an absent field. Refused: two fields of one name, unknown fields, every other type.
"""

import json
import re
from json.decoder import JSONDecodeError
from typing import Any, Final, NoReturn, TypeVar

import msgspec
from msgspec import Struct

_Object = TypeVar("_Object", bound=Struct)

_UNKNOWN_FIELD: Final = "Object contains unknown field `"
_MISSING_FIELD: Final = "Object missing required field `"
_LONGEST_NAME: Final = 40
_NAME: Final = re.compile(rf"[A-Za-z0-9_]{{1,{_LONGEST_NAME}}}")
_NAME_RULE: Final = f"names have 1..{_LONGEST_NAME} ASCII letters, digits and underscores"
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
"""msgspec's names of types in the words of JSON."""


class JsonError(ValueError):
    """An object that cannot be read; the message is one line and names the field and what is wrong.

    Attributes:
        field: the path of the field, such as `bots[0].level`; empty for the object as a whole.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def read_object(raw: bytes, kind: type[_Object]) -> _Object:
    """Read one JSON object in UTF-8.

    Raises:
        JsonError: not an object of this kind.
    """
    try:
        value = json.loads(
            raw.decode(), object_pairs_hook=_fields, parse_float=_number, parse_constant=_refuse_constant
        )
    except (JSONDecodeError, UnicodeDecodeError, RecursionError):
        raise JsonError("", "not a JSON object in UTF-8") from None
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise _error_of(str(error), kind) from None


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    for name in names:
        # Other names are refused here, so that msgspec's messages contain no text that a client chose freely.
        if not _NAME.fullmatch(name):
            shown = ascii(name[:_LONGEST_NAME])
            raise JsonError(shown, f"{shown} is not a field: {_NAME_RULE}")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise JsonError(twice, f"{twice}: given more than once")
    return {name: value for name, value in pairs if value is not None}


def _number(text: str) -> float:
    value = float(text)
    return int(value) if value.is_integer() else value


def _refuse_constant(name: str) -> NoReturn:
    raise JsonError("", f"{name} is not JSON")


def _error_of(text: str, kind: type[Struct]) -> JsonError:
    found = _PATH.search(text)
    path = found[1] if found else ""
    text = text[: found.start()] if found else text
    if text.startswith(_UNKNOWN_FIELD):
        unknown = _joined(path, text.removeprefix(_UNKNOWN_FIELD).removesuffix("`"))
        allowed = ", ".join(_fields_at(path, kind)) or "none"
        return JsonError(unknown, f"{unknown} is not a field: allowed are {allowed}")
    if text.startswith(_MISSING_FIELD):
        missing = _joined(path, text.removeprefix(_MISSING_FIELD).removesuffix("`"))
        return JsonError(missing, f"{missing}: needed, but not given")
    for name, words in _TYPES.items():
        text = text.replace(name, words)
    text = f"{text[:1].lower()}{text[1:]}"
    return JsonError(path, f"{path}: {text}" if path else text)


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _fields_at(path: str, kind: type[Struct]) -> tuple[str, ...]:
    """The fields of the object at a path, such as `bots[0]`, inside an object of this kind."""
    described = _struct_in(msgspec.inspect.type_info(kind))
    for name in path.split(".") if path else ():
        fields = {field.encode_name: field.type for field in described.fields}
        described = _struct_in(fields[name.partition("[")[0]])
    return tuple(field.encode_name for field in described.fields)


def _struct_in(described: msgspec.inspect.Type) -> msgspec.inspect.StructType:
    """The one object type in a type: itself, an item of a list, or one of a union."""
    parts = described.types if isinstance(described, msgspec.inspect.UnionType) else (described,)
    items = [part.item_type if isinstance(part, msgspec.inspect.ListType) else part for part in parts]
    return next(item for item in items if isinstance(item, msgspec.inspect.StructType))
