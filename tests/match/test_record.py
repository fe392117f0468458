"""The record of a game: its content, its key and its size."""

import json
import re

import msgspec

from match_handler.match.record import COLLECTION, MAX_CLAIMS, NOBODY_READS, Line
from match_handler.match.replay import differences, parse_record
from match_handler.match.state import encode_state
from match_handler.match.step import StorageWrite
from match_handler.match.timing import LAST_MS
from match_handler.protocol.payloads import OpCode
from set_core.deck import Deck
from set_core.validator import find_sets_among
from tests.match.driver import MatchDriver, play_to_the_end, started
from tests.match.messages import claim, rematch
from tests.match.records import finished_game, record_of, replay

MAX_RECORD_BYTES = 1 << 20
"""The limit of the plugin (nakama/internal/match/record.go)."""


def test_second_game_has_its_own_record() -> None:
    driver = started()
    play_to_the_end(driver)
    driver.loop(rematch("ann"), rematch("bob"))
    driver.settle()
    play_to_the_end(driver)
    first, second = (json.loads(raw) for raw in driver.records.values())
    assert (first["game"], second["game"]) == (1, 2)
    assert [ended["recordKey"] for ended in driver.bodies(OpCode.MATCH_ENDED)] == list(driver.records)
    assert replay(first) == replay(second) == []
    assert first["deck"] != second["deck"]


def test_terminated_match_replays() -> None:
    driver = started()
    driver.claim_set("ann")
    driver.terminate()
    assert replay(record_of(driver)) == []
    assert record_of(driver)["log"][-1] == {"atMs": driver.now_ms, "kind": "end", "reason": "TERMINATED"}


def test_record_has_players_moves_and_result() -> None:
    record = record_of(finished_game())
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
    assert replay(record_of(driver)) == []


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
    assert replay(record_of(driver)) == []


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
    assert replay(json.loads(raw)) == []


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
