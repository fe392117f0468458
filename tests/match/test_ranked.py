"""Wins that count on the leaderboard (decision E69)."""

import pytest

from match_handler.match.context import DAY_MS
from match_handler.match.results import SHORTEST_RANKED_MS, WINS_LEADERBOARD
from match_handler.match.step import LeaderboardWrite, Operator, Quota, StorageWrite
from match_handler.protocol.payloads import OpCode
from tests.match.driver import NOON, MatchDriver, play_to_the_end, started
from tests.match.messages import ready, rematch


def wins(driver: MatchDriver) -> list[str]:
    written = [effect for effect in driver.effects if isinstance(effect, LeaderboardWrite)]
    return [effect.owner_id for effect in written if effect.leaderboard_id == WINS_LEADERBOARD]


def played(*awards: str, **options: object) -> MatchDriver:
    """Return a game of ann and bob of ranked length, in which these users claimed Sets."""
    driver = started(options)
    for user in awards:
        driver.claim_set(user)
    driver.wait(SHORTEST_RANKED_MS)
    return driver


def test_win_by_empty_deck_counts() -> None:
    driver = played()
    play_to_the_end(driver, "ann", "bob", "ann")
    assert wins(driver) == ["ann"]


def test_win_by_the_clock_counts() -> None:
    driver = played("bob", timeLimitSeconds=90)
    driver.wait(90_000)
    assert wins(driver) == ["bob"]


def test_leave_of_a_player_without_sets_gives_no_win() -> None:
    driver = started()
    driver.claim_set("ann")
    driver.leave("bob")
    assert wins(driver) == []


def test_short_game_gives_no_win() -> None:
    driver = started()
    driver.claim_set("ann")
    driver.claim_set("bob")
    driver.claim_set("ann")
    driver.wait(SHORTEST_RANKED_MS - 1 - (driver.now_ms - driver.session.started_ms))
    driver.leave("bob")
    assert wins(driver) == []


@pytest.mark.parametrize(
    ("awards", "winner"), [(["ann", "bob"], ["ann"]), (["ann"], []), (["bob"], []), ([], [])]
)
def test_last_player_wins_only_with_sets_on_both_sides(awards: list[str], winner: list[str]) -> None:
    driver = played(*awards)
    driver.leave("bob")
    assert wins(driver) == winner


def test_win_against_bots_alone_does_not_count() -> None:
    """The other human leaves without a Set."""
    driver = started({"maxPlayers": 3, "bots": [{"level": "EASY"}], "timeLimitSeconds": 200})
    driver.claim_set("ann")
    driver.leave("bob")
    for _ in range(20):
        driver.claim_set("ann")
    driver.wait(200_000)
    assert driver.bodies(OpCode.MATCH_ENDED)[0]["winnerSeat"] == 0
    assert wins(driver) == []


def test_private_win_does_not_count() -> None:
    driver = MatchDriver({"private": True, "timeLimitSeconds": 90}, creator="ann", expected=["ann"])
    driver.join("ann")
    driver.join("bob", invitation=driver.invitation)
    driver.loop(ready("ann"), ready("bob"))
    driver.settle()
    driver.claim_set("ann")
    driver.claim_set("bob")
    driver.claim_set("ann")
    driver.wait(90_000)
    assert wins(driver) == []


@pytest.mark.parametrize("penalized_leader", [True, False])
def test_player_who_ends_the_clock_gets_no_ranked_win(penalized_leader: bool) -> None:  # noqa: FBT001
    """The result follows the rule texts; only the leaderboard ignores it."""
    driver = played("ann", "bob", "ann", timeLimitSeconds=120, penalty="TIME", timePenaltySeconds=60)
    driver.claim("ann" if penalized_leader else "bob", driver.not_a_set)
    (ended,) = driver.bodies(OpCode.MATCH_ENDED)
    assert (ended["reason"], ended["winnerSeat"]) == ("END_REASON_CLOCK_PENALTY", 0)
    assert wins(driver) == ([] if penalized_leader else ["ann"])


def test_terminated_game_gives_no_win() -> None:
    driver = played("ann", "bob", "ann")
    driver.terminate()
    assert wins(driver) == []


def test_wins_of_one_pair_share_a_quota_for_either_winner() -> None:
    driver = played("ann", timeLimitSeconds=61)
    driver.wait(driver.session.started_ms + 61_000 - driver.now_ms)
    driver.loop(rematch("ann"), rematch("bob"))
    driver.settle()
    driver.claim_set("bob")
    driver.wait(61_000)
    quotas = [effect.quota for effect in driver.effects if isinstance(effect, LeaderboardWrite)]
    assert wins(driver) == ["ann", "bob"]
    assert quotas[0] == quotas[1]
    assert quotas[0] is not None
    assert (quotas[0].key, quotas[0].most) == ("20261201.ann.bob", 3)


def test_win_between_humans_is_ranked_without_the_record_key() -> None:
    driver = started()
    driver.claim_set("bob")
    driver.claim_set("bob")
    driver.claim_set("ann")
    driver.wait(SHORTEST_RANKED_MS)
    driver.leave("ann")
    record, win = driver.effects
    assert isinstance(record, StorageWrite)
    assert win == LeaderboardWrite(
        leaderboard_id=WINS_LEADERBOARD,
        operator=Operator.INCREMENT,
        owner_id="bob",
        username="bob",
        score=1,
        subscore=0,
        metadata=b'{"game":"0b9e.node1.1"}',
        expires_unix_ms=NOON + driver.now_ms + DAY_MS,
        quota=Quota("set_pairs", "20261201.ann.bob", 3),
    )


def test_draw_is_in_no_leaderboard() -> None:
    driver = started({"timeLimitSeconds": 10})
    driver.wait(10_000)
    assert driver.bodies(OpCode.MATCH_ENDED)[0]["draw"]
    assert driver.effects == []
