"""JSON Schemas of all payloads from `client.proto`; run as a module, it regenerates docs/schemas/.

Fields are always present unless optional; an absent optional field is omitted; an enum is one of its names.
"""

import json
import re
from pathlib import Path
from typing import Any, Final

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

from match_handler.protocol.payloads import OpCode
from match_handler.protocol.received import MAX_CLAIM_ID_CHARACTERS
from match_handler.v1 import client_pb2

FOLDER: Final = Path(__file__).parents[2] / "docs" / "schemas"
DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
LAST_CARD: Final = 80
CARD_FIELDS: Final = ("card_ids", "card_id", "deck")

Schema = dict[str, Any]

SCALARS: Final[dict[int, Schema]] = {
    FieldDescriptor.TYPE_INT32: {"type": "integer"},
    FieldDescriptor.TYPE_STRING: {"type": "string"},
    FieldDescriptor.TYPE_BOOL: {"type": "boolean"},
}


def message_name(op_code: OpCode) -> str:
    """Return the name of the message of an op code: CLAIM_RESULT is ClaimResult."""
    return "".join(word.capitalize() for word in op_code.name.split("_"))


def _names(enum: EnumDescriptor) -> Schema:
    return {"enum": [value.name for value in enum.values]}


def _one(field: FieldDescriptor) -> Schema:
    if field.message_type is not None:
        return {"$ref": f"#/$defs/{field.message_type.name}"}
    if field.enum_type is not None:
        return _names(field.enum_type)
    if field.name in CARD_FIELDS:
        return {"type": "integer", "minimum": 0, "maximum": LAST_CARD}
    return dict(SCALARS[field.type])


def _field(field: FieldDescriptor) -> Schema:
    return {"type": "array", "items": _one(field)} if field.is_repeated else _one(field)


def _is_optional(field: FieldDescriptor) -> bool:
    return field.has_presence and (
        field.type != FieldDescriptor.TYPE_MESSAGE or field.containing_oneof is not None
    )


def _object(message: Descriptor) -> Schema:
    return {
        "type": "object",
        "properties": {field.json_name: _field(field) for field in message.fields},
        "required": [field.json_name for field in message.fields if not _is_optional(field)],
        "additionalProperties": False,
    }


def _used_by(message: Descriptor) -> dict[str, Schema]:
    found: dict[str, Schema] = {}
    for field in message.fields:
        if field.message_type is not None:
            found[field.message_type.name] = _object(field.message_type)
            found |= _used_by(field.message_type)
    return found


def _limit_claim(schema: Schema) -> None:
    schema["properties"]["claimId"] |= {"minLength": 1, "maxLength": MAX_CLAIM_ID_CHARACTERS}
    schema["properties"]["cardIds"] |= {"minItems": 3, "maxItems": 3, "uniqueItems": True}


def schema_of(op_code: OpCode) -> Schema:
    """Return the schema of the payload of an op code."""
    message = client_pb2.DESCRIPTOR.message_types_by_name[message_name(op_code)]
    schema = {"$schema": DIALECT, "title": f"{op_code.name} (op code {op_code.value})", **_object(message)}
    if op_code is OpCode.CLAIM:
        _limit_claim(schema)
    parts = _used_by(message)
    return {**schema, "$defs": dict(sorted(parts.items()))} if parts else schema


def file_name(op_code: OpCode) -> str:
    """Return the file name of a schema: 103-claim-result.json."""
    return f"{op_code.value:03d}-{re.sub('_', '-', op_code.name.lower())}.json"


def files() -> dict[str, str]:
    """Return the text of every schema file by name."""
    return {file_name(op_code): json.dumps(schema_of(op_code), indent=2) + "\n" for op_code in OpCode}


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in files().items():
        (FOLDER / name).write_text(text)
