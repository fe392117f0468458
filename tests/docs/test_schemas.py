"""The JSON Schemas are current, and messages of a match are valid against them."""

import jsonschema
import pytest

from match_handler.protocol.payloads import OpCode
from tests.docs.examples import examples
from tests.docs.schemas import FOLDER, files, schema_of

EXAMPLES = examples()


def test_schemas_match_the_protocol() -> None:
    assert {path.name: path.read_text() for path in FOLDER.iterdir()} == files()


@pytest.mark.parametrize("op_code", [op for op in OpCode if op is not OpCode.SERVICE_STATUS])
def test_messages_of_a_match_fit_their_schemas(op_code: OpCode) -> None:
    sent = [payload for name, payload in EXAMPLES.items() if name.partition("_valid")[0] == op_code.name]

    assert sent
    for payload in sent:
        jsonschema.validate(payload, schema_of(op_code))


@pytest.mark.parametrize(
    "claim",
    [
        {"claimId": "", "cardIds": [1, 2, 3]},
        {"claimId": "a", "cardIds": [1, 2]},
        {"claimId": "a", "cardIds": [1, 1, 2]},
        {"claimId": "a", "cardIds": [1, 2, 81]},
        {"claimId": "a", "cardIds": [1, 2, 3], "score": 1},
        {"cardIds": [1, 2, 3]},
    ],
)
def test_malformed_claim_does_not_fit_its_schema(claim: dict[str, object]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(claim, schema_of(OpCode.CLAIM))
