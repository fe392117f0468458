"""The record of a game: played again, it comes to the same end; changed, it is found out."""

import json
import re
from typing import Any

import msgspec
import pytest

from match_handler.match.context import DAY_MS
from match_handler.match.record import COLLECTION, MAX_CLAIMS, NOBODY_READS, Line
from match_handler.match.replay import RecordError, differences, parse_record
from match_handler.match.results import SHORTEST_RANKED_MS, WINS_LEADERBOARD
from match_handler.match.state import encode_state
from match_handler.match.step import LeaderboardWrite, Operator, Quota, StorageWrite
from match_handler.match.timing import LAST_MS
from match_handler.protocol.payloads import OpCode
from set_core.deck import Deck
from set_core.validator import find_sets_among
from tests.match.driver import NOON, TableDriver, play_to_the_end, started
from tests.match.random_matches import RandomMatch
from tests.match.said import claim, rematch

MAX_RECORD_BYTES = 1 << 20
"""What the plugin keeps of a record (nakama/record.go)."""


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
        "cardIds": record["log"][0]["cardIds"],
    }


def test_a_forfeit_is_in_the_record() -> None:
    table = started({"maxPlayers": 3}, "ann", "bob", "cat")
    table.leave("cat")
    table.award("bob")
    table.leave("ann")
    lines = [(line["kind"], line.get("seat", line.get("seats"))) for line in record_of(table)["log"]]
    assert lines == [("forfeit", [2]), ("claim", 1), ("forfeit", [0])]
    assert parts(record_of(table)) == []


def test_a_record_is_written_once_and_nobody_may_list_it() -> None:
    table = started()
    play_to_the_end(table)
    write = table.effects[0]
    assert isinstance(write, StorageWrite)
    assert (write.collection, write.permission_read) == (COLLECTION, NOBODY_READS)
    table.wait(60_000)
    assert sum(isinstance(effect, StorageWrite) for effect in table.effects) == 1


def test_a_record_key_has_a_date_and_128_random_bits() -> None:
    table, other = started(), TableDriver(match_secret=b"another match ..")
    other.join("ann", "bob")
    for one in (table, other):
        play_to_the_end(one)
    keys = [next(iter(one.records)) for one in (table, other)]
    assert all(re.fullmatch(r"20261201\.[0-9a-f]{32}", key) for key in keys)
    assert keys[0] != keys[1]


def test_a_game_without_a_claim_leaves_no_record() -> None:
    table = started()
    table.leave("bob")
    assert table.records == {}
    assert table.of(OpCode.MATCH_ENDED)[0]["recordKey"] == ""


def test_lines_of_a_game_without_record_end_with_it() -> None:
    table = started({"timeLimitSeconds": 10, "maxPlayers": 3}, "ann", "bob", "cat")
    table.leave("cat")
    table.wait(10_000)
    table.loop(rematch("ann"), rematch("bob"))
    table.settle()
    table.award("ann")
    table.wait(10_000)
    assert [line["kind"] for line in record_of(table)["log"]] == ["claim"]
    assert parts(record_of(table)) == []


def test_a_record_holds_no_text_of_players() -> None:
    table = TableDriver({"mode": "PASS_AND_PLAY", "localPlayers": ["Mum-1", "Kid-1"]})
    table.join("Ann-0")
    table.settle()
    for seat in (0, 1):
        table.claim("Ann-0", table.not_a_set, "id-of-a-claim", seat=seat)
    table.terminate()
    (raw,) = table.records.values()
    for text in (b"Mum-1", b"Kid-1", b"id-of-a-claim"):
        assert text not in raw
    assert json.loads(raw)["players"] == [{"userId": "Ann-0", "bot": False}] * 2
    assert parts(json.loads(raw)) == []


def test_the_longest_record_of_eight_seats_fits() -> None:
    names = ["\N{SQUARED COOL}" * 31 + str(number) for number in range(8)]
    table = started({"mode": "PASS_AND_PLAY", "localPlayers": names}, "ann")
    table.claim("ann", table.not_a_set, seat=0)
    table.terminate()
    (raw,) = table.records.values()
    longest = msgspec.json.encode(Line(LAST_MS, "claim", seat=7, card_ids=[80, 79, 78]))
    assert len(raw) + 8 * MAX_CLAIMS * len(longest + b",") < MAX_RECORD_BYTES


def test_claims_past_the_limit_of_a_game_are_rejected() -> None:
    table = started()
    inside = table.inside
    inside.seats[0].claims_judged = MAX_CLAIMS - 1
    table.state = encode_state(inside)
    assert not table.claim("ann", table.not_a_set).body["valid"]
    table.settle()
    rejected = table.claim("ann", table.sets[0]).body
    assert rejected["reason"] == "CLAIM_REASON_RATE_LIMITED"
    assert rejected["message"] == "1000 claims were judged in this game, the most allowed"
    assert table.claim("bob", table.sets[0]).body["valid"]


def test_another_game_begins_with_no_claims_counted() -> None:
    table = started()
    table.award("ann")
    table.leave("bob")
    assert [seat.claims_judged for seat in table.inside.seats] == [1, 0]
    table.join("bob")
    table.loop(rematch("ann"), rematch("bob"))
    assert [seat.claims_judged for seat in table.inside.seats] == [0, 0]


def test_a_win_among_people_is_in_the_leaderboard_and_hides_the_record_key() -> None:
    table = started()
    table.award("bob")
    table.award("bob")
    table.award("ann")
    table.wait(SHORTEST_RANKED_MS)
    table.leave("ann")
    record, win = table.effects
    assert isinstance(record, StorageWrite)
    assert win == LeaderboardWrite(
        leaderboard_id=WINS_LEADERBOARD,
        operator=Operator.INCREMENT,
        owner_id="bob",
        username="bob",
        score=1,
        subscore=0,
        metadata=b'{"game":"0b9e.node1.1"}',
        expires_unix_ms=NOON + table.now_ms + DAY_MS,
        quota=Quota("set_pairs", "20261201.ann.bob", 3),
    )


def test_a_draw_is_nobody_s_win() -> None:
    table = started({"timeLimitSeconds": 10})
    table.wait(10_000)
    assert table.of(OpCode.MATCH_ENDED)[0]["draw"]
    assert table.effects == []


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


def one_standing_less(record: dict[str, Any]) -> None:
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


@pytest.mark.parametrize(("field", "words"), [("format", "format version 7"), ("rules", "rules version 7")])
def test_a_record_of_another_version_is_refused_by_name(finished: bytes, field: str, words: str) -> None:
    record = {**json.loads(finished), field: 7}
    with pytest.raises(RecordError, match=f"^record: {words}, this set-match replays version 1; use the"):
        parse_record(json.dumps(record).encode())


@pytest.mark.parametrize("raw", [b"", b"{}", b"[]", b"\xff", b"[" * 9_999, b'{"format":1}'])
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
