"""A game from its start to its end, in every mode."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import cycle
from typing import TYPE_CHECKING

import pytest

from demo import messages as wire
from demo.sets import CARDS, a_non_set, all_sets
from demo.vocabulary import End, Op, Phase, Reason
from set_core.deck import Deck, daily_seed
from tests.modes.party import DAILY, INSTANT, LOCAL, ONLINE, SINGLE, Place, each_mode, options_of, party

if TYPE_CHECKING:
    from demo.player import Player
    from tests.native.room import Room

pytestmark = pytest.mark.nakama

SEED = 4711
SECOND_MS = 1000
BURST = 20


def deck_of(seed: int) -> list[int]:
    return [card.id for card in Deck(seed).draw(CARDS)]


def to_the_end(places: list[Place]) -> None:
    """Take turns until nothing is left to take."""
    for place in cycle(places):
        if place.idle().phase == Phase.MATCH_END:
            return
        assert place.judged(place.player.a_set()).valid


@pytest.mark.proves("start", SINGLE, LOCAL, DAILY)
@pytest.mark.parametrize("mode", [SINGLE, LOCAL, DAILY])
def test_a_game_for_one_user_starts_when_they_come(room: Room, mode: str) -> None:
    host = room.sit(room.match(**options_of(mode)))
    started = host.wait_for(wire.MatchStarted)
    assert [player.username for player in started.players] == (
        ["Ann", "Ben"] if mode == LOCAL else [host.client.username]
    )


@pytest.mark.proves("start", ONLINE)
@pytest.mark.parametrize("seats", range(2, 9))
def test_a_table_starts_when_the_last_seat_is_taken_in_the_order_of_coming(room: Room, seats: int) -> None:
    match_id = room.match(maxPlayers=seats, animationMs=INSTANT)
    players = [room.sit(match_id) for _ in range(seats - 1)]
    assert {player.sync().phase for player in players} == {Phase.WAITING}
    players.append(room.sit(match_id))
    for player in players:
        assert player.wait_for(wire.MatchStarted).game == 1
    assert [player.sync().your_seats for player in players] == [[seat] for seat in range(seats)]


@pytest.mark.proves("start", ONLINE)
def test_those_who_are_there_may_start_before_the_table_is_full(room: Room) -> None:
    match_id = room.match(maxPlayers=8, animationMs=INSTANT)
    players = [room.sit(match_id) for _ in range(3)]
    for player in players[:2]:
        player.send(Op.READY, {})
    assert players[2].sync().phase == Phase.WAITING
    players[2].send(Op.READY, {})
    for player in players:
        assert len(player.wait_for(wire.MatchStarted).players) == 3


@each_mode("deck", SINGLE, LOCAL)
def test_a_chosen_seed_deals_its_documented_order(room: Room, mode: str) -> None:
    host = party(room, mode, seed=SEED).host
    assert host.table.board == deck_of(SEED)[:12]


@each_mode("deck", ONLINE)
def test_nobody_can_know_the_order_of_an_online_deck(room: Room, mode: str) -> None:
    decks = []
    for _ in range(3):
        seated = party(room, mode)
        seated.players[1].leave()
        decks.append(seated.host.wait_for(wire.MatchEnded).deck)
    assert all(sorted(deck) == list(range(CARDS)) for deck in decks)
    assert len({tuple(deck) for deck in decks}) == 3


@pytest.mark.fault("F29")
@each_mode("deck", DAILY)
def test_everybody_gets_the_same_board_on_one_utc_day(room: Room, mode: str) -> None:
    before = datetime.now(UTC).date()
    boards = [party(room, mode).host.table.board for _ in range(2)]
    days = {before, datetime.now(UTC).date()}
    assert all(board in [deck_of(daily_seed(day))[:12] for day in days] for board in boards)
    assert boards[0] == boards[1] or len(days) == 2


@each_mode("whole game")
def test_a_game_is_played_to_its_natural_end(room: Room, mode: str) -> None:
    seated = party(room, mode)
    to_the_end(seated.places)
    for player in seated.players:
        player.sync()
    ends = [player.table.results for player in seated.players]
    assert ends[0] is not None
    assert ends[0].reason == End.DECK_EXHAUSTED
    assert all_sets(seated.host.table.board) == []
    taken = sum(line.player.sets_collected for line in ends[0].standings)
    assert 3 * taken + len(seated.host.table.board) == CARDS
    assert all(end == ends[0] for end in ends)


@pytest.mark.proves("whole game", ONLINE)
@pytest.mark.fault("F11", "F12")
def test_eight_players_share_one_board_to_the_end(room: Room) -> None:
    seated = party(room, ONLINE, maxPlayers=8)
    to_the_end(seated.places)
    ends = [
        player.wait_for(wire.MatchEnded) if player.table.playing else player.table.results
        for player in seated.players
    ]
    assert all(end == ends[0] for end in ends)
    for player in seated.players:
        player.sync()


@pytest.mark.thread(15)
@pytest.mark.proves("whole game", ONLINE)
def test_a_burst_of_claims_reaches_everybody_in_one_order_also_who_reads_late(room: Room) -> None:
    seated = party(room, ONLINE, maxPlayers=8)
    late = seated.players[-1]
    for number in range(BURST):
        for place in seated.places:
            place.claim(a_non_set(place.player.table.board), f"{place.seat}-{number}")
    for place in seated.places:
        while len(own_results(place)) + len(rejections_of(place.player)) < BURST:
            place.player.receive()
    judged = [len(own_results(place)) for place in seated.places]
    for player in seated.players:
        while len(results_of(player)) < sum(judged):
            player.receive()
        assert {heard.reason for heard in rejections_of(player)} <= {Reason.LOCKED}
    assert all(results_of(player) == results_of(late) for player in seated.players)
    assert [line.invalid_attempts for line in late.sync().players] == judged


def own_results(place: Place) -> list[wire.ClaimResult]:
    return [result for result in results_of(place.player) if result.seat == place.seat]


def rejections_of(player: Player) -> list[wire.ClaimRejected]:
    return [heard for heard in player.heard if isinstance(heard, wire.ClaimRejected)]


def results_of(player: Player) -> list[wire.ClaimResult]:
    return [heard for heard in player.heard if isinstance(heard, wire.ClaimResult)]


@each_mode("timed")
def test_a_time_limit_ends_the_game_on_the_millisecond(room: Room, mode: str) -> None:
    seated = party(room, mode, timeLimitSeconds=1)
    for ended in seated.everybody_hears(wire.MatchEnded):
        assert (ended.reason, ended.duration_ms) == (End.TIME_UP, SECOND_MS)
        assert {line.player.time_remaining_ms for line in ended.standings} == {0}
    answer = seated.host.verdict(seated.places[0].claim([0, 1, 2], "late"))
    assert isinstance(answer, wire.ClaimRejected)
    assert answer.reason == "CLAIM_REASON_MATCH_OVER"
