"""The state's bytes: versions, neighbours and garbage (DESIGN sections 1, 4)."""

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
from tests.match.driver import MATCH_ID, NOON, TableDriver, started

NOW = Moment(1_000, NOON)


def unpacked(table: TableDriver) -> list[Any]:
    envelope: list[Any] = msgspec.msgpack.decode(table.state)
    return envelope


def test_the_bytes_begin_with_all_versions() -> None:
    version, readable_from, rules, _ = unpacked(TableDriver())
    assert (version, readable_from, rules) == (VERSION, READABLE_FROM, RULES_VERSION)


def test_there_and_back() -> None:
    table = started({"maxPlayers": 3, "bots": [{"level": "EASY"}]})
    table.claim("ann", table.sets[0])
    table.lose("bob")
    assert encode_state(decode_state(table.state)) == table.state


def test_a_state_that_needs_a_newer_reader_is_refused_as_such() -> None:
    _, _, rules, body = unpacked(started())
    newer = msgspec.msgpack.encode([VERSION + 7, VERSION + 1, rules, body])
    with pytest.raises(
        OtherVersionError, match="version 8 needs a reader of version 2, this service is version 1"
    ):
        Match.restore(MATCH_ID, newer, NOW)


@pytest.mark.parametrize("rules", [RULES_VERSION - 1, RULES_VERSION + 1])
def test_a_state_judged_by_other_rules_is_refused(rules: int) -> None:
    """Else two replicas would judge one match by different rules in the middle of an upgrade."""
    version, readable_from, _, body = unpacked(started())
    other = msgspec.msgpack.encode([version, readable_from, rules, body])
    with pytest.raises(OtherVersionError, match=f"version {rules} of the rules, this service has 1"):
        Match.restore(MATCH_ID, other, NOW)


def grown(value: Any) -> Any:
    """The same with a field more in everything that has fields, as a newer version might add."""
    if isinstance(value, dict):
        return {**{name: grown(part) for name, part in value.items()}, "newField": [1]}
    if isinstance(value, list) and value and not all(isinstance(part, dict | list | int) for part in value):
        return [*[grown(part) for part in value], "new field"]
    return [grown(part) for part in value] if isinstance(value, list) else value


def test_a_newer_version_s_additional_fields_are_dropped() -> None:
    table = started({"bots": [{"level": "EASY"}], "maxPlayers": 3})
    version, readable_from, rules, body = unpacked(table)
    newer = msgspec.msgpack.encode([version + 1, readable_from, rules, grown(body), "more"])
    assert newer != table.state
    assert encode_state(decode_state(newer)) == table.state
    table.state = newer
    assert table.claim("ann", table.sets[0]).body["valid"]


def with_stored_options(**changes: Any) -> bytes:
    inside = started().inside
    inside.options = json.dumps({**json.loads(inside.options), **changes}).encode()
    return encode_state(inside)


@pytest.mark.parametrize("newer", [{"newOption": 1}, {"penalty": "PENALTY_NEW"}])
def test_options_that_only_a_newer_version_has_are_left_to_it(newer: dict[str, Any]) -> None:
    """Else the shim takes the match for poisoned, and ends it in the middle of an upgrade (E4)."""
    with pytest.raises(OtherVersionError, match="options that this service does not know"):
        Match.restore(MATCH_ID, with_stored_options(**newer), NOW)


@pytest.mark.parametrize("unwanted", [{"timeLimitSeconds": 86_401}, {"reconnectWindowSeconds": 99_999}])
def test_options_of_a_running_match_are_not_checked_again(unwanted: dict[str, Any]) -> None:
    """A newer version with stricter limits goes on with the matches of the one before."""
    match = Match.restore(MATCH_ID, with_stored_options(**unwanted), NOW)
    match.loop([], [])
    assert not match.step().end


def test_options_with_default_values_are_not_in_the_state() -> None:
    """So an older replica reads new matches as long as none uses an option that it does not know."""
    always = {"mode": "MODE_ONLINE", "maxPlayers": 2, "minPlayers": 2}
    assert json.loads(TableDriver({"seed": 0}).inside.options) == always


def test_an_older_version_s_missing_fields_have_their_defaults() -> None:
    table = TableDriver()
    version, readable_from, rules, body = unpacked(table)
    older = msgspec.msgpack.encode([version, readable_from, rules, body[:7]])
    state = decode_state(older)
    assert (state.seq, state.seats, state.session, state.closed) == (0, [], None, False)


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_arbitrary_bytes_are_refused(raw: bytes) -> None:
    with pytest.raises(StateError):
        decode_state(raw)


@pytest.mark.parametrize("cut", [0, 1, 2, 10, -10, -1])
def test_a_cut_state_is_refused(cut: int) -> None:
    with pytest.raises(StateError):
        decode_state(started().state[:cut])


def test_what_follows_a_state_is_refused() -> None:
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
def test_a_state_that_is_no_match_is_refused_as_a_whole(spoil: Any) -> None:
    table = started()
    inside = table.inside
    spoil(inside)
    with pytest.raises(StateError):
        Match.restore(MATCH_ID, encode_state(inside), NOW)


def test_a_state_is_small() -> None:
    """It travels twice with every call: eight players and a game in progress fit in 4 KiB."""
    users = [f"5f2b1a90-7a51-4f2c-9e0e-2f3d8c1b7a{number:02}" for number in range(8)]
    table = started({"maxPlayers": 8}, *users)
    assert len(table.state) < 4096
