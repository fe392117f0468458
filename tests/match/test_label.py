"""The label by which Nakama finds matches (DESIGN section 6)."""

import json

from match_handler.protocol.options import options_key, parse_options
from match_handler.protocol.payloads import OpCode
from tests.match.driver import TableDriver, play_to_the_end, started
from tests.match.said import rematch


def test_an_empty_table_is_open() -> None:
    table = TableDriver({"maxPlayers": 3})
    assert table.label == {
        "game": "set",
        "mode": "ONLINE",
        "key": options_key(table.options),
        "open": 1,
        "players": 0,
        "seats": 3,
        "phase": "WAITING",
    }


def test_the_label_follows_the_table() -> None:
    table = TableDriver()
    seen = [(table.label["open"], table.label["players"], table.label["phase"])]
    table.join("ann")
    seen.append((table.label["open"], table.label["players"], table.label["phase"]))
    table.join("bob")
    seen.append((table.label["open"], table.label["players"], table.label["phase"]))
    play_to_the_end(table)
    seen.append((table.label["open"], table.label["players"], table.label["phase"]))
    table.loop(rematch("ann"), rematch("bob"))
    seen.append((table.label["open"], table.label["players"], table.label["phase"]))
    assert seen == [
        (1, 0, "WAITING"),
        (1, 1, "WAITING"),
        (0, 2, "PLAYING"),
        (0, 2, "MATCH_END"),
        (0, 2, "PLAYING"),
    ]


def test_claims_do_not_change_the_label() -> None:
    table = started()
    before = table.label
    table.claim("ann", table.sets[0])
    table.settle()
    assert table.label is before


def test_a_closed_table_is_not_open() -> None:
    table = TableDriver()
    table.wait(60_000)
    assert table.label["open"] == 0


def test_bots_are_no_seats_for_users() -> None:
    table = TableDriver({"maxPlayers": 4, "bots": [{"level": "EASY"}] * 2})
    assert table.label["seats"] == 2


def test_flags_are_numbers_and_days_integers() -> None:
    """Nakama's index finds neither `true` nor text that looks like a date."""
    table = TableDriver({"mode": "DAILY_CHALLENGE"})
    assert {type(value) for value in table.label.values()} <= {int, str}
    assert table.label["day"] == 20261201


def test_equal_options_have_equal_keys() -> None:
    written = [b"", b"{}", b'{"mode":"MODE_ONLINE"}', b'{"maxPlayers":2,"mode":"ONLINE"}']
    assert len({options_key(parse_options(raw)) for raw in written}) == 1


def test_any_other_option_has_another_key() -> None:
    changes = [
        {"maxPlayers": 3},
        {"minPlayers": 1},
        {"timeLimitSeconds": 60},
        {"penalty": "POINT"},
        {"tieBreakFewestInvalid": True},
        {"penalizeStaleClaims": False},
        {"reconnectWindowSeconds": 31},
        {"animationMs": {"refill": 1}},
        {"bots": [{"level": "EASY"}]},
        {"bots": [{"level": "HARD"}]},
        {"allowSpectators": False},
        {},
    ]
    keys = {options_key(parse_options(json.dumps(change).encode())) for change in changes}
    assert len(keys) == len(changes)


def test_a_first_label_is_always_given() -> None:
    assert TableDriver().label
    assert TableDriver().of(OpCode.SNAPSHOT) == []
