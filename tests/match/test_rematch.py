"""After the end: another game, or the end of the match (DESIGN section 7)."""

from match_handler.match.game import REMATCH_WINDOW_MS
from match_handler.protocol.payloads import OpCode
from tests.match.driver import TableDriver, play_to_the_end, started
from tests.match.said import rematch


def finished(*users: str, **options: object) -> TableDriver:
    players = users or ("ann", "bob")
    table = started({"maxPlayers": len(players), **options}, *players)
    play_to_the_end(table, *players)
    return table


def games(table: TableDriver) -> list[int]:
    return [told["game"] for told in table.of(OpCode.MATCH_STARTED)]


def test_an_ended_match_stays_30_seconds() -> None:
    table = finished()
    end_ms = table.session.ended_ms
    assert table.wake_ms == end_ms + REMATCH_WINDOW_MS == end_ms + 30_000
    table.wait(end_ms + REMATCH_WINDOW_MS - 1 - table.now_ms)
    stayed = not table.ended
    table.wait(1)
    assert (stayed, table.ended) == (True, True)


def test_everybody_voting_begins_another_game() -> None:
    table = finished()
    deck = table.session.order
    (vote,) = table.loop(rematch("ann"))
    assert vote.body["change"] == "PLAYER_CHANGE_READY"
    table.loop(rematch("bob"))
    assert games(table) == [1, 2]
    told = table.of(OpCode.MATCH_STARTED)[-1]
    assert {player["score"] for player in told["players"]} == {0}
    assert {player["ready"] for player in told["players"]} == {False}
    assert table.session.order != deck
    table.wait(60_000)
    assert not table.ended, "the old deadline is forgotten"


def test_the_results_of_the_second_game_are_stored_apart() -> None:
    table = finished()
    table.loop(rematch("ann"), rematch("bob"))
    table.settle()
    play_to_the_end(table)
    assert len(table.records) == 2
    assert [ended["recordKey"] for ended in table.of(OpCode.MATCH_ENDED)] == list(table.records)


def test_only_those_who_are_there_vote() -> None:
    table = finished("ann", "bob", "cat")
    table.lose("bob")
    table.loop(rematch("ann"), rematch("cat"))
    assert games(table) == [1, 2]
    assert [player["userId"] for player in table.of(OpCode.MATCH_STARTED)[-1]["players"]] == ["ann", "cat"]


def test_seats_that_move_are_told_to_everybody() -> None:
    table = finished("ann", "bob", "cat")
    table.join("sue")
    table.lose("ann")
    heard = table.loop(rematch("bob"), rematch("cat"))
    seats = {told.audience: told.body["yourSeats"] for told in heard if told.op_code is OpCode.SNAPSHOT}
    assert seats == {("bob-1",): [0], ("cat-1",): [1], ("sue-1",): []}
    assert heard[-1].body["game"] == 2
    assert table.claim("cat", table.sets[0], seat=1).body["valid"]


def test_seats_that_stay_need_no_snapshot() -> None:
    table = finished()
    heard = table.loop(rematch("ann"), rematch("bob"))
    assert all(told.op_code is not OpCode.SNAPSHOT for told in heard)


def test_the_last_one_who_has_not_voted_leaves_and_the_rest_plays() -> None:
    table = finished("ann", "bob", "cat")
    table.loop(rematch("ann"), rematch("bob"))
    table.leave("cat")
    assert games(table) == [1, 2]


def test_one_of_two_alone_gets_no_rematch() -> None:
    table = finished()
    table.leave("bob")
    table.loop(rematch("ann"))
    assert games(table) == [1]
    table.wait(REMATCH_WINDOW_MS)
    assert table.ended


def test_a_vote_is_lost_with_the_connection() -> None:
    table = finished("ann", "bob", "cat")
    table.loop(rematch("ann"))
    table.lose("ann")
    table.join("ann", session="back")
    table.loop(rematch("bob"), rematch("cat"))
    assert games(table) == [1]


def test_who_was_out_plays_again() -> None:
    table = started({"maxPlayers": 3}, "ann", "bob", "cat")
    table.leave("cat")
    table.join("cat", session="back")
    play_to_the_end(table, "ann", "bob")
    table.loop(rematch("ann"), rematch("bob"))
    assert games(table) == [1], "cat has not voted"
    table.leave("cat", session="back")
    assert games(table) == [1, 2]


def test_who_comes_back_after_the_end_has_the_seat_still() -> None:
    table = finished()
    table.lose("ann")
    heard = table.join("ann", session="back")
    assert heard[0].body["yourSeats"] == [0]
    assert heard[0].body["results"]["reason"] == "END_REASON_DECK_EXHAUSTED"
    assert heard[1].body["change"] == "PLAYER_CHANGE_RECONNECTED"


def test_nobody_left_after_the_end_closes_the_match() -> None:
    table = finished()
    table.leave("ann")
    stayed = not table.ended
    table.lose("bob")
    assert (stayed, table.ended) == (True, True)


def test_a_rematch_before_the_end_is_refused() -> None:
    table = TableDriver()
    table.join("ann")
    assert table.say(rematch("ann")).body["reason"] == "CLAIM_REASON_NOT_STARTED"
    table.join("bob")
    assert table.say(rematch("ann")).body["reason"] == "CLAIM_REASON_NOT_ALLOWED"


def test_spectators_do_not_vote() -> None:
    table = finished()
    table.join("sue")
    assert table.say(rematch("sue")).body["reason"] == "CLAIM_REASON_SPECTATOR"


def test_a_vote_after_the_match_is_closed_starts_nothing() -> None:
    table = finished()
    table.loop(rematch("ann"))
    table.loop(rematch("bob"), after_ms=REMATCH_WINDOW_MS)
    assert table.ended
    assert games(table) == [1]
