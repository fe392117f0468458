"""Results, records, leaderboards, labels and rematches, in every mode."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from demo.client import messages as wire
from demo.client.sets import CARDS
from demo.client.vocabulary import Op, Status
from set_core.deck import Deck, daily_seed
from tests.e2e.matches import (
    DAILY,
    ENDED_BY_PENALTY,
    LOCAL,
    ONLINE,
    SINGLE,
    Seat,
    StartedMatch,
    each_mode,
    options_of,
    seats_of,
    start_match,
)
from tests.e2e.results import wait_for_entry, wait_for_record
from tests.e2e.test_play import play_to_the_end
from tests.support.clients import wait_until

if TYPE_CHECKING:
    from demo.client.nakama_client import NakamaClient
    from tests.support.clients import Room

pytestmark = pytest.mark.nakama

SEED = 31
LABEL_FIELDS = {"game", "mode", "key", "open", "players", "seats", "phase"}
DAY_MS = 86_400_000
SETTLE_S = 0.5


def daily_leaderboard() -> str:
    return f"set_daily_{datetime.now(UTC):%Y%m%d}"


def end_by_penalty(match: StartedMatch, loser: int = 0) -> wire.MatchEnded:
    """End a match that has the options ENDED_BY_PENALTY with an invalid claim of one seat."""
    match.seats[loser].claim_non_set()
    return match.wait_for(wire.MatchEnded)[0]


def start_rematch(match: StartedMatch) -> wire.MatchStarted:
    """Let every player request a rematch, and wait until it starts."""
    for player in match.players:
        player.send(Op.REMATCH, {})
    return match.wait_for(wire.MatchStarted)[0]


@each_mode("rematch")
def test_rematches_are_played_in_the_same_match(room: Room, mode: str) -> None:
    seed = {} if mode == DAILY else {"seed": SEED}
    match = start_match(room, mode, **ENDED_BY_PENALTY, **seed)
    names = [player.username for player in match.first.model.players.values()]
    decks, keys = [], []
    for game in (1, 2, 3):
        ended = end_by_penalty(match)
        decks.append(ended.deck)
        keys.append(ended.record_key)
        if game == 3:
            break
        before = match.first.model.seq
        started = start_rematch(match)
        assert started.game == game + 1
        assert started.seq > before
        assert [player.username for player in started.players] == names
        assert not any(player.score or player.ready for player in started.players)
    today = daily_seed(datetime.now(UTC).date())
    seeds = [today] * 3 if mode == DAILY else [SEED, SEED + 1, SEED + 2]
    assert decks == [[card.id for card in Deck(seed).draw(CARDS)] for seed in seeds]
    records = [wait_for_record(match.first.client, key) for key in keys]
    assert [(record["game"], record["deck"]) for record in records] == list(enumerate(decks, start=1))
    assert {record["matchId"] for record in records} == {match.match_id}


@pytest.mark.proves("rematch", ONLINE)
def test_rematch_needs_all_players_who_have_not_left(room: Room) -> None:
    match = start_match(room, ONLINE, maxPlayers=3, **ENDED_BY_PENALTY)
    end_by_penalty(match)
    first, second, third = match.players
    second.send(Op.REMATCH, {})
    third.send(Op.REMATCH, {})
    assert third.sync().game == 1
    first.leave()
    for player in (second, third):
        started = player.wait_for(wire.MatchStarted)
        assert [seat.user_id for seat in started.players] == [second.client.user_id, third.client.user_id]
    assert [player.sync().your_seats for player in (second, third)] == [[0], [1]]


@pytest.mark.proves("rematch", ONLINE)
def test_one_player_alone_gets_no_rematch(room: Room) -> None:
    match = start_match(room, ONLINE, **ENDED_BY_PENALTY)
    end_by_penalty(match)
    one, other = match.players
    one.leave()
    other.send(Op.REMATCH, {})
    assert other.sync().game == 1


@pytest.mark.fault("F13")
@each_mode("record")
def test_record_equals_the_messages_to_the_players(room: Room, mode: str) -> None:
    match = start_match(room, mode, **ENDED_BY_PENALTY)
    for seat in match.seats:
        seat.take_set()
    ended = end_by_penalty(match)
    record = wait_for_record(room.user(), ended.record_key)
    assert record["results"]["standings"] == [
        {
            "rank": line.rank,
            "seat": line.player.seat,
            "score": line.player.score,
            "setsCollected": line.player.sets_collected,
            "invalidAttempts": line.player.invalid_attempts,
        }
        for line in ended.standings
    ]
    assert (record["results"]["reason"], record["results"]["durationMs"]) == (ended.reason, ended.duration_ms)
    assert record["deck"] == ended.deck
    assert [line["kind"] for line in record["log"]] == ["claim"] * (len(match.seats) + 1)
    assert [player["userId"] for player in record["players"]] == [
        player.user_id for player in match.first.model.players.values()
    ]


@pytest.mark.proves("leaderboards", ONLINE)
def test_win_counts_once_and_a_defeat_does_not_count(room: Room) -> None:
    match = start_match(room, ONLINE, **ENDED_BY_PENALTY)
    match.seats[1].take_set()
    wait_for_record(match.first.client, end_by_penalty(match).record_key)
    loser, winner = (player.client for player in match.players)
    assert wait_for_entry(winner, "set_wins") == (1, 0)
    assert loser.leaderboard_entry("set_wins") is None


@pytest.mark.proves("leaderboards", ONLINE)
def test_second_win_is_added_and_a_draw_does_not_count(room: Room) -> None:
    match = start_match(room, ONLINE, **ENDED_BY_PENALTY)
    one, other = match.players
    end_by_penalty(match)  # a draw

    start_rematch(match)
    match.seats[0].take_set()
    end_by_penalty(match, loser=1)
    assert wait_for_entry(one.client, "set_wins") == (1, 0)

    start_rematch(match)
    for seat in match.seats:
        seat.take_set()
    other.leave()
    one.wait_for(wire.MatchEnded)
    wait_until(lambda: one.client.leaderboard_entry("set_wins") == (2, 0))
    assert other.client.leaderboard_entry("set_wins") is None


@each_mode("leaderboards", SINGLE, LOCAL)
def test_game_of_one_user_is_on_no_leaderboard(room: Room, mode: str) -> None:
    match = start_match(room, mode, **ENDED_BY_PENALTY)
    user = match.first.client
    wait_for_record(user, end_by_penalty(match).record_key)
    for board in ("set_wins", daily_leaderboard()):
        assert user.leaderboard_entry(board) is None


def start_daily(room: Room, user: NakamaClient) -> Seat:
    """Start a daily game with the ranked options and return the seat of the user."""
    player = room.sit(room.match(**options_of(DAILY, animationMs={})), user)
    player.wait_for(wire.MatchStarted)
    return seats_of(player)[0]


def end_of_daily(seat: Seat) -> tuple[wire.MatchEnded, tuple[int, int]]:
    """Return the end of a daily game, and the score and the subscore of its result."""
    seat.player.sync()
    ended = seat.player.model.results
    assert ended is not None
    score = ended.standings[0].player.score
    return ended, (score, (score + 1) * DAY_MS - ended.duration_ms)


@pytest.mark.proves("leaderboards", DAILY)
def test_best_daily_game_with_ranked_options_counts(room: Room) -> None:
    user = room.user()
    slower, faster = start_daily(room, user), start_daily(room, user)
    play_to_the_end([faster, slower])  # alternately, so that the game that started first ends last
    _, best = end_of_daily(faster)
    ended_last, worse = end_of_daily(slower)
    assert worse < best
    wait_for_record(user, ended_last.record_key)
    time.sleep(SETTLE_S)
    assert wait_for_entry(user, daily_leaderboard()) == best
    assert user.leaderboard_entry("set_wins") is None


@each_mode("leaderboards", DAILY)
def test_daily_game_with_hints_does_not_count(room: Room, mode: str) -> None:
    match = start_match(room, mode, hints=True, **ENDED_BY_PENALTY)
    wait_for_record(match.first.client, end_by_penalty(match).record_key)
    assert match.first.client.leaderboard_entry(daily_leaderboard()) is None


def wait_for_label(room: Room, match_id: str, query: str) -> dict[str, Any]:
    """Wait until Nakama lists a match for a query, and return its label."""
    user = room.user()

    def labels() -> list[str]:
        return [match["label"] for match in user.matches(query) if match["match_id"] == match_id]

    return dict(json.loads(wait_until(labels)[0]))


@each_mode("label")
def test_running_match_is_listed_with_mode_and_seats(room: Room, mode: str) -> None:
    match = start_match(room, mode)
    query = f"+label.game:set +label.mode:{mode} +label.phase:PLAYING"
    label = wait_for_label(room, match.match_id, query)
    users = len(match.players)
    assert (label["open"], label["players"], label["seats"]) == (0, users, users)
    assert ("day" in label) == (mode == DAILY)
    if mode == DAILY:
        assert wait_for_label(room, match.match_id, f"+label.day:{label['day']}") == label


@pytest.mark.proves("label", ONLINE)
def test_open_matches_can_be_filtered_by_seats_and_options(room: Room) -> None:
    match_id = room.match(**options_of(ONLINE, maxPlayers=5, timeLimitSeconds=4004, seed=0))
    room.sit(match_id)
    room.sit(match_id)
    query = "+label.game:set +label.open:1 +label.players:>1 +label.players:<5 +label.seats:>4"
    label = wait_for_label(room, match_id, query)
    assert set(label) == LABEL_FIELDS
    assert (label["open"], label["players"], label["seats"]) == (1, 2, 5)
    assert wait_for_label(room, match_id, f"+label.key:{label['key']}") == label


@pytest.mark.proves("reconnect", LOCAL)
def test_local_players_disconnect_and_reconnect_together(room: Room) -> None:
    match = start_match(room, LOCAL)
    spectator = room.sit(match.match_id)
    match.first.break_connection()
    lost = [spectator.wait_for(wire.PlayerChanged).player for _ in range(2)]
    assert [(player.seat, player.status) for player in lost] == [
        (0, Status.DISCONNECTED),
        (1, Status.DISCONNECTED),
    ]
    match.first.rejoin()
    back = [spectator.wait_for(wire.PlayerChanged).player for _ in range(2)]
    assert [player.status for player in back] == [Status.CONNECTED] * 2
