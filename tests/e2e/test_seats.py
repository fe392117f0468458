"""Seats: joins, rejected joins, reservations before the start, leaves and reconnects."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from demo.client import messages as wire
from demo.client.nakama_socket import NakamaError
from demo.client.vocabulary import Change, End, Op, Reason
from tests.e2e.matches import INSTANT, ONLINE, options_of, start_match
from tests.e2e.test_presence import wait_until_unlisted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from demo.client.nakama_client import NakamaClient
    from demo.client.player import Player
    from tests.support.clients import Room

pytestmark = pytest.mark.nakama

JOIN_REJECTED = 5
USERS = 20
NO_ANSWER_WITHIN_S = 0.3
SEED = 4711
"""The first board of this deck has a Set, so that there is no expansion."""


def join_error(room: Room, match_id: str, metadata: Mapping[str, str] | None = None) -> str:
    """Join as a new user and return the error text."""
    with pytest.raises(NakamaError) as error:
        room.sit(match_id, metadata=metadata)
    assert error.value.code == JOIN_REJECTED
    return error.value.reason


def spectate_error(room: Room, match_id: str) -> str:
    """Join as a spectator and return the error text."""
    return join_error(room, match_id, {"spectate": "true"})


@pytest.mark.thread(2)
@pytest.mark.fault("F21")
@pytest.mark.proves("reconnect", ONLINE)
def test_second_join_on_the_same_socket_changes_nothing(room: Room) -> None:
    match = start_match(room, ONLINE)
    player = match.first
    before = player.sync()
    answer = player._socket.join_match(player.match_id)
    assert answer["match_id"] == player.match_id
    after = player.sync()
    assert (after.seq, after.your_seats, len(after.players)) == (before.seq, [0], 2)
    assert match.seats[0].take_set().valid


@pytest.mark.thread(13)
@pytest.mark.fault("F19")
@pytest.mark.proves("spectators", ONLINE)
def test_rejected_join_returns_the_reason(room: Room) -> None:
    options = options_of(ONLINE, allowSpectators=False, timeLimitSeconds=3, reconnectWindowSeconds=3)
    match_id = room.match(**options)
    one, late_user = room.sit(match_id), room.user()
    disconnected = room.sit(room.match(**{**options, "maxPlayers": 2}))
    disconnected.break_connection()
    waiting = room.sit(disconnected.match_id)
    assert waiting.sync().game == 0
    assert join_error(room, disconnected.match_id) == "match full"
    two = room.sit(match_id, late_user)
    assert join_error(room, match_id) == "match already started"
    two.wait_for(wire.MatchEnded)
    assert join_error(room, match_id) == "match over"
    assert spectate_error(room, match_id) == "match over"
    one.leave()


@pytest.mark.thread(12, 13)
@pytest.mark.proves("spectators", ONLINE)
def test_spectator_is_rejected_if_not_allowed(room: Room) -> None:
    match_id = room.match(**options_of(ONLINE, allowSpectators=False))
    assert spectate_error(room, match_id) == "spectators not allowed"
    assert room.sit(match_id).sync().your_seats == [0]


@pytest.mark.thread(12)
@pytest.mark.parametrize(
    "metadata",
    [{}, {"spectate": "false"}, {"unknown": "x"}, {"v": "9" * 2000}, {"": ""}],
    ids=["none", "no", "unknown", "large", "nameless"],
)
def test_join_without_spectate_metadata_gets_a_seat(room: Room, metadata: dict[str, str]) -> None:
    player = room.sit(room.match(**options_of(ONLINE)), metadata=metadata)
    assert player.sync().your_seats == [0]


def test_error_names_the_invalid_join_metadata(room: Room) -> None:
    with pytest.raises(NakamaError, match="metadata spectate is 'no': allowed are true and false"):
        room.sit(room.match(**options_of(ONLINE)), metadata={"spectate": "no"})


@pytest.mark.thread(13)
@pytest.mark.proves("start", ONLINE)
def test_concurrent_joins_fill_exactly_two_seats(room: Room) -> None:
    match_id = room.match(**options_of(ONLINE, allowSpectators=False))
    users = [room.user() for _ in range(USERS)]
    with ThreadPoolExecutor(USERS) as pool:
        results = list(pool.map(lambda user: player_or_error(room, match_id, user), users))
    players = [player for player in results if not isinstance(player, str)]
    assert sorted(seat for player in players for seat in player.sync().your_seats) == [0, 1]
    errors = {error for error in results if isinstance(error, str)}
    assert errors <= {"match full", "match already started"}


def player_or_error(room: Room, match_id: str, user: NakamaClient) -> Player | str:
    """Join, and return the player or the error text."""
    try:
        return room.sit(match_id, user)
    except NakamaError as error:
        return error.reason


@pytest.mark.proves("start", ONLINE)
def test_leave_before_the_start_frees_the_seat(room: Room) -> None:
    match_id = room.match(**options_of(ONLINE, maxPlayers=3))
    first, second = room.sit(match_id), room.sit(match_id)
    first.leave()
    assert second.wait_for(wire.Snapshot).your_seats == [0]
    second.sync()
    third, fourth = room.sit(match_id), room.sit(match_id)
    assert [player.sync().your_seats for player in (second, third, fourth)] == [[0], [1], [2]]


@pytest.mark.proves("start", ONLINE)
def test_lost_connection_before_the_start_keeps_its_seat(room: Room) -> None:
    match_id = room.match(**options_of(ONLINE))
    first = room.sit(match_id)
    first.break_connection()
    second = room.sit(match_id)
    assert second.sync().game == 0
    first.rejoin()
    assert [player.wait_for(wire.MatchStarted).game for player in (first, second)] == [1, 1]
    assert [player.sync().your_seats for player in (first, second)] == [[0], [1]]


@pytest.mark.proves("leave", ONLINE)
def test_last_player_wins_with_any_score(room: Room) -> None:
    first, second, third = start_match(room, ONLINE, maxPlayers=3).seats
    first.take_set()
    second.take_set()
    first.player.leave()
    third.player.wait_for(wire.PlayerChanged)
    assert third.player.model.playing
    second.player.leave()
    ended = third.player.wait_for(wire.MatchEnded)
    assert (ended.reason, ended.winner_seat) == (End.LAST_PLAYER_STANDING, third.number)
    standings = [line.player.seat for line in ended.standings]
    assert standings == [third.number, first.number, second.number]


@pytest.mark.proves("leave", ONLINE)
def test_claim_after_leave_and_rejoin_is_rejected(room: Room) -> None:
    left, other, _ = start_match(room, ONLINE, maxPlayers=3).players
    left.leave()
    other.wait_for(wire.PlayerChanged)
    left.rejoin()
    answer = left.wait_for_answer(left.claim_set())
    assert isinstance(answer, wire.ClaimRejected)
    assert answer.reason == Reason.FORFEITED


@pytest.mark.fault("F5")
@pytest.mark.thread(3, 4)
@pytest.mark.proves("leave", ONLINE)
def test_match_without_players_ends_despite_a_spectator(room: Room) -> None:
    match = start_match(room, ONLINE, maxPlayers=3)
    spectator = room.sit(match.match_id)
    for player in match.players:
        player.leave()
    assert spectator.wait_for(wire.MatchEnded).reason == End.LAST_PLAYER_STANDING
    wait_until_unlisted(spectator.client, match.match_id)


@pytest.mark.fault("F5")
@pytest.mark.proves("time limit", ONLINE)
def test_game_with_spectators_only_ends_at_the_time_limit(room: Room) -> None:
    match = start_match(room, ONLINE, timeLimitSeconds=1)
    spectator = room.sit(match.match_id)
    for player in match.players:
        player.break_connection()
    assert spectator.wait_for(wire.MatchEnded).reason == End.TIME_UP
    wait_until_unlisted(spectator.client, match.match_id)


@pytest.mark.proves("start", ONLINE)
def test_two_matches_on_one_socket_stay_separate(room: Room) -> None:
    match = start_match(room, ONLINE, seed=SEED)
    second = room.match(**options_of(ONLINE), seed=SEED)
    socket = match.first._socket
    socket.join_match(second)
    opponent = room.sit(second)
    assert opponent.sync().your_seats == [1]
    messages: list[tuple[str, int]] = []
    while (second, Op.MATCH_STARTED) not in messages:
        data = socket.receive()
        messages.append((data.match_id, data.op_code))
    assert messages[0] == (second, Op.SNAPSHOT)
    assert {match_id for match_id, _ in messages} == {second}
    match.players[1].leave()
    assert match.first.wait_for(wire.MatchEnded).winner_seat == 0


@pytest.mark.thread(14)
@pytest.mark.proves("leave", ONLINE)
def test_claims_after_leave_or_end_have_no_effect(room: Room) -> None:
    match = start_match(room, ONLINE)
    left, stayed = match.seats
    cards = stayed.player.first_set()
    left.player.leave()
    stayed.player.wait_for(wire.MatchEnded)
    left.claim(cards, "after the leave")
    with pytest.raises(TimeoutError):
        left.player.receive(within_s=NO_ANSWER_WITHIN_S)
    answer = stayed.player.wait_for_answer(stayed.claim(cards, "after the end"))
    assert isinstance(answer, wire.ClaimRejected)
    assert answer.reason == Reason.MATCH_OVER
    stayed.player.leave()
    wait_until_unlisted(stayed.player.client, match.match_id)
    stayed.claim(cards, "without a match")
    time.sleep(NO_ANSWER_WITHIN_S)
    assert start_match(room, ONLINE, maxPlayers=2).seats[0].take_set().valid


@pytest.mark.proves("reconnect timeout", ONLINE)
def test_reconnect_is_possible_only_within_the_window(room: Room) -> None:
    in_time, too_late, stayed = start_match(room, ONLINE, maxPlayers=3, reconnectWindowSeconds=1).seats
    in_time.player.break_connection()
    in_time.player.rejoin()
    too_late.player.break_connection()
    forfeited = stayed.player.wait_for(wire.PlayerChanged, lambda message: message.change == Change.FORFEITED)
    assert forfeited.player.seat == too_late.number
    too_late.player.rejoin()
    answer = too_late.player.wait_for_answer(too_late.claim(too_late.player.first_set(), "too late"))
    assert isinstance(answer, wire.ClaimRejected)
    assert answer.reason == Reason.FORFEITED
    assert in_time.take_set().valid


@pytest.mark.proves("reconnect", ONLINE)
def test_lost_connection_forfeits_with_a_window_of_zero(room: Room) -> None:
    match = start_match(room, ONLINE, reconnectWindowSeconds=0)
    match.first.break_connection()
    assert match.players[1].wait_for(wire.MatchEnded).reason == End.LAST_PLAYER_STANDING


@pytest.mark.proves("start", ONLINE)
def test_match_of_one_player_starts(room: Room) -> None:
    player = room.sit(room.match(maxPlayers=1, animationMs=INSTANT))
    assert player.wait_for(wire.MatchStarted).options.min_players == 1
