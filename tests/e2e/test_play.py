"""A game from the first board to its end, in every mode."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

import pytest

from demo.client import messages as wire
from demo.client.sets import CARDS, a_non_set, all_sets
from demo.client.vocabulary import End, Op, Phase, Reason
from tests.support.clients import LOCAL, MODES, ONLINE, SINGLE, each_mode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from demo.client.player import Player
    from tests.support.clients import Clients

pytestmark = pytest.mark.nakama

BURST = 20
"""Claims of each player."""


def play_to_the_end(players: Sequence[Player]) -> None:
    """Let each seat in turn claim a Set until the game is over."""
    seats = [(player, seat) for player in players for seat in player.seats]
    for player, seat in cycle(seats):
        if player.wait_until_idle(seat).phase == Phase.MATCH_END:
            return
        player.take_set(seat)


@pytest.mark.parametrize("mode", MODES[1:])
def test_game_for_one_user_starts_at_the_join(clients: Clients, mode: str) -> None:
    player = clients.join(clients.create_match(mode))
    started = player.wait_for(wire.MatchStarted)
    assert started.options.mode == f"MODE_{mode}"
    assert [seat.username for seat in started.players] == (
        ["Ann", "Ben"] if mode == LOCAL else [player.client.username]
    )


@pytest.mark.parametrize("seats", [2, 8])
def test_full_match_starts_with_seats_in_join_order(clients: Clients, seats: int) -> None:
    match_id = clients.create_match(maxPlayers=seats)
    players = [clients.join(match_id) for _ in range(seats - 1)]
    assert {player.sync().phase for player in players} == {Phase.WAITING}
    players.append(clients.join(match_id))
    for player in players:
        assert player.wait_for(wire.MatchStarted).game == 1
    assert [player.sync().your_seats for player in players] == [[seat] for seat in range(seats)]


def test_match_starts_before_it_is_full_if_all_are_ready(clients: Clients) -> None:
    match_id = clients.create_match(maxPlayers=8)
    players = [clients.join(match_id) for _ in range(3)]
    for player in players[:2]:
        player.send(Op.READY, {})
    assert players[2].sync().phase == Phase.WAITING
    players[2].send(Op.READY, {})
    for player in players:
        assert len(player.wait_for(wire.MatchStarted).players) == 3


@pytest.mark.fault("F11", "F12")
@pytest.mark.parametrize(("mode", "players"), [*((mode, {}) for mode in MODES), (ONLINE, {"maxPlayers": 8})])
def test_game_ends_when_the_deck_is_exhausted(clients: Clients, mode: str, players: dict[str, int]) -> None:
    match = clients.start_match(mode, **players)
    play_to_the_end(match)
    for player in match:
        player.sync()
    ends = [player.model.results for player in match]
    assert ends[0] is not None
    assert ends[0].reason == End.DECK_EXHAUSTED
    board = match[0].model.board
    assert all_sets(board) == []
    taken = sum(line.player.sets_collected for line in ends[0].standings)
    assert 3 * taken + len(board) == CARDS
    assert all(end == ends[0] for end in ends)


@pytest.mark.thread(15)
def test_burst_of_claims_has_one_order_for_all_clients(clients: Clients) -> None:
    players = clients.start_match(maxPlayers=8)
    for number in range(BURST):
        for player in players:
            player.claim(a_non_set(player.model.board), f"{player.seat}-{number}")
    for player in players:
        while len(own_results(player)) + len(player.received(wire.ClaimRejected)) < BURST:
            player.receive()
    counts = [len(own_results(player)) for player in players]
    assert all(counts)
    for player in players:
        while len(player.received(wire.ClaimResult)) < sum(counts):
            player.receive()
        assert {message.reason for message in player.received(wire.ClaimRejected)} <= {Reason.LOCKED}
    expected = players[-1].received(wire.ClaimResult)
    assert all(player.received(wire.ClaimResult) == expected for player in players)
    assert [line.invalid_attempts for line in players[-1].sync().players] == counts


def own_results(player: Player) -> list[wire.ClaimResult]:
    return [result for result in player.received(wire.ClaimResult) if result.seat == player.seat]


@each_mode
def test_game_ends_exactly_at_the_time_limit(clients: Clients, mode: str) -> None:
    players = clients.start_match(mode, timeLimitSeconds=1)
    for player in players:
        ended = player.wait_for(wire.MatchEnded)
        assert (ended.reason, ended.duration_ms) == (End.TIME_UP, 1000)
        assert {line.player.time_remaining_ms for line in ended.standings} == {0}
    answer = players[0].wait_for_answer(players[0].claim([0, 1, 2]))
    assert isinstance(answer, wire.ClaimRejected)
    assert answer.reason == Reason.MATCH_OVER


def test_bot_claims_without_an_input_of_a_player(clients: Clients) -> None:
    (player,) = clients.start_match(SINGLE, bots=[{"level": "HARD"}])
    bot = player.model.players[1]
    assert (bot.bot, bot.user_id, bot.username) == (True, "", "Bot 1")
    player.wait_for(wire.ClaimResult, lambda result: result.seat == bot.seat)
