"""Seats: who gets one, who keeps it, what is refused and in which words."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from demo import messages as wire
from demo.nakama_socket import NakamaError
from demo.vocabulary import Change, End, Op, Reason
from tests.modes.party import INSTANT, ONLINE, options_of, party
from tests.modes.test_presence import wait_until_gone

if TYPE_CHECKING:
    from demo.nakama_client import NakamaClient
    from demo.player import Player
    from tests.native.room import Room

pytestmark = pytest.mark.nakama

JOIN_REJECTED = 5
RUSH = 20
QUIET_S = 0.3
SEED = 4711
"""It deals a board with a Set, so that nothing is added to it unasked."""


def refusal(room: Room, match_id: str, user: NakamaClient | None = None) -> str:
    with pytest.raises(NakamaError) as refused:
        room.sit(match_id, user)
    assert refused.value.code == JOIN_REJECTED
    return refused.value.reason


@pytest.mark.thread(2)
@pytest.mark.fault("F21")
@pytest.mark.proves("coming back", ONLINE)
def test_a_second_join_on_the_same_socket_changes_nothing(room: Room) -> None:
    seated = party(room, ONLINE)
    one = seated.host
    before = one.sync()
    answer = one._socket.join_match(one.match_id)
    assert answer["match_id"] == one.match_id
    after = one.sync()
    assert (after.seq, after.your_seats, len(after.players)) == (before.seq, [0], 2)
    assert seated.places[0].take_set().valid


@pytest.mark.thread(13)
@pytest.mark.fault("F19")
@pytest.mark.proves("watching", ONLINE)
def test_each_refusal_says_why(room: Room) -> None:
    closed = {"allowSpectators": False, "timeLimitSeconds": 3, "reconnectWindowSeconds": 3}
    match_id = room.match(**options_of(ONLINE, **closed))
    one, other = room.sit(match_id), room.user()
    lost = room.sit(room.match(**options_of(ONLINE, **closed, maxPlayers=2)))
    lost.drop()
    waiting = room.sit(lost.match_id)
    assert waiting.sync().game == 0
    assert refusal(room, lost.match_id) == "match full"
    two = room.sit(match_id, other)
    assert refusal(room, match_id) == "match already started"
    two.wait_for(wire.MatchEnded)
    assert refusal(room, match_id) == "match over"
    assert refusal_of_watching(room, match_id) == "match over"
    one.leave()


def refusal_of_watching(room: Room, match_id: str) -> str:
    with pytest.raises(NakamaError) as refused:
        room.sit(match_id, metadata={"spectate": "true"})
    return refused.value.reason


@pytest.mark.thread(12, 13)
@pytest.mark.proves("watching", ONLINE)
def test_a_wish_to_watch_is_refused_where_nobody_may(room: Room) -> None:
    match_id = room.match(**options_of(ONLINE, allowSpectators=False))
    assert refusal_of_watching(room, match_id) == "spectators not allowed"
    assert room.sit(match_id).sync().your_seats == [0]


@pytest.mark.thread(12)
@pytest.mark.parametrize(
    "metadata",
    [{}, {"spectate": "false"}, {"unknown": "x"}, {"v": "9" * 2000}, {"": ""}],
    ids=["none", "no", "unknown", "large", "nameless"],
)
def test_any_join_metadata_that_does_not_ask_to_watch_leads_to_a_seat(
    room: Room, metadata: dict[str, str]
) -> None:
    player = room.sit(room.match(**options_of(ONLINE)), metadata=metadata)
    assert player.sync().your_seats == [0]


def test_join_metadata_with_a_wrong_value_is_refused_by_name(room: Room) -> None:
    with pytest.raises(NakamaError, match="metadata spectate is 'no': allowed are true and false"):
        room.sit(room.match(**options_of(ONLINE)), metadata={"spectate": "no"})


@pytest.mark.thread(13)
@pytest.mark.proves("start", ONLINE)
def test_twenty_who_storm_a_table_of_two_get_exactly_its_two_seats(room: Room) -> None:
    match_id = room.match(**options_of(ONLINE, allowSpectators=False))
    users = [room.user() for _ in range(RUSH)]
    with ThreadPoolExecutor(RUSH) as pool:
        came = list(pool.map(lambda user: attempt(room, match_id, user), users))
    seated = [player for player in came if not isinstance(player, str)]
    assert sorted(seat for player in seated for seat in player.sync().your_seats) == [0, 1]
    assert {reason for reason in came if isinstance(reason, str)} <= {"match full", "match already started"}


def attempt(room: Room, match_id: str, user: NakamaClient) -> Player | str:
    try:
        return room.sit(match_id, user)
    except NakamaError as refused:
        return refused.reason


@pytest.mark.proves("start", ONLINE)
def test_a_seat_given_back_before_the_start_is_free_again(room: Room) -> None:
    match_id = room.match(**options_of(ONLINE, maxPlayers=3))
    first, second = room.sit(match_id), room.sit(match_id)
    first.leave()
    assert second.wait_for(wire.Snapshot).your_seats == [0]
    second.sync()
    third, fourth = room.sit(match_id), room.sit(match_id)
    assert [player.sync().your_seats for player in (second, third, fourth)] == [[0], [1], [2]]


@pytest.mark.proves("start", ONLINE)
def test_a_connection_lost_before_the_start_keeps_its_seat(room: Room) -> None:
    match_id = room.match(**options_of(ONLINE))
    first = room.sit(match_id)
    first.drop()
    second = room.sit(match_id)
    assert second.sync().game == 0
    first.rejoin()
    assert [player.wait_for(wire.MatchStarted).game for player in (first, second)] == [1, 1]
    assert [player.sync().your_seats for player in (first, second)] == [[0], [1]]


@pytest.mark.proves("leaving", ONLINE)
def test_of_three_the_last_one_standing_wins_whatever_the_score(room: Room) -> None:
    seated = party(room, ONLINE, maxPlayers=3)
    first, second, third = seated.places
    first.take_set()
    second.take_set()
    first.player.leave()
    third.player.wait_for(wire.PlayerChanged)
    assert third.player.table.playing
    second.player.leave()
    ended = third.player.wait_for(wire.MatchEnded)
    assert (ended.reason, ended.winner_seat) == (End.LAST_PLAYER_STANDING, third.seat)
    assert [line.player.seat for line in ended.standings] == [third.seat, first.seat, second.seat]


@pytest.mark.fault("F5")
@pytest.mark.thread(3, 4)
@pytest.mark.proves("leaving", ONLINE)
def test_when_everybody_is_gone_the_match_is_gone_though_somebody_watches(room: Room) -> None:
    seated = party(room, ONLINE, maxPlayers=3)
    watcher = room.sit(seated.match_id)
    for player in seated.players:
        player.leave()
    assert watcher.wait_for(wire.MatchEnded).reason == End.LAST_PLAYER_STANDING
    wait_until_gone(watcher.client, seated.match_id)


@pytest.mark.fault("F5")
@pytest.mark.proves("timed", ONLINE)
def test_a_game_that_only_spectators_attend_ends_by_itself(room: Room) -> None:
    seated = party(room, ONLINE, timeLimitSeconds=1)
    watcher = room.sit(seated.match_id)
    for player in seated.players:
        player.drop()
    assert watcher.wait_for(wire.MatchEnded).reason == End.TIME_UP
    wait_until_gone(watcher.client, seated.match_id)


@pytest.mark.proves("start", ONLINE)
def test_one_user_plays_two_matches_on_one_socket_without_mixing_them_up(room: Room) -> None:
    first, second = party(room, ONLINE, seed=SEED), room.match(**options_of(ONLINE), seed=SEED)
    socket = first.host._socket
    socket.join_match(second)
    opponent = room.sit(second)
    assert opponent.sync().your_seats == [1]
    told: list[tuple[str, int]] = []
    while (second, Op.MATCH_STARTED) not in told:
        data = socket.receive()
        told.append((data.match_id, data.op_code))
    assert told[0] == (second, Op.SNAPSHOT)
    assert {match_id for match_id, _ in told} == {second}
    first.players[1].leave()
    assert first.places[0].player.wait_for(wire.MatchEnded).winner_seat == 0


@pytest.mark.thread(14)
@pytest.mark.proves("leaving", ONLINE)
def test_after_leaving_and_after_the_end_nobody_is_hurt_by_late_claims(room: Room) -> None:
    seated = party(room, ONLINE)
    gone, stays = seated.places
    cards = stays.player.a_set()
    gone.player.leave()
    stays.player.wait_for(wire.MatchEnded)
    gone.claim(cards, "from outside")
    with pytest.raises(TimeoutError):
        gone.player.receive(within_s=QUIET_S)
    late = stays.player.verdict(stays.claim(cards, "late"))
    assert isinstance(late, wire.ClaimRejected)
    assert late.reason == Reason.MATCH_OVER
    stays.player.leave()
    wait_until_gone(stays.player.client, seated.match_id)
    stays.claim(cards, "to nobody")
    time.sleep(QUIET_S)
    assert party(room, ONLINE, maxPlayers=2).places[0].take_set().valid


@pytest.mark.proves("staying away", ONLINE)
def test_who_comes_back_within_the_window_plays_on_and_who_does_not_watches(room: Room) -> None:
    seated = party(room, ONLINE, maxPlayers=3, reconnectWindowSeconds=1)
    back, away, stays = seated.places
    back.player.drop()
    back.player.rejoin()
    away.player.drop()
    told = stays.player.wait_for(wire.PlayerChanged, lambda message: message.change == Change.FORFEITED)
    assert told.player.seat == away.seat
    away.player.rejoin()
    refused = away.player.verdict(away.claim(away.player.a_set(), "too late"))
    assert isinstance(refused, wire.ClaimRejected)
    assert refused.reason == Reason.FORFEITED
    assert back.take_set().valid


@pytest.mark.proves("coming back", ONLINE)
def test_a_window_of_zero_seconds_forgives_nothing(room: Room) -> None:
    seated = party(room, ONLINE, reconnectWindowSeconds=0)
    seated.host.drop()
    assert seated.players[1].wait_for(wire.MatchEnded).reason == End.LAST_PLAYER_STANDING


@pytest.mark.proves("start", ONLINE)
def test_a_table_of_one_is_no_different(room: Room) -> None:
    host = room.sit(room.match(maxPlayers=1, animationMs=INSTANT))
    assert host.wait_for(wire.MatchStarted).options.min_players == 1
