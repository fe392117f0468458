"""Parser for JSON objects from clients (decision E62).

As in protobuf's JSON parser, a whole number can have any notation (`40`, `40.0`, `4e1`), and `null` means an
absent field. Duplicate fields, unknown fields and values of another type are errors.
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
_MAX_NAME_LENGTH: Final = 40
_NAME: Final = re.compile(rf"[A-Za-z0-9_]{{1,{_MAX_NAME_LENGTH}}}")
_NAME_RULE: Final = f"names have 1..{_MAX_NAME_LENGTH} ASCII letters, digits and underscores"
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
"""The types in msgspec's error messages, and their JSON names for our error messages."""


class JsonError(ValueError):
    """An invalid JSON object. The message is one line with the field and the problem.

    Attributes:
        field: the path of the field, such as `bots[0].level`; empty if the problem is not in one field.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def read_object(raw: bytes, kind: type[_Object]) -> _Object:
    """Parse one JSON object in UTF-8.

    Raises:
        JsonError: the bytes are not such an object.
    """
    try:
        value = json.loads(
            raw.decode(),
            object_pairs_hook=_unique_fields,
            parse_float=_number,
            parse_constant=_reject_constant,
        )
    except (JSONDecodeError, UnicodeDecodeError, RecursionError):
        raise JsonError("", "not a JSON object in UTF-8") from None
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise _error_of(str(error), kind) from None


def _unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    for name in names:
        # Names of another form are rejected here, so that no error message of msgspec repeats arbitrary text.
        if not _NAME.fullmatch(name):
            quoted = ascii(name[:_MAX_NAME_LENGTH])
            raise JsonError(quoted, f"{quoted} is not a field: {_NAME_RULE}")
    if len(set(names)) < len(names):
        duplicate = next(name for name in names if names.count(name) > 1)
        raise JsonError(duplicate, f"{duplicate}: given more than once")
    return {name: value for name, value in pairs if value is not None}


def _number(text: str) -> float:
    value = float(text)
    return int(value) if value.is_integer() else value


def _reject_constant(name: str) -> NoReturn:
    raise JsonError("", f"{name} is not JSON")


def _error_of(text: str, kind: type[Struct]) -> JsonError:
    """Convert an error message of msgspec."""
    path_match = _PATH.search(text)
    path = path_match[1] if path_match else ""
    text = text[: path_match.start()] if path_match else text
    if text.startswith(_UNKNOWN_FIELD):
        unknown = _join(path, text.removeprefix(_UNKNOWN_FIELD).removesuffix("`"))
        allowed = ", ".join(_fields_at(path, kind)) or "none"
        return JsonError(unknown, f"{unknown} is not a field: allowed are {allowed}")
    if text.startswith(_MISSING_FIELD):
        missing = _join(path, text.removeprefix(_MISSING_FIELD).removesuffix("`"))
        return JsonError(missing, f"{missing}: needed, but not given")
    for name, json_name in _TYPES.items():
        text = text.replace(name, json_name)
    text = f"{text[:1].lower()}{text[1:]}"
    return JsonError(path, f"{path}: {text}" if path else text)


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _fields_at(path: str, kind: type[Struct]) -> tuple[str, ...]:
    """Return the field names of the object at a path, such as `bots[0]`, in an object of this kind."""
    struct = _struct_in(msgspec.inspect.type_info(kind))
    for name in path.split(".") if path else ():
        fields = {field.encode_name: field.type for field in struct.fields}
        struct = _struct_in(fields[name.partition("[")[0]])
    return tuple(field.encode_name for field in struct.fields)


def _struct_in(kind: msgspec.inspect.Type) -> msgspec.inspect.StructType:
    """Return the object type in a type: the type itself, the items of a list, or a part of a union."""
    parts = kind.types if isinstance(kind, msgspec.inspect.UnionType) else (kind,)
    items = [part.item_type if isinstance(part, msgspec.inspect.ListType) else part for part in parts]
    return next(item for item in items if isinstance(item, msgspec.inspect.StructType))
