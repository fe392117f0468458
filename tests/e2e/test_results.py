"""Rematches, leaderboards and labels."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from demo.client import messages as wire
from demo.client.sets import CARDS
from demo.client.vocabulary import End, Op
from set_core.deck import Deck, daily_seed
from tests.e2e.test_play import play_to_the_end
from tests.support.clients import DAILY, each_mode, wait_for_entry, wait_for_record, wait_until

if TYPE_CHECKING:
    from demo.client.nakama_client import NakamaClient
    from demo.client.player import Player
    from tests.support.clients import Clients

pytestmark = pytest.mark.nakama

SEED = 31
LABEL_FIELDS = {"game", "mode", "key", "open", "players", "seats", "phase"}
DAY_MS = 86_400_000
SETTLE_S = 0.5
TIME_LIMIT_S = 600
ENDED_BY_PENALTY: dict[str, Any] = {
    "timeLimitSeconds": TIME_LIMIT_S,
    "penalty": "TIME",
    "timePenaltySeconds": TIME_LIMIT_S,
}
"""Options of a game that ends with the first invalid claim."""


def daily_leaderboard() -> str:
    return f"set_daily_{datetime.now(UTC):%Y%m%d}"


def end_by_penalty(players: list[Player], loser: int = 0) -> wire.MatchEnded:
    """End a match that has the options ENDED_BY_PENALTY with an invalid claim of one player."""
    players[loser].wait_until_idle()
    players[loser].claim_non_set()
    ends = [player.wait_for(wire.MatchEnded) for player in players]
    return ends[0]


def start_rematch(players: list[Player]) -> wire.MatchStarted:
    """Let every player request a rematch, and wait until it starts."""
    for player in players:
        player.send(Op.REMATCH, {})
    started = [player.wait_for(wire.MatchStarted) for player in players]
    return started[0]


@each_mode
def test_rematches_are_played_in_the_same_match(clients: Clients, mode: str) -> None:
    seed = {} if mode == DAILY else {"seed": SEED}
    players = clients.start_match(mode, **ENDED_BY_PENALTY, **seed)
    model = players[0].model
    names = [player.username for player in model.players.values()]
    ends = [end_by_penalty(players)]
    for game in (2, 3):
        before = model.seq
        started = start_rematch(players)
        assert started.game == game
        assert started.seq > before
        assert [player.username for player in started.players] == names
        assert not any(player.score or player.ready for player in started.players)
        ends.append(end_by_penalty(players))
    assert {ended.reason for ended in ends} == {End.CLOCK_PENALTY}
    today = daily_seed(datetime.now(UTC).date())
    seeds = [today] * 3 if mode == DAILY else [SEED, SEED + 1, SEED + 2]
    decks = [ended.deck for ended in ends]
    assert decks == [[card.id for card in Deck(seed).draw(CARDS)] for seed in seeds]
    records = [wait_for_record(players[0].client, ended.record_key) for ended in ends]
    assert [(record["game"], record["deck"]) for record in records] == list(enumerate(decks, start=1))
    assert {record["matchId"] for record in records} == {players[0].match_id}


def test_wins_are_added_and_defeats_and_draws_do_not_count(clients: Clients) -> None:
    players = clients.start_match(**ENDED_BY_PENALTY)
    one, other = players
    end_by_penalty(players)  # a draw

    start_rematch(players)
    one.take_set()
    end_by_penalty(players, loser=1)
    assert wait_for_entry(one.client, "set_wins") == (1, 0)

    start_rematch(players)
    for player in players:
        player.take_set()
    other.leave()
    one.wait_for(wire.MatchEnded)
    wait_until(lambda: one.client.leaderboard_entry("set_wins") == (2, 0))
    assert other.client.leaderboard_entry("set_wins") is None


def start_daily(clients: Clients, user: NakamaClient) -> Player:
    """Start a daily game with the ranked options."""
    player = clients.join(clients.create_match(DAILY, animationMs={}), user)
    player.wait_for(wire.MatchStarted)
    return player


def end_of_daily(player: Player) -> tuple[wire.MatchEnded, tuple[int, int]]:
    """Return the end of a daily game, and the score and the subscore of its result."""
    player.sync()
    ended = player.model.results
    assert ended is not None
    score = ended.standings[0].player.score
    return ended, (score, (score + 1) * DAY_MS - ended.duration_ms)


def test_best_daily_game_with_ranked_options_counts(clients: Clients) -> None:
    user = clients.user()
    slower, faster = start_daily(clients, user), start_daily(clients, user)
    play_to_the_end([faster, slower])  # alternately, so that the game that started first ends last
    _, best = end_of_daily(faster)
    ended_last, worse = end_of_daily(slower)
    assert worse < best
    wait_for_record(user, ended_last.record_key)
    time.sleep(SETTLE_S)
    assert wait_for_entry(user, daily_leaderboard()) == best
    assert user.leaderboard_entry("set_wins") is None


def wait_for_label(clients: Clients, match_id: str, query: str) -> dict[str, Any]:
    """Wait until Nakama lists a match for a query, and return its label."""
    user = clients.user()

    def labels() -> list[str]:
        return [match["label"] for match in user.matches(query) if match["match_id"] == match_id]

    return dict(json.loads(wait_until(labels)[0]))


@each_mode
def test_running_match_is_listed_with_mode_and_seats(clients: Clients, mode: str) -> None:
    players = clients.start_match(mode)
    match_id = players[0].match_id
    label = wait_for_label(clients, match_id, f"+label.game:set +label.mode:{mode} +label.phase:PLAYING")
    assert (label["open"], label["players"], label["seats"]) == (0, len(players), len(players))
    assert ("day" in label) == (mode == DAILY)
    if mode == DAILY:
        assert wait_for_label(clients, match_id, f"+label.day:{label['day']}") == label


def test_open_matches_can_be_filtered_by_seats_and_options(clients: Clients) -> None:
    match_id = clients.create_match(maxPlayers=5, timeLimitSeconds=4004, seed=0)
    clients.join(match_id)
    clients.join(match_id)
    query = "+label.game:set +label.open:1 +label.players:>1 +label.players:<5 +label.seats:>4"
    label = wait_for_label(clients, match_id, query)
    assert set(label) == LABEL_FIELDS
    assert (label["open"], label["players"], label["seats"]) == (1, 2, 5)
    assert wait_for_label(clients, match_id, f"+label.key:{label['key']}") == label
