"""A game from the first board to its end, in every mode."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import cycle
from typing import TYPE_CHECKING

import pytest

from demo.client import messages as wire
from demo.client.sets import CARDS, a_non_set, all_sets
from demo.client.vocabulary import End, Op, Phase, Reason
from set_core.deck import Deck, daily_seed
from tests.e2e.matches import (
    DAILY,
    INSTANT,
    LOCAL,
    ONLINE,
    SINGLE,
    M,
    Seat,
    each_mode,
    options_of,
    start_match,
)

if TYPE_CHECKING:
    from demo.client.player import Player
    from tests.support.clients import Room

pytestmark = pytest.mark.nakama

SEED = 4711
BURST = 20
"""Claims of each player."""


def deck_of(seed: int) -> list[int]:
    """Return the card ids of the deck of a seed, in draw order."""
    return [card.id for card in Deck(seed).draw(CARDS)]


def play_to_the_end(seats: list[Seat]) -> None:
    """Let each seat in turn claim a Set until the game is over."""
    for seat in cycle(seats):
        if seat.wait_until_idle().phase == Phase.MATCH_END:
            return
        assert seat.claim_result(seat.player.first_set()).valid


@pytest.mark.proves("start", SINGLE, LOCAL, DAILY)
@pytest.mark.parametrize("mode", [SINGLE, LOCAL, DAILY])
def test_game_for_one_user_starts_at_the_join(room: Room, mode: str) -> None:
    player = room.sit(room.match(**options_of(mode)))
    started = player.wait_for(wire.MatchStarted)
    assert [seat.username for seat in started.players] == (
        ["Ann", "Ben"] if mode == LOCAL else [player.client.username]
    )


@pytest.mark.proves("start", ONLINE)
@pytest.mark.parametrize("seats", range(2, 9))
def test_full_match_starts_with_seats_in_join_order(room: Room, seats: int) -> None:
    match_id = room.match(maxPlayers=seats, animationMs=INSTANT)
    players = [room.sit(match_id) for _ in range(seats - 1)]
    assert {player.sync().phase for player in players} == {Phase.WAITING}
    players.append(room.sit(match_id))
    for player in players:
        assert player.wait_for(wire.MatchStarted).game == 1
    assert [player.sync().your_seats for player in players] == [[seat] for seat in range(seats)]


@pytest.mark.proves("start", ONLINE)
def test_match_starts_before_it_is_full_if_all_are_ready(room: Room) -> None:
    match_id = room.match(maxPlayers=8, animationMs=INSTANT)
    players = [room.sit(match_id) for _ in range(3)]
    for player in players[:2]:
        player.send(Op.READY, {})
    assert players[2].sync().phase == Phase.WAITING
    players[2].send(Op.READY, {})
    for player in players:
        assert len(player.wait_for(wire.MatchStarted).players) == 3


@each_mode("deck", SINGLE, LOCAL)
def test_seed_deals_the_documented_order(room: Room, mode: str) -> None:
    board = start_match(room, mode, seed=SEED).first.model.board
    assert board == deck_of(SEED)[:12]


@each_mode("deck", ONLINE)
def test_decks_of_online_matches_differ(room: Room, mode: str) -> None:
    decks = []
    for _ in range(3):
        one, other = start_match(room, mode).players
        other.leave()
        decks.append(one.wait_for(wire.MatchEnded).deck)
    assert all(sorted(deck) == list(range(CARDS)) for deck in decks)
    assert len({tuple(deck) for deck in decks}) == 3


@pytest.mark.fault("F29")
@each_mode("deck", DAILY)
def test_daily_board_is_equal_for_all_on_one_utc_day(room: Room, mode: str) -> None:
    before = datetime.now(UTC).date()
    boards = [start_match(room, mode).first.model.board for _ in range(2)]
    days = {before, datetime.now(UTC).date()}
    assert all(board in [deck_of(daily_seed(day))[:12] for day in days] for board in boards)
    assert boards[0] == boards[1] or len(days) == 2


@each_mode("whole game")
def test_game_ends_when_the_deck_is_exhausted(room: Room, mode: str) -> None:
    match = start_match(room, mode)
    play_to_the_end(match.seats)
    for player in match.players:
        player.sync()
    ends = [player.model.results for player in match.players]
    assert ends[0] is not None
    assert ends[0].reason == End.DECK_EXHAUSTED
    board = match.first.model.board
    assert all_sets(board) == []
    taken = sum(line.player.sets_collected for line in ends[0].standings)
    assert 3 * taken + len(board) == CARDS
    assert all(end == ends[0] for end in ends)


@pytest.mark.proves("whole game", ONLINE)
@pytest.mark.fault("F11", "F12")
def test_eight_players_have_equal_boards_to_the_end(room: Room) -> None:
    match = start_match(room, ONLINE, maxPlayers=8)
    play_to_the_end(match.seats)
    ends = [
        player.wait_for(wire.MatchEnded) if player.model.playing else player.model.results
        for player in match.players
    ]
    assert all(end == ends[0] for end in ends)
    for player in match.players:
        player.sync()


@pytest.mark.thread(15)
@pytest.mark.proves("whole game", ONLINE)
def test_burst_of_claims_has_one_order_for_all_clients(room: Room) -> None:
    match = start_match(room, ONLINE, maxPlayers=8)
    late_reader = match.players[-1]
    for number in range(BURST):
        for seat in match.seats:
            seat.claim(a_non_set(seat.player.model.board), f"{seat.number}-{number}")
    for seat in match.seats:
        while len(own_results(seat)) + len(received(seat.player, wire.ClaimRejected)) < BURST:
            seat.player.receive()
    counts = [len(own_results(seat)) for seat in match.seats]
    assert all(counts)
    for player in match.players:
        while len(received(player, wire.ClaimResult)) < sum(counts):
            player.receive()
        assert {message.reason for message in received(player, wire.ClaimRejected)} <= {Reason.LOCKED}
    expected = received(late_reader, wire.ClaimResult)
    assert all(received(player, wire.ClaimResult) == expected for player in match.players)
    assert [line.invalid_attempts for line in late_reader.sync().players] == counts


def own_results(seat: Seat) -> list[wire.ClaimResult]:
    """Return the results of the claims of a seat."""
    return [result for result in received(seat.player, wire.ClaimResult) if result.seat == seat.number]


def received(player: Player, kind: type[M]) -> list[M]:
    """Return the messages of a kind that a player has received."""
    return [message for message in player.messages if isinstance(message, kind)]


@each_mode("time limit")
def test_game_ends_exactly_at_the_time_limit(room: Room, mode: str) -> None:
    match = start_match(room, mode, timeLimitSeconds=1)
    for ended in match.wait_for(wire.MatchEnded):
        assert (ended.reason, ended.duration_ms) == (End.TIME_UP, 1000)
        assert {line.player.time_remaining_ms for line in ended.standings} == {0}
    answer = match.first.wait_for_answer(match.seats[0].claim([0, 1, 2], "late"))
    assert isinstance(answer, wire.ClaimRejected)
    assert answer.reason == Reason.MATCH_OVER
