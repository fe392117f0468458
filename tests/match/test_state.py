"""The bytes of the state: versions, unknown fields and invalid bytes (DESIGN sections 1, 4)."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from match_handler.match.context import Moment
from match_handler.match.match import Match
from match_handler.match.state import (
    READABLE_FROM,
    VERSION,
    OtherVersionError,
    StateError,
    decode_state,
    encode_state,
)
from set_core.session import RULES_VERSION
from tests.match.driver import MATCH_ID, NOON, MatchDriver, started

NOW = Moment(1_000, NOON)


def unpacked(driver: MatchDriver) -> list[Any]:
    envelope: list[Any] = msgspec.msgpack.decode(driver.state)
    return envelope


def test_state_begins_with_all_versions() -> None:
    version, readable_from, rules, _ = unpacked(MatchDriver())
    assert (version, readable_from, rules) == (VERSION, READABLE_FROM, RULES_VERSION)


def test_state_round_trips() -> None:
    driver = started({"maxPlayers": 3, "bots": [{"level": "EASY"}]})
    driver.claim("ann", driver.sets[0])
    driver.disconnect("bob")
    assert encode_state(decode_state(driver.state)) == driver.state


def test_state_that_needs_a_newer_reader_is_rejected() -> None:
    _, _, rules, body = unpacked(started())
    newer = msgspec.msgpack.encode([VERSION + 7, VERSION + 1, rules, body])
    with pytest.raises(
        OtherVersionError, match="version 8 needs a reader of version 2, this service is version 1"
    ):
        Match.restore(MATCH_ID, newer, NOW)


@pytest.mark.parametrize("rules", [RULES_VERSION - 1, RULES_VERSION + 1])
def test_state_of_another_rules_version_is_rejected(rules: int) -> None:
    """Otherwise replicas would judge one match by different rules during an upgrade."""
    version, readable_from, _, body = unpacked(started())
    other = msgspec.msgpack.encode([version, readable_from, rules, body])
    with pytest.raises(OtherVersionError, match=f"version {rules} of the rules, this service has 1"):
        Match.restore(MATCH_ID, other, NOW)


def grown(value: Any) -> Any:
    """Return a copy with one more field in every map, as a newer version might write it."""
    if isinstance(value, dict):
        return {**{name: grown(part) for name, part in value.items()}, "newField": [1]}
    if isinstance(value, list) and value and not all(isinstance(part, dict | list | int) for part in value):
        return [*[grown(part) for part in value], "new field"]
    return [grown(part) for part in value] if isinstance(value, list) else value


def test_additional_fields_of_a_newer_version_are_ignored() -> None:
    driver = started({"bots": [{"level": "EASY"}], "maxPlayers": 3})
    version, readable_from, rules, body = unpacked(driver)
    newer = msgspec.msgpack.encode([version + 1, readable_from, rules, grown(body), "more"])
    assert newer != driver.state
    assert encode_state(decode_state(newer)) == driver.state
    driver.state = newer
    assert driver.claim("ann", driver.sets[0]).body["valid"]


def with_stored_options(**changes: Any) -> bytes:
    match_state = started().match_state
    match_state.options = json.dumps({**json.loads(match_state.options), **changes}).encode()
    return encode_state(match_state)


@pytest.mark.parametrize("newer", [{"newOption": 1}, {"penalty": "PENALTY_NEW"}])
def test_state_with_unknown_options_needs_a_newer_version(newer: dict[str, Any]) -> None:
    """Otherwise the shim would treat the match as poisoned and end it during an upgrade (E4)."""
    with pytest.raises(OtherVersionError, match="options that this service does not know"):
        Match.restore(MATCH_ID, with_stored_options(**newer), NOW)


@pytest.mark.parametrize("unwanted", [{"timeLimitSeconds": 86_401}, {"reconnectWindowSeconds": 99_999}])
def test_options_of_a_running_match_are_not_validated_again(unwanted: dict[str, Any]) -> None:
    """A newer version with stricter limits continues the matches of the version before."""
    match = Match.restore(MATCH_ID, with_stored_options(**unwanted), NOW)
    match.loop([], [])
    assert not match.step().end


def test_options_with_default_values_are_not_in_the_state() -> None:
    """So an older replica can read new matches that use no option unknown to it."""
    always = {"mode": "MODE_ONLINE", "maxPlayers": 2, "minPlayers": 2}
    assert json.loads(MatchDriver({"seed": 0}).match_state.options) == always


def test_missing_fields_of_an_older_version_get_defaults() -> None:
    driver = MatchDriver()
    version, readable_from, rules, body = unpacked(driver)
    older = msgspec.msgpack.encode([version, readable_from, rules, body[:7]])
    state = decode_state(older)
    assert (state.seq, state.seats, state.session, state.closed) == (0, [], None, False)


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_rejected(raw: bytes) -> None:
    with pytest.raises(StateError):
        decode_state(raw)


@pytest.mark.parametrize("cut", [0, 1, 2, 10, -10, -1])
def test_truncated_state_is_rejected(cut: int) -> None:
    with pytest.raises(StateError):
        decode_state(started().state[:cut])


def test_bytes_after_a_state_are_rejected() -> None:
    with pytest.raises(StateError):
        decode_state(started().state + b"\x00")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda state: setattr(state, "options", b"{}x"),
        lambda state: setattr(state, "secret", b"short"),
        lambda state: setattr(state, "started_unix_ms", 2**62),
        lambda state: setattr(state.session, "slots", [0, 1]),
    ],
)
def test_inconsistent_state_is_rejected(spoil: Any) -> None:
    driver = started()
    match_state = driver.match_state
    spoil(match_state)
    with pytest.raises(StateError):
        Match.restore(MATCH_ID, encode_state(match_state), NOW)


def test_state_is_small() -> None:
    """The state is part of every request and response: eight players in a running game fit in 4 KiB."""
    users = [f"5f2b1a90-7a51-4f2c-9e0e-2f3d8c1b7a{number:02}" for number in range(8)]
    driver = started({"maxPlayers": 8}, *users)
    assert len(driver.state) < 4096
