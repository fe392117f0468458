"""What stays of a game, and the games that follow it, in every mode."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from demo import messages as wire
from demo.sets import CARDS
from demo.vocabulary import Op, Status
from set_core.deck import Deck, daily_seed
from tests.modes.party import DAILY, LOCAL, ONLINE, SINGLE, Party, each_mode, options_of, party
from tests.modes.results import entry_of, record_of
from tests.modes.test_play import to_the_end

if TYPE_CHECKING:
    from tests.native.room import Room

pytestmark = pytest.mark.nakama

SEED = 31
ENDED_BY_ERROR = {"timeLimitSeconds": 600, "penalty": "TIME", "timePenaltySeconds": 600}
LOOK_EVERY_S = 0.2
SETTLED_S = 0.5
DAY_MS = 86_400_000


def todays_board() -> str:
    return f"set_daily_{datetime.now(UTC):%Y%m%d}"


def end_of(seated: Party) -> wire.MatchEnded:
    ended: wire.MatchEnded = seated.everybody_hears(wire.MatchEnded)[0]
    return ended


def end_by_error(seated: Party) -> wire.MatchEnded:
    """Let the first player use up a clock; its options are ENDED_BY_ERROR."""
    seated.places[0].err()
    return end_of(seated)


@each_mode("rematch")
def test_three_games_are_played_in_one_match(room: Room, mode: str) -> None:
    seeded = {} if mode == DAILY else {"seed": SEED}
    seated = party(room, mode, **ENDED_BY_ERROR, **seeded)
    names = [player.username for player in seated.host.table.players.values()]
    decks, keys = [], []
    for game in (1, 2, 3):
        ended = end_by_error(seated)
        decks.append(ended.deck)
        keys.append(ended.record_key)
        if game == 3:
            break
        before = seated.host.table.seq
        for player in seated.players:
            player.send(Op.REMATCH, {})
        started = seated.everybody_hears(wire.MatchStarted)[0]
        assert started.game == game + 1
        assert started.seq > before
        assert [player.username for player in started.players] == names
        assert not any(player.score or player.ready for player in started.players)
    today = daily_seed(datetime.now(UTC).date())
    seeds = [today] * 3 if mode == DAILY else [SEED, SEED + 1, SEED + 2]
    assert decks == [[card.id for card in Deck(seed).draw(CARDS)] for seed in seeds]
    records = [record_of(seated.host.client, key) for key in keys]
    assert [(record["game"], record["deck"]) for record in records] == list(enumerate(decks, start=1))
    assert {record["matchId"] for record in records} == {seated.match_id}


@pytest.mark.proves("rematch", ONLINE)
def test_a_rematch_waits_for_everybody_who_is_still_there_and_leaves_out_the_others(room: Room) -> None:
    seated = party(room, ONLINE, maxPlayers=3, **ENDED_BY_ERROR)
    end_by_error(seated)
    first, second, third = seated.players
    second.send(Op.REMATCH, {})
    third.send(Op.REMATCH, {})
    assert third.sync().game == 1
    first.leave()
    for player in (second, third):
        started = player.wait_for(wire.MatchStarted)
        assert [told.user_id for told in started.players] == [second.client.user_id, third.client.user_id]
    assert [player.sync().your_seats for player in (second, third)] == [[0], [1]]


@pytest.mark.proves("rematch", ONLINE)
def test_there_is_no_rematch_alone(room: Room) -> None:
    seated = party(room, ONLINE, **ENDED_BY_ERROR)
    end_by_error(seated)
    one, other = seated.players
    one.leave()
    other.send(Op.REMATCH, {})
    assert other.sync().game == 1


def scores(players: list[dict[str, Any]]) -> list[tuple[int, int, int]]:
    return [(line["rank"], line["player"]["seat"], line["player"]["score"]) for line in players]


@pytest.mark.fault("F13")
@each_mode("record")
def test_the_record_of_a_game_says_what_the_players_were_told(room: Room, mode: str) -> None:
    seated = party(room, mode, **ENDED_BY_ERROR)
    for place in seated.places:
        place.take_set()
    ended = end_by_error(seated)
    record = record_of(room.user(), ended.record_key)
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
    assert [line["kind"] for line in record["log"]] == ["claim"] * (len(seated.places) + 1)
    assert [player["userId"] for player in record["players"]] == [
        player.user_id for player in seated.host.table.players.values()
    ]


@pytest.mark.proves("leaderboards", ONLINE)
def test_a_win_over_people_counts_once_and_a_defeat_not_at_all(room: Room) -> None:
    seated = party(room, ONLINE, **ENDED_BY_ERROR)
    seated.places[1].take_set()
    record_of(seated.host.client, end_by_error(seated).record_key)
    loser, winner = (player.client for player in seated.players)
    assert entry_of(winner, "set_wins", waiting=True) == (1, 0)
    assert entry_of(loser, "set_wins") is None


@pytest.mark.proves("leaderboards", ONLINE)
def test_a_second_win_adds_up_and_a_draw_counts_for_nobody(room: Room) -> None:
    seated = party(room, ONLINE, **ENDED_BY_ERROR)
    end_by_error(seated)
    one, other = seated.players
    for player in seated.players:
        player.send(Op.REMATCH, {})
    seated.everybody_hears(wire.MatchStarted)
    seated.places[0].take_set()
    seated.places[1].err()
    end_of(seated)
    assert entry_of(one.client, "set_wins", waiting=True) == (1, 0)
    for player in seated.players:
        player.send(Op.REMATCH, {})
    seated.everybody_hears(wire.MatchStarted)
    for place in seated.places:
        place.take_set()
    other.leave()
    one.wait_for(wire.MatchEnded)
    while entry_of(one.client, "set_wins") != (2, 0):
        time.sleep(LOOK_EVERY_S)
    assert entry_of(other.client, "set_wins") is None


@each_mode("leaderboards", SINGLE, LOCAL)
def test_games_among_oneself_are_on_no_leaderboard(room: Room, mode: str) -> None:
    seated = party(room, mode, **ENDED_BY_ERROR)
    record_of(seated.host.client, end_by_error(seated).record_key)
    for board in ("set_wins", todays_board()):
        assert entry_of(seated.host.client, board) is None


@each_mode("leaderboards", DAILY)
def test_a_daily_game_in_the_ranked_configuration_counts(room: Room, mode: str) -> None:
    seated = party(room, mode, animationMs={})
    to_the_end(seated.places)
    seated.host.sync()
    results, user = seated.host.table.results, seated.host.client
    assert results is not None
    score = results.standings[0].player.score
    best = (score, (score + 1) * DAY_MS - results.duration_ms)
    assert entry_of(user, todays_board(), waiting=True) == best
    assert entry_of(user, "set_wins") is None


@each_mode("leaderboards", DAILY)
def test_a_daily_game_with_hints_is_practice_and_does_not_count(room: Room, mode: str) -> None:
    seated = party(room, mode, hints=True, **ENDED_BY_ERROR)
    record_of(seated.host.client, end_by_error(seated).record_key)
    assert entry_of(seated.host.client, todays_board()) is None


def listed_label(room: Room, match_id: str, query: str) -> dict[str, Any]:
    """The label of a match, as soon as Nakama lists it under a query."""
    user = room.user()
    while True:
        for match in user.matches(query):
            if match["match_id"] == match_id:
                return dict(json.loads(match["label"]))
        time.sleep(LOOK_EVERY_S)


@each_mode("label")
def test_a_running_match_is_listed_with_its_mode_and_seats(room: Room, mode: str) -> None:
    seated = party(room, mode)
    label = listed_label(room, seated.match_id, f"+label.game:set +label.mode:{mode} +label.phase:PLAYING")
    users = len(seated.players)
    assert (label["open"], label["players"], label["seats"]) == (0, users, users)
    assert ("day" in label) == (mode == DAILY)
    if mode == DAILY:
        assert listed_label(room, seated.match_id, f"+label.day:{label['day']}") == label


@pytest.mark.proves("label", ONLINE)
def test_open_tables_can_be_filtered_by_free_seats_and_options(room: Room) -> None:
    match_id = room.match(**options_of(ONLINE, maxPlayers=5, timeLimitSeconds=4004, seed=0))
    room.sit(match_id)
    room.sit(match_id)
    query = "+label.game:set +label.open:1 +label.players:>1 +label.players:<5 +label.seats:>4"
    label = listed_label(room, match_id, query)
    assert (label["open"], label["players"], label["seats"]) == (1, 2, 5)
    assert listed_label(room, match_id, f"+label.key:{label['key']}") == label


@pytest.mark.proves("coming back", LOCAL)
def test_every_player_of_one_device_is_lost_and_comes_back_together(room: Room) -> None:
    seated = party(room, LOCAL)
    watcher = room.sit(seated.match_id)
    seated.host.drop()
    lost = [watcher.wait_for(wire.PlayerChanged).player for _ in range(2)]
    assert [(player.seat, player.status) for player in lost] == [
        (0, Status.DISCONNECTED),
        (1, Status.DISCONNECTED),
    ]
    seated.host.rejoin()
    back = [watcher.wait_for(wire.PlayerChanged).player for _ in range(2)]
    assert [player.status for player in back] == [Status.CONNECTED] * 2
