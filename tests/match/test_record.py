"""The record of a game: played again, it comes to the same end; changed, it is found out."""

import json
from typing import Any

import pytest

from match_handler.game import WINS_LEADERBOARD
from match_handler.payloads import OpCode
from match_handler.record import COLLECTION, PUBLIC_READ
from match_handler.replay import RecordError, differences, parse_record
from match_handler.step import LeaderboardWrite, StorageWrite
from set_core.deck import Deck
from set_core.validator import find_sets_among
from tests.match.driver import TableDriver, play_to_the_end, started
from tests.match.random_matches import RandomMatch
from tests.match.said import claim, rematch


def record_of(table: TableDriver) -> dict[str, Any]:
    (raw,) = table.records.values()
    record: dict[str, Any] = json.loads(raw)
    return record


def parts(record: dict[str, Any]) -> list[str]:
    return differences(parse_record(json.dumps(record).encode()))


@pytest.fixture(scope="module")
def finished() -> bytes:
    table = started({"penalty": "POINT", "seed": 7})
    table.claim("bob", table.not_a_set)
    play_to_the_end(table)
    return next(iter(table.records.values()))


@pytest.mark.parametrize("number", range(24))
def test_every_finished_random_match_replays(number: int) -> None:
    table = RandomMatch(number).play()
    assert parts(record_of(table)) == []


def test_the_second_game_has_a_record_of_its_own() -> None:
    table = started()
    play_to_the_end(table)
    table.loop(rematch("ann"), rematch("bob"))
    table.settle()
    play_to_the_end(table)
    first, second = (json.loads(raw) for raw in table.records.values())
    assert (first["game"], second["game"]) == (1, 2)
    assert parts(first) == parts(second) == []
    assert first["deck"] != second["deck"]


def test_a_terminated_match_replays() -> None:
    table = started()
    table.award("ann")
    table.terminate()
    assert parts(record_of(table)) == []
    assert record_of(table)["log"][-1] == {"atMs": table.now_ms, "kind": "end", "reason": "TERMINATED"}


def test_a_record_says_who_played_what_and_how_it_ended(finished: bytes) -> None:
    record = json.loads(finished)
    assert record["matchId"] == "0b9e.node1"
    assert [player["userId"] for player in record["players"]] == ["ann", "bob"]
    assert record["options"]["penalty"] == "PENALTY_POINT"
    assert record["startedUnixMs"] == 1_796_126_400_000
    assert sorted(record["deck"]) == list(range(81))
    assert record["endedMs"] - record["startedMs"] == record["results"]["durationMs"]
    assert [line["kind"] for line in record["log"]] == ["claim"] * len(record["log"])
    assert record["log"][0] == {
        "atMs": record["log"][0]["atMs"],
        "kind": "claim",
        "seat": 1,
        "claimId": record["log"][0]["claimId"],
        "cardIds": record["log"][0]["cardIds"],
    }


def test_coming_and_going_is_in_the_record() -> None:
    table = started({"maxPlayers": 3}, "ann", "bob", "cat")
    table.lose("bob")
    table.join("bob", session="back")
    table.leave("cat")
    table.leave("ann")
    kinds = [(line["kind"], line.get("seat", line.get("seats"))) for line in record_of(table)["log"]]
    assert kinds == [("disconnect", 1), ("connect", 1), ("forfeit", [2]), ("forfeit", [0])]
    assert parts(record_of(table)) == []


def test_it_is_written_once_and_everybody_may_read_it() -> None:
    table = started()
    play_to_the_end(table)
    write = table.effects[0]
    assert isinstance(write, StorageWrite)
    assert (write.collection, write.key, write.permission_read) == (COLLECTION, "0b9e.node1.1", PUBLIC_READ)
    table.wait(60_000)
    assert sum(isinstance(effect, StorageWrite) for effect in table.effects) == 1


def test_a_win_among_people_is_in_the_leaderboard_and_names_its_record() -> None:
    table = started()
    table.award("bob")
    table.leave("ann")
    record, win = table.effects
    assert isinstance(record, StorageWrite)
    names_it = b'{"recordKey":"%s"}' % record.key.encode()
    assert win == LeaderboardWrite(WINS_LEADERBOARD, "bob", "bob", 1, 0, names_it)


def test_a_draw_is_nobody_s_win() -> None:
    table = started({"timeLimitSeconds": 10})
    table.wait(10_000)
    assert len(table.effects) == 1


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


def swapped_last_cards(record: dict[str, Any]) -> None:
    record["deck"][-1], record["deck"][-2] = record["deck"][-2], record["deck"][-1]


def other_winner(record: dict[str, Any]) -> None:
    record["results"]["winnerSeat"] = 5


def other_score(record: dict[str, Any]) -> None:
    record["results"]["standings"][0]["player"]["score"] += 1


def longer(record: dict[str, Any]) -> None:
    record["results"]["durationMs"] += 1


def no_penalty(record: dict[str, Any]) -> None:
    record["options"]["penalty"] = "PENALTY_NONE"
    record["log"].insert(2, {**record["log"][0], "atMs": record["log"][1]["atMs"] + 5_000})


def one_standing_less(record: dict[str, Any]) -> None:
    record["results"]["standings"].pop()


CHANGES = [
    remove_first_valid,
    swap_claimant,
    other_cards,
    too_early,
    other_deck,
    swapped_last_cards,
    other_winner,
    other_score,
    longer,
    no_penalty,
    one_standing_less,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_changed_record_is_found_out(finished: bytes, change: Any) -> None:
    record = json.loads(finished)
    assert parts(record) == []
    change(record)
    assert parts(record)


def test_a_record_whose_log_stops_too_soon_is_found_out(finished: bytes) -> None:
    record = json.loads(finished)
    del record["log"][5:]
    assert parts(record) == ["the replayed game does not end: the log is not complete"]


def test_a_record_that_was_cut_short_says_how_much_is_missing(finished: bytes) -> None:
    record = json.loads(finished)
    record["log"] = [*record["log"][:3], {"missingLines": 20}]

    with pytest.raises(RecordError, match="cut short, 20 lines are missing"):
        parse_record(json.dumps(record).encode())


def test_each_difference_is_a_line_with_both_values(finished: bytes) -> None:
    record = json.loads(finished)
    record["results"]["durationMs"] = 1
    (line,) = parts(record)
    assert line.startswith("durationMs: recorded 1, replayed ")


@pytest.mark.parametrize("raw", [b"", b"{}", b"[]", b"\xff", b"[" * 9_999, b'{"format":2}'])
def test_what_is_no_record_is_refused(raw: bytes) -> None:
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
def test_what_describes_no_game_is_refused(finished: bytes, place: str, value: object) -> None:
    record = {**json.loads(finished), place: value}
    with pytest.raises(RecordError, match=r"^record: cannot be played again"):
        parts(record)


@pytest.mark.parametrize(
    "line",
    [
        {"atMs": 0, "kind": "claim"},
        {"atMs": 0, "kind": "forfeit"},
        {"atMs": 0, "kind": "end"},
        {"atMs": 0, "kind": "connect", "seat": 0},
    ],
)
def test_lines_that_move_nothing_are_passed_over(finished: bytes, line: dict[str, Any]) -> None:
    record = json.loads(finished)
    record["log"].insert(0, line)
    assert parts(record) == []


def test_no_game_begins_in_the_call_that_ends_another() -> None:
    """All lines of a call go into one record: who knows the next deck could else claim into the wrong one."""
    table = started({"mode": "SINGLE_PLAYER"}, "ann")
    while len(table.sets) > 1 or table.session.drawn < 81:
        table.award("ann")
    guess = find_sets_among(Deck(2).order[:12])[0]
    table.loop(claim("ann", table.sets[0], "last"), rematch("ann"), claim("ann", guess, "first"))
    assert [told["reason"] for told in table.of(OpCode.CLAIM_REJECTED)] == [
        "CLAIM_REASON_NOT_ALLOWED",
        "CLAIM_REASON_MATCH_OVER",
    ]
    table.loop(rematch("ann"))
    table.settle()
    play_to_the_end(table, "ann")
    assert [differences(parse_record(record)) for record in table.records.values()] == [[], []]
