"""Hints, bots and spectators, in every mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from demo.client import messages as wire
from demo.client.nakama_socket import NakamaError
from demo.client.vocabulary import Op, Reason
from tests.e2e.matches import DAILY, INSTANT, LOCAL, ONLINE, SINGLE, each_mode, options_of, start_match
from tests.support.snapshots import without_times

if TYPE_CHECKING:
    from demo.client.player import Player
    from tests.e2e.conftest import LongMatches
    from tests.support.clients import Room

pytestmark = pytest.mark.nakama

INVALID_ARGUMENT = 3
JOIN_REJECTED = 5
FASTEST_MS = 1_800
SLOWEST_MS = 5_000
TICK_MS = 50


def option_error(room: Room, mode: str, **options: Any) -> str:
    """Create a match with invalid options and return the error text."""
    with pytest.raises(NakamaError) as error:
        room.match(**options_of(mode, **options))
    assert error.value.code == INVALID_ARGUMENT
    return error.value.reason


@each_mode("hints", SINGLE, DAILY)
def test_hint_shows_a_set_to_the_requesting_player_only(room: Room, mode: str) -> None:
    match = start_match(room, mode, hints=True)
    player, spectator = match.first, room.sit(match.match_id)
    before = match.seats[0].wait_until_idle()
    player.send(Op.HINT, {})
    hint = player.wait_for(wire.HintResult)
    assert tuple(sorted(hint.card_ids)) in player.model.sets
    assert without_times(player.sync()) == without_times(before)
    spectator.sync()
    assert not any(isinstance(message, wire.HintResult) for message in spectator.messages)
    assert match.seats[0].claim_result(hint.card_ids).valid


@each_mode("hints", ONLINE, LOCAL)
def test_hints_option_is_rejected_for_several_players(room: Room, mode: str) -> None:
    assert option_error(room, mode, hints=True).startswith("INVALID_ARGUMENT: hints is True")


@each_mode("hints")
def test_hint_is_rejected_without_the_option(room: Room, mode: str) -> None:
    player = start_match(room, mode).first
    player.send(Op.HINT, {})
    assert player.wait_for(wire.ClaimRejected).reason == Reason.NOT_ALLOWED


def results_of(player: Player, seat: int) -> list[wire.ClaimResult]:
    """Return the claim results of a seat that a player has received."""
    results = [message for message in player.messages if isinstance(message, wire.ClaimResult)]
    return [result for result in results if result.seat == seat]


@each_mode("bots", ONLINE, SINGLE, LOCAL)
def test_bot_claims_at_human_speed(long_matches: LongMatches, mode: str) -> None:
    player = long_matches.with_a_bot[mode].first
    started = next(message for message in player.messages if isinstance(message, wire.MatchStarted))
    bot = started.players[-1]
    assert (bot.bot, bot.user_id, bot.username) == (True, "", "Bot 1")
    while not results_of(player, bot.seat):
        player.receive()
    result = results_of(player, bot.seat)[0]
    claimed_ms = result.locked_until_ms if result.valid else result.player.locked_until_ms
    assert claimed_ms is not None
    assert FASTEST_MS <= claimed_ms - started.now_ms <= SLOWEST_MS + TICK_MS


@each_mode("bots", DAILY)
def test_bots_are_rejected_in_a_daily_challenge(room: Room, mode: str) -> None:
    assert "bots" in option_error(room, mode, bots=[{"level": "EASY"}])


@each_mode("spectators")
def test_spectator_receives_everything_and_cannot_act(room: Room, mode: str) -> None:
    match = start_match(room, mode)
    spectator = room.sit(match.match_id)
    assert spectator.sync().your_seats == []
    answer = spectator.wait_for_answer(spectator.claim_set())
    assert isinstance(answer, wire.ClaimRejected)
    assert answer.reason == Reason.SPECTATOR
    for op_code in (Op.READY, Op.REMATCH):
        spectator.send(op_code, {})
        assert spectator.wait_for(wire.ClaimRejected).reason == Reason.SPECTATOR
    result = match.seats[0].take_set()
    assert spectator.wait_for(wire.ClaimResult) == result
    spectator.sync()


@each_mode("spectators")
def test_join_is_rejected_if_spectators_are_not_allowed(room: Room, mode: str) -> None:
    match = start_match(room, mode, allowSpectators=False)
    with pytest.raises(NakamaError, match="match already started") as error:
        room.sit(match.match_id)
    assert error.value.code == JOIN_REJECTED


@pytest.mark.fault("F19")
@pytest.mark.proves("spectators", ONLINE)
def test_spectator_before_the_start_takes_no_seat(room: Room) -> None:
    match_id = room.match(maxPlayers=2, animationMs=INSTANT)
    spectator = room.sit(match_id, metadata={"spectate": "true"})
    assert spectator.sync().your_seats == []
    players = [room.sit(match_id) for _ in range(2)]
    assert [player.sync().your_seats for player in players] == [[0], [1]]
    assert spectator.wait_for(wire.MatchStarted).game == 1
