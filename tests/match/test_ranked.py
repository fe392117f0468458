"""Which wins count on the leaderboard (decision E69)."""

import pytest

from match_handler.match.results import SHORTEST_RANKED_MS, WINS_LEADERBOARD
from match_handler.match.step import LeaderboardWrite
from match_handler.protocol.payloads import OpCode
from tests.match.driver import TableDriver, play_to_the_end, started
from tests.match.said import ready, rematch


def wins(table: TableDriver) -> list[str]:
    written = [effect for effect in table.effects if isinstance(effect, LeaderboardWrite)]
    return [effect.owner_id for effect in written if effect.leaderboard_id == WINS_LEADERBOARD]


def played(*awards: str, **options: object) -> TableDriver:
    """A game of ann and bob that has lasted long enough, in which some Sets were taken."""
    table = started(options)
    for user in awards:
        table.award(user)
    table.wait(SHORTEST_RANKED_MS)
    return table


def test_a_win_by_the_deck_counts() -> None:
    table = played()
    play_to_the_end(table, "ann", "bob", "ann")
    assert wins(table) == ["ann"]


def test_a_win_by_the_clock_counts() -> None:
    table = played("bob", timeLimitSeconds=90)
    table.wait(90_000)
    assert wins(table) == ["bob"]


def test_a_second_account_that_joins_and_leaves_gives_no_win() -> None:
    table = started()
    table.award("ann")
    table.leave("bob")
    assert wins(table) == []


def test_a_short_game_gives_no_win() -> None:
    table = started()
    table.award("ann")
    table.award("bob")
    table.award("ann")
    table.wait(SHORTEST_RANKED_MS - 1 - (table.now_ms - table.session.started_ms))
    table.leave("bob")
    assert wins(table) == []


@pytest.mark.parametrize(
    ("awards", "winner"), [(["ann", "bob"], ["ann"]), (["ann"], []), (["bob"], []), ([], [])]
)
def test_the_last_player_wins_only_with_sets_on_both_sides(awards: list[str], winner: list[str]) -> None:
    table = played(*awards)
    table.leave("bob")
    assert wins(table) == winner


def test_a_win_against_bots_alone_does_not_count() -> None:
    """The other human has left without a Set."""
    table = started({"maxPlayers": 3, "bots": [{"level": "EASY"}], "timeLimitSeconds": 200})
    table.award("ann")
    table.leave("bob")
    for _ in range(20):
        table.award("ann")
    table.wait(200_000)
    assert table.of(OpCode.MATCH_ENDED)[0]["winnerSeat"] == 0
    assert wins(table) == []


def test_a_private_win_does_not_count() -> None:
    table = TableDriver({"private": True, "timeLimitSeconds": 90}, creator="ann", expected=["ann"])
    table.join("ann")
    table.join("bob", invitation=table.invitation)
    table.loop(ready("ann"), ready("bob"))
    table.settle()
    table.award("ann")
    table.award("bob")
    table.award("ann")
    table.wait(90_000)
    assert wins(table) == []


@pytest.mark.parametrize("leader_errs", [True, False])
def test_a_player_who_burns_the_clock_does_not_take_the_win(leader_errs: bool) -> None:  # noqa: FBT001
    """The result follows the rule texts; only the leaderboard does not count it."""
    table = played("ann", "bob", "ann", timeLimitSeconds=120, penalty="TIME", timePenaltySeconds=60)
    table.claim("ann" if leader_errs else "bob", table.not_a_set)
    (ended,) = table.of(OpCode.MATCH_ENDED)
    assert (ended["reason"], ended["winnerSeat"]) == ("END_REASON_CLOCK_PENALTY", 0)
    assert wins(table) == ([] if leader_errs else ["ann"])


def test_a_terminated_game_gives_no_win() -> None:
    table = played("ann", "bob", "ann")
    table.terminate()
    assert wins(table) == []


def test_wins_of_one_pair_share_a_quota_whoever_wins() -> None:
    table = played("ann", timeLimitSeconds=61)
    table.wait(table.session.started_ms + 61_000 - table.now_ms)
    table.loop(rematch("ann"), rematch("bob"))
    table.settle()
    table.award("bob")
    table.wait(61_000)
    quotas = [effect.quota for effect in table.effects if isinstance(effect, LeaderboardWrite)]
    assert wins(table) == ["ann", "bob"]
    assert quotas[0] == quotas[1]
    assert quotas[0] is not None
    assert (quotas[0].key, quotas[0].most) == ("20261201.ann.bob", 3)
