"""A short run of every fuzz target with its corpus and random changes of it."""

import logging
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from match_handler.match.replay import differences, parse_record
from match_handler.v1 import match_handler_pb2 as pb
from tests.fuzz.seeds import VALID, seeds, valid_records, valid_requests, valid_states
from tests.fuzz.targets import METHODS, NOW_MS, SERVICE, TARGETS
from tests.match.driver import MATCH_ID
from tests.proof.calling import call
from tests.proof.ledger import Tries

EXAMPLES = 300


@pytest.fixture(autouse=True)
def silence() -> Iterator[None]:
    """Disable logging: expected rejections would log tracebacks."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        pytest.param(name, seed, id=f"{name}-{known}")
        for name in TARGETS
        for known, seed in seeds(name).items()
    ],
)
def test_seed_or_earlier_crasher_is_handled(name: str, seed: bytes) -> None:
    TARGETS[name](seed)


def test_valid_inputs_belong_to_targets() -> None:
    assert VALID.keys() <= TARGETS.keys()


@pytest.mark.parametrize("state", valid_states().values(), ids=valid_states())
def test_valid_state_is_accepted(state: bytes) -> None:
    call(SERVICE.MatchLoop, pb.MatchLoopRequest(match_id=MATCH_ID, state=state, now_ms=NOW_MS))


@pytest.mark.parametrize("record", valid_records().values(), ids=valid_records())
def test_valid_record_replays_without_differences(record: bytes) -> None:
    assert differences(parse_record(record)) == []


def test_valid_request_of_every_method_is_answered() -> None:
    requests = valid_requests().values()
    assert {data[0] for data in requests} == set(range(len(METHODS)))
    for data in requests:
        method, kind = METHODS[data[0]]
        call(method, kind.FromString(data[1:]))


@st.composite
def changed(draw: st.DrawFn, known: list[bytes]) -> bytes:
    """Return a seed with a replaced part, or random bytes."""
    data = draw(st.sampled_from(known))
    start = draw(st.integers(0, len(data)))
    end = draw(st.integers(start, min(len(data), start + 8)))
    return data[:start] + draw(st.binary(max_size=8)) + data[end:]


@pytest.mark.claim(
    "any bytes as message, options, state, request or record are answered or rejected, without an exception",
    "a corpus and its mutations; `make fuzz` continues with them",
)
@pytest.mark.parametrize("name", TARGETS)
def test_any_bytes_are_handled(name: str, tried: Tries) -> None:
    @settings(max_examples=EXAMPLES, deadline=None)
    @given(data=changed(list(seeds(name).values())) | st.binary(max_size=300))
    def check(data: bytes) -> None:
        tried()
        TARGETS[name](data)

    check()
