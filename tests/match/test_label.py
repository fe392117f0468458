"""The label by which Nakama finds matches (DESIGN section 6)."""

import json

from match_handler.protocol.options import options_key, parse_options
from tests.match.driver import MatchDriver, play_to_the_end, started
from tests.match.messages import rematch


def test_label_of_an_empty_match_is_open() -> None:
    driver = MatchDriver({"maxPlayers": 3})
    assert driver.label == {
        "game": "set",
        "mode": "ONLINE",
        "key": options_key(driver.options),
        "open": 1,
        "players": 0,
        "seats": 3,
        "phase": "WAITING",
    }


def test_label_follows_the_match() -> None:
    driver = MatchDriver()
    output = [(driver.label["open"], driver.label["players"], driver.label["phase"])]
    driver.join("ann")
    output.append((driver.label["open"], driver.label["players"], driver.label["phase"]))
    driver.join("bob")
    output.append((driver.label["open"], driver.label["players"], driver.label["phase"]))
    play_to_the_end(driver)
    output.append((driver.label["open"], driver.label["players"], driver.label["phase"]))
    driver.loop(rematch("ann"), rematch("bob"))
    output.append((driver.label["open"], driver.label["players"], driver.label["phase"]))
    assert output == [
        (1, 0, "WAITING"),
        (1, 1, "WAITING"),
        (0, 2, "PLAYING"),
        (0, 2, "MATCH_END"),
        (0, 2, "PLAYING"),
    ]


def test_claims_do_not_change_the_label() -> None:
    driver = started()
    before = driver.label
    driver.claim("ann", driver.sets[0])
    driver.settle()
    assert driver.label is before


def test_label_of_a_closed_match_is_not_open() -> None:
    driver = MatchDriver()
    driver.wait(60_000)
    assert driver.label["open"] == 0


def test_bot_seats_are_not_free_seats() -> None:
    driver = MatchDriver({"maxPlayers": 4, "bots": [{"level": "EASY"}] * 2})
    assert driver.label["seats"] == 2


def test_label_flags_are_numbers_and_days_integers() -> None:
    """Nakama's index finds neither `true` nor text that looks like a date."""
    driver = MatchDriver({"mode": "DAILY_CHALLENGE"})
    assert {type(value) for value in driver.label.values()} <= {int, str}
    assert driver.label["day"] == 20261201


def test_equal_options_have_equal_keys() -> None:
    written = [b"", b"{}", b'{"mode":"MODE_ONLINE"}', b'{"maxPlayers":2,"mode":"ONLINE"}']
    assert len({options_key(parse_options(raw)) for raw in written}) == 1


def test_different_options_have_different_keys() -> None:
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
