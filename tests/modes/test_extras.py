"""Hints, bots and people who watch, in every mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from demo import messages as wire
from demo.nakama_socket import NakamaError
from demo.vocabulary import Op, Reason
from tests.modes.party import DAILY, INSTANT, LOCAL, ONLINE, SINGLE, each_mode, options_of, party
from tests.nakama.conftest import everything_but_time

if TYPE_CHECKING:
    from demo.player import Player
    from tests.modes.conftest import Waiting
    from tests.native.room import Room

pytestmark = pytest.mark.nakama

INVALID_ARGUMENT = 3
JOIN_REJECTED = 5
FASTEST_MS = 1_800
SLOWEST_MS = 5_000
TICK_MS = 50


def refused_option(room: Room, mode: str, **options: Any) -> str:
    with pytest.raises(NakamaError) as refused:
        room.match(**options_of(mode, **options))
    assert refused.value.code == INVALID_ARGUMENT
    return refused.value.reason


@each_mode("hints", SINGLE, DAILY)
def test_a_hint_names_a_set_to_who_asked_and_changes_nothing(room: Room, mode: str) -> None:
    seated = party(room, mode, hints=True)
    host, watcher = seated.host, room.sit(seated.match_id)
    before = seated.places[0].idle()
    host.send(Op.HINT, {})
    hint = host.wait_for(wire.HintResult)
    assert tuple(sorted(hint.card_ids)) in host.table.sets
    assert everything_but_time(host.sync()) == everything_but_time(before)
    watcher.sync()
    assert not any(isinstance(heard, wire.HintResult) for heard in watcher.heard)
    assert seated.places[0].judged(hint.card_ids).valid


@each_mode("hints", ONLINE, LOCAL)
def test_where_people_compete_hints_cannot_be_chosen(room: Room, mode: str) -> None:
    assert refused_option(room, mode, hints=True).startswith("INVALID_ARGUMENT: hints is True")


@each_mode("hints")
def test_without_the_option_nobody_gets_a_hint(room: Room, mode: str) -> None:
    host = party(room, mode).host
    host.send(Op.HINT, {})
    assert host.wait_for(wire.ClaimRejected).reason == Reason.NOT_ALLOWED


def claims_of(player: Player, seat: int) -> list[wire.ClaimResult]:
    return [heard for heard in player.heard if isinstance(heard, wire.ClaimResult) and heard.seat == seat]


@each_mode("bots", ONLINE, SINGLE, LOCAL)
def test_a_bot_plays_its_seat_at_a_human_pace(waiting: Waiting, mode: str) -> None:
    seated = waiting.with_a_bot[mode]
    dealt = next(heard for heard in seated.host.heard if isinstance(heard, wire.MatchStarted))
    bot = dealt.players[-1]
    assert (bot.bot, bot.user_id, bot.username) == (True, "", "Bot 1")
    while not claims_of(seated.host, bot.seat):
        seated.host.receive()
    claim = claims_of(seated.host, bot.seat)[0]
    judged_ms = claim.locked_until_ms if claim.valid else claim.player.locked_until_ms
    assert judged_ms is not None
    assert FASTEST_MS <= judged_ms - dealt.now_ms <= SLOWEST_MS + TICK_MS


@each_mode("bots", DAILY)
def test_the_daily_board_is_played_without_bots(room: Room, mode: str) -> None:
    assert "bots" in refused_option(room, mode, bots=[{"level": "EASY"}])


@each_mode("watching")
def test_who_has_no_seat_sees_everything_and_may_do_nothing(room: Room, mode: str) -> None:
    seated = party(room, mode)
    watcher = room.sit(seated.match_id)
    assert watcher.sync().your_seats == []
    claim = watcher.verdict(watcher.claim_set())
    assert isinstance(claim, wire.ClaimRejected)
    assert claim.reason == Reason.SPECTATOR
    for op_code in (Op.READY, Op.REMATCH):
        watcher.send(op_code, {})
        assert watcher.wait_for(wire.ClaimRejected).reason == Reason.SPECTATOR
    taken = seated.places[0].take_set()
    assert watcher.wait_for(wire.ClaimResult) == taken
    watcher.sync()


@each_mode("watching")
def test_where_the_options_say_so_nobody_watches(room: Room, mode: str) -> None:
    seated = party(room, mode, allowSpectators=False)
    with pytest.raises(NakamaError, match="match already started") as refused:
        room.sit(seated.match_id)
    assert refused.value.code == JOIN_REJECTED


@pytest.mark.fault("F19")
@pytest.mark.proves("watching", ONLINE)
def test_who_asks_to_watch_takes_no_seat(room: Room) -> None:
    match_id = room.match(maxPlayers=2, animationMs=INSTANT)
    watcher = room.sit(match_id, metadata={"spectate": "true"})
    assert watcher.sync().your_seats == []
    players = [room.sit(match_id) for _ in range(2)]
    assert [player.sync().your_seats for player in players] == [[0], [1]]
    assert watcher.wait_for(wire.MatchStarted).game == 1
