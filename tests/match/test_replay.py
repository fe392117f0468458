"""The replay of a record has the same result, and changes of the record are detected."""

import json
from typing import Any

import pytest

from match_handler.match.replay import RecordError, parse_record
from tests.match.random_matches import RandomMatch
from tests.match.records import finished_game, record_of, replay


@pytest.fixture(scope="module")
def finished() -> bytes:
    return next(iter(finished_game().records.values()))


@pytest.mark.parametrize("number", range(24))
def test_every_finished_random_match_replays(number: int) -> None:
    driver = RandomMatch(number).play()
    assert replay(record_of(driver)) == []


def remove_first_valid(record: dict[str, Any]) -> None:
    del record["log"][1]


def swap_claimant(record: dict[str, Any]) -> None:
    record["log"][1]["seat"] = 1 - record["log"][1]["seat"]


def other_cards(record: dict[str, Any]) -> None:
    record["log"][1]["cardIds"] = record["log"][0]["cardIds"]


def too_early(record: dict[str, Any]) -> None:
    record["log"][2]["atMs"] = record["log"][1]["atMs"] + 1


def other_deck(record: dict[str, Any]) -> None:
    record["deck"].reverse()


def other_winner(record: dict[str, Any]) -> None:
    record["results"]["winnerSeat"] = 5


def other_score(record: dict[str, Any]) -> None:
    record["results"]["standings"][0]["score"] += 1


def longer(record: dict[str, Any]) -> None:
    record["results"]["durationMs"] += 1


def no_penalty(record: dict[str, Any]) -> None:
    record["options"]["penalty"] = "PENALTY_NONE"
    record["log"].insert(2, {**record["log"][0], "atMs": record["log"][1]["atMs"] + 5_000})


def missing_standing(record: dict[str, Any]) -> None:
    record["results"]["standings"].pop()


CHANGES = [
    remove_first_valid,
    swap_claimant,
    other_cards,
    too_early,
    other_deck,
    other_winner,
    other_score,
    longer,
    no_penalty,
    missing_standing,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_changed_record_is_detected(finished: bytes, change: Any) -> None:
    record = json.loads(finished)
    assert replay(record) == []
    change(record)
    assert replay(record)


def test_record_with_an_incomplete_log_is_detected(finished: bytes) -> None:
    record = json.loads(finished)
    del record["log"][5:]
    assert replay(record) == ["the replayed game does not end: the log is not complete"]


def test_truncated_record_reports_the_missing_lines(finished: bytes) -> None:
    record = json.loads(finished)
    record["log"] = [*record["log"][:3], {"missingLines": 20}]

    with pytest.raises(RecordError, match="cut short, 20 lines are missing"):
        parse_record(json.dumps(record).encode())


def test_each_difference_is_a_line_with_both_values(finished: bytes) -> None:
    record = json.loads(finished)
    record["results"]["durationMs"] = 1
    (line,) = replay(record)
    assert line.startswith("durationMs: recorded 1, replayed ")


@pytest.mark.parametrize(("field", "words"), [("format", "format version 7"), ("rules", "rules version 7")])
def test_record_of_another_version_is_rejected(finished: bytes, field: str, words: str) -> None:
    record = {**json.loads(finished), field: 7}
    with pytest.raises(RecordError, match=f"^record: {words}, this set-match replays version 1; use the"):
        parse_record(json.dumps(record).encode())


@pytest.mark.parametrize("raw", [b"", b"{}", b"[]", b"\xff", b"[" * 9_999, b'{"format":1}'])
def test_invalid_record_is_rejected(raw: bytes) -> None:
    with pytest.raises(RecordError, match=r"^record: "):
        parse_record(raw)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("players", []),
        ("deck", [0] * 81),
        ("options", {"mode": "CHESS"}),
        ("options", 7),
        ("log", [{"atMs": 0, "kind": "forfeit", "seats": [9]}]),
        ("log", [{"atMs": 0, "kind": "claim", "seat": 9, "cardIds": [1, 2, 3]}]),
        ("log", [{"atMs": 0, "kind": "end", "reason": "BOREDOM"}]),
    ],
)
def test_record_of_an_impossible_game_is_rejected(finished: bytes, place: str, value: object) -> None:
    record = {**json.loads(finished), place: value}
    with pytest.raises(RecordError, match=r"^record: cannot be played again"):
        replay(record)


@pytest.mark.parametrize(
    "line",
    [
        {"atMs": 0, "kind": "claim"},
        {"atMs": 0, "kind": "forfeit"},
        {"atMs": 0, "kind": "end"},
    ],
)
def test_lines_without_effect_are_ignored(finished: bytes, line: dict[str, Any]) -> None:
    record = json.loads(finished)
    record["log"].insert(0, line)
    assert replay(record) == []
