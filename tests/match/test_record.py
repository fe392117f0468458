"""The record of a game: its replay has the same result, and changes are detected."""

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
from tests.match.driver import NOON, MatchDriver, play_to_the_end, started
from tests.match.messages import claim, rematch
from tests.match.random_matches import RandomMatch

MAX_RECORD_BYTES = 1 << 20
"""The limit of the plugin (nakama/record.go)."""


def record_of(driver: MatchDriver) -> dict[str, Any]:
    (raw,) = driver.records.values()
    record: dict[str, Any] = json.loads(raw)
    return record


def parts(record: dict[str, Any]) -> list[str]:
    return differences(parse_record(json.dumps(record).encode()))


@pytest.fixture(scope="module")
def finished() -> bytes:
    driver = started({"penalty": "POINT", "seed": 7})
    driver.claim("bob", driver.not_a_set)
    play_to_the_end(driver)
    return next(iter(driver.records.values()))


@pytest.mark.parametrize("number", range(24))
def test_every_finished_random_match_replays(number: int) -> None:
    driver = RandomMatch(number).play()
    assert parts(record_of(driver)) == []


def test_second_game_has_its_own_record() -> None:
    driver = started()
    play_to_the_end(driver)
    driver.loop(rematch("ann"), rematch("bob"))
    driver.settle()
    play_to_the_end(driver)
    first, second = (json.loads(raw) for raw in driver.records.values())
    assert (first["game"], second["game"]) == (1, 2)
    assert parts(first) == parts(second) == []
    assert first["deck"] != second["deck"]


def test_terminated_match_replays() -> None:
    driver = started()
    driver.claim_set("ann")
    driver.terminate()
    assert parts(record_of(driver)) == []
    assert record_of(driver)["log"][-1] == {"atMs": driver.now_ms, "kind": "end", "reason": "TERMINATED"}


def test_record_has_players_moves_and_result(finished: bytes) -> None:
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


def test_forfeit_is_in_the_record() -> None:
    driver = started({"maxPlayers": 3}, "ann", "bob", "cat")
    driver.leave("cat")
    driver.claim_set("bob")
    driver.leave("ann")
    lines = [(line["kind"], line.get("seat", line.get("seats"))) for line in record_of(driver)["log"]]
    assert lines == [("forfeit", [2]), ("claim", 1), ("forfeit", [0])]
    assert parts(record_of(driver)) == []


def test_record_is_written_once_and_cannot_be_listed() -> None:
    driver = started()
    play_to_the_end(driver)
    write = driver.effects[0]
    assert isinstance(write, StorageWrite)
    assert (write.collection, write.permission_read) == (COLLECTION, NOBODY_READS)
    driver.wait(60_000)
    assert sum(isinstance(effect, StorageWrite) for effect in driver.effects) == 1


def test_record_key_has_a_date_and_128_random_bits() -> None:
    driver, other = started(), MatchDriver(match_secret=b"another match ..")
    other.join("ann", "bob")
    for one in (driver, other):
        play_to_the_end(one)
    keys = [next(iter(one.records)) for one in (driver, other)]
    assert all(re.fullmatch(r"20261201\.[0-9a-f]{32}", key) for key in keys)
    assert keys[0] != keys[1]


def test_game_without_a_claim_leaves_no_record() -> None:
    driver = started()
    driver.leave("bob")
    assert driver.records == {}
    assert driver.bodies(OpCode.MATCH_ENDED)[0]["recordKey"] == ""


def test_log_of_an_unrecorded_game_is_not_in_the_next_record() -> None:
    driver = started({"timeLimitSeconds": 10, "maxPlayers": 3}, "ann", "bob", "cat")
    driver.leave("cat")
    driver.wait(10_000)
    driver.loop(rematch("ann"), rematch("bob"))
    driver.settle()
    driver.claim_set("ann")
    driver.wait(10_000)
    assert [line["kind"] for line in record_of(driver)["log"]] == ["claim"]
    assert parts(record_of(driver)) == []


def test_record_holds_no_text_of_players() -> None:
    driver = MatchDriver({"mode": "PASS_AND_PLAY", "localPlayers": ["Mum-1", "Kid-1"]})
    driver.join("Ann-0")
    driver.settle()
    for seat in (0, 1):
        driver.claim("Ann-0", driver.not_a_set, "id-of-a-claim", seat=seat)
    driver.terminate()
    (raw,) = driver.records.values()
    for text in (b"Mum-1", b"Kid-1", b"id-of-a-claim"):
        assert text not in raw
    assert json.loads(raw)["players"] == [{"userId": "Ann-0", "bot": False}] * 2
    assert parts(json.loads(raw)) == []


def test_longest_record_of_eight_seats_fits() -> None:
    names = ["\N{SQUARED COOL}" * 31 + str(number) for number in range(8)]
    driver = started({"mode": "PASS_AND_PLAY", "localPlayers": names}, "ann")
    driver.claim("ann", driver.not_a_set, seat=0)
    driver.terminate()
    (raw,) = driver.records.values()
    longest = msgspec.json.encode(Line(LAST_MS, "claim", seat=7, card_ids=[80, 79, 78]))
    assert len(raw) + 8 * MAX_CLAIMS * len(longest + b",") < MAX_RECORD_BYTES


def test_claims_past_the_limit_of_a_game_are_rejected() -> None:
    driver = started()
    match_state = driver.match_state
    match_state.seats[0].claims_judged = MAX_CLAIMS - 1
    driver.state = encode_state(match_state)
    assert not driver.claim("ann", driver.not_a_set).body["valid"]
    driver.settle()
    rejected = driver.claim("ann", driver.sets[0]).body
    assert rejected["reason"] == "CLAIM_REASON_RATE_LIMITED"
    assert rejected["message"] == "1000 claims were judged in this game, the most allowed"
    assert driver.claim("bob", driver.sets[0]).body["valid"]


def test_claim_count_is_reset_for_the_next_game() -> None:
    driver = started()
    driver.claim_set("ann")
    driver.leave("bob")
    assert [seat.claims_judged for seat in driver.match_state.seats] == [1, 0]
    driver.join("bob")
    driver.loop(rematch("ann"), rematch("bob"))
    assert [seat.claims_judged for seat in driver.match_state.seats] == [0, 0]


def test_win_between_humans_is_ranked_without_the_record_key() -> None:
    driver = started()
    driver.claim_set("bob")
    driver.claim_set("bob")
    driver.claim_set("ann")
    driver.wait(SHORTEST_RANKED_MS)
    driver.leave("ann")
    record, win = driver.effects
    assert isinstance(record, StorageWrite)
    assert win == LeaderboardWrite(
        leaderboard_id=WINS_LEADERBOARD,
        operator=Operator.INCREMENT,
        owner_id="bob",
        username="bob",
        score=1,
        subscore=0,
        metadata=b'{"game":"0b9e.node1.1"}',
        expires_unix_ms=NOON + driver.now_ms + DAY_MS,
        quota=Quota("set_pairs", "20261201.ann.bob", 3),
    )


def test_draw_is_in_no_leaderboard() -> None:
    driver = started({"timeLimitSeconds": 10})
    driver.wait(10_000)
    assert driver.bodies(OpCode.MATCH_ENDED)[0]["draw"]
    assert driver.effects == []


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
    assert parts(record) == []
    change(record)
    assert parts(record)


def test_record_with_an_incomplete_log_is_detected(finished: bytes) -> None:
    record = json.loads(finished)
    del record["log"][5:]
    assert parts(record) == ["the replayed game does not end: the log is not complete"]


def test_truncated_record_reports_the_missing_lines(finished: bytes) -> None:
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
        parts(record)


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
    assert parts(record) == []


def test_no_game_begins_in_the_call_that_ends_another() -> None:
    """All lines of a call go into one record, so a claim on the next deck must not reach the old one."""
    driver = started({"mode": "SINGLE_PLAYER"}, "ann")
    while len(driver.sets) > 1 or driver.session.drawn < 81:
        driver.claim_set("ann")
    guess = find_sets_among(Deck(2).order[:12])[0]
    driver.loop(claim("ann", driver.sets[0], "last"), rematch("ann"), claim("ann", guess, "first"))
    assert [message["reason"] for message in driver.bodies(OpCode.CLAIM_REJECTED)] == [
        "CLAIM_REASON_NOT_ALLOWED",
        "CLAIM_REASON_MATCH_OVER",
    ]
    driver.loop(rematch("ann"))
    driver.settle()
    play_to_the_end(driver, "ann")
    assert [differences(parse_record(record)) for record in driver.records.values()] == [[], []]
