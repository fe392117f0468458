"""After the end of a game: another game, or the end of the match (DESIGN section 7)."""

from match_handler.match.game import REMATCH_WINDOW_MS
from match_handler.protocol.payloads import OpCode
from tests.match.driver import MatchDriver, play_to_the_end, started
from tests.match.messages import rematch


def finished(*users: str, **options: object) -> MatchDriver:
    players = users or ("ann", "bob")
    driver = started({"maxPlayers": len(players), **options}, *players)
    play_to_the_end(driver, *players)
    return driver


def games(driver: MatchDriver) -> list[int]:
    return [message["game"] for message in driver.bodies(OpCode.MATCH_STARTED)]


def test_match_stays_open_30_seconds_after_the_end() -> None:
    driver = finished()
    end_ms = driver.session.ended_ms
    assert driver.wake_ms == end_ms + REMATCH_WINDOW_MS == end_ms + 30_000
    driver.wait(end_ms + REMATCH_WINDOW_MS - 1 - driver.now_ms)
    was_open = not driver.ended
    driver.wait(1)
    assert (was_open, driver.ended) == (True, True)


def test_rematch_votes_of_all_start_another_game() -> None:
    driver = finished()
    deck = driver.session.order
    (vote,) = driver.loop(rematch("ann"))
    assert vote.body["change"] == "PLAYER_CHANGE_READY"
    driver.loop(rematch("bob"))
    assert games(driver) == [1, 2]
    body = driver.bodies(OpCode.MATCH_STARTED)[-1]
    assert {player["score"] for player in body["players"]} == {0}
    assert {player["ready"] for player in body["players"]} == {False}
    assert driver.session.order != deck
    driver.wait(60_000)
    assert not driver.ended, "the old deadline is removed"


def test_only_connected_players_vote() -> None:
    driver = finished("ann", "bob", "cat")
    driver.disconnect("bob")
    driver.loop(rematch("ann"), rematch("cat"))
    assert games(driver) == [1, 2]
    assert [player["userId"] for player in driver.bodies(OpCode.MATCH_STARTED)[-1]["players"]] == [
        "ann",
        "cat",
    ]


def test_changed_seats_are_sent_to_all_connections() -> None:
    driver = finished("ann", "bob", "cat")
    driver.join("sue")
    driver.disconnect("ann")
    received = driver.loop(rematch("bob"), rematch("cat"))
    seats = {
        message.audience: message.body["yourSeats"]
        for message in received
        if message.op_code is OpCode.SNAPSHOT
    }
    assert seats == {("bob-1",): [0], ("cat-1",): [1], ("sue-1",): []}
    assert received[-1].body["game"] == 2
    assert driver.claim("cat", driver.sets[0], seat=1).body["valid"]


def test_unchanged_seats_need_no_snapshot() -> None:
    driver = finished()
    received = driver.loop(rematch("ann"), rematch("bob"))
    assert all(message.op_code is not OpCode.SNAPSHOT for message in received)


def test_leave_of_the_last_player_to_vote_starts_the_rematch() -> None:
    driver = finished("ann", "bob", "cat")
    driver.loop(rematch("ann"), rematch("bob"))
    driver.leave("cat")
    assert games(driver) == [1, 2]


def test_single_remaining_player_gets_no_rematch() -> None:
    driver = finished()
    driver.leave("bob")
    driver.loop(rematch("ann"))
    assert games(driver) == [1]
    driver.wait(REMATCH_WINDOW_MS)
    assert driver.ended


def test_vote_ends_with_its_connection() -> None:
    driver = finished("ann", "bob", "cat")
    driver.loop(rematch("ann"))
    driver.disconnect("ann")
    driver.join("ann", session="back")
    driver.loop(rematch("bob"), rematch("cat"))
    assert games(driver) == [1]


def test_forfeited_player_plays_the_rematch() -> None:
    driver = started({"maxPlayers": 3}, "ann", "bob", "cat")
    driver.leave("cat")
    driver.join("cat", session="back")
    play_to_the_end(driver, "ann", "bob")
    driver.loop(rematch("ann"), rematch("bob"))
    assert games(driver) == [1], "cat has not voted"
    driver.leave("cat", session="back")
    assert games(driver) == [1, 2]


def test_reconnect_after_the_end_keeps_the_seat() -> None:
    driver = finished()
    driver.disconnect("ann")
    received = driver.join("ann", session="back")
    assert received[0].body["yourSeats"] == [0]
    assert received[0].body["results"]["reason"] == "END_REASON_DECK_EXHAUSTED"
    assert received[1].body["change"] == "PLAYER_CHANGE_RECONNECTED"


def test_match_closes_when_all_players_left_after_the_end() -> None:
    driver = finished()
    driver.leave("ann")
    was_open = not driver.ended
    driver.disconnect("bob")
    assert (was_open, driver.ended) == (True, True)


def test_rematch_before_the_end_is_rejected() -> None:
    driver = MatchDriver()
    driver.join("ann")
    assert driver.send(rematch("ann")).body["reason"] == "CLAIM_REASON_NOT_STARTED"
    driver.join("bob")
    assert driver.send(rematch("ann")).body["reason"] == "CLAIM_REASON_NOT_ALLOWED"


def test_spectators_do_not_vote() -> None:
    driver = finished()
    driver.join("sue")
    assert driver.send(rematch("sue")).body["reason"] == "CLAIM_REASON_SPECTATOR"


def test_vote_after_the_match_is_closed_starts_nothing() -> None:
    driver = finished()
    driver.loop(rematch("ann"))
    driver.loop(rematch("bob"), after_ms=REMATCH_WINDOW_MS)
    assert driver.ended
    assert games(driver) == [1]
