"""Bots: they see only the board, claim with a delay, and are deterministic."""

import pytest

from match_handler.match.bots import PROFILES
from match_handler.match.splitmix import SplitMix64
from match_handler.match.state import encode_state
from match_handler.protocol.payloads import OpCode
from set_core.options import BotLevel
from tests.match.driver import MatchDriver, started
from tests.match.messages import rematch

LEVELS = tuple(BotLevel.__members__)


def against(*levels: str, chance: int = 1, **options: object) -> MatchDriver:
    bots = [{"level": level} for level in levels]
    return started({"mode": "SINGLE_PLAYER", "bots": bots, **options}, "ann", chance=chance)


def claims(driver: MatchDriver) -> list[dict[str, object]]:
    return driver.bodies(OpCode.CLAIM_RESULT)


def let_play(driver: MatchDriver) -> None:
    for _ in range(200):
        if driver.session.end_reason:
            return
        driver.wait(20_000)


@pytest.mark.parametrize("level", LEVELS)
def test_bot_alone_plays_to_the_end(level: str) -> None:
    driver = against(level)
    let_play(driver)
    (ended,) = driver.bodies(OpCode.MATCH_ENDED)
    assert ended["reason"] == "END_REASON_DECK_EXHAUSTED"
    assert ended["winnerSeat"] == 1
    assert {message["seat"] for message in claims(driver)} == {1}
    assert len({message["claimId"] for message in claims(driver)}) == len(claims(driver))


def test_bots_sit_after_the_humans_and_have_no_user() -> None:
    driver = against("EASY", "HARD")
    players = driver.bodies(OpCode.MATCH_STARTED)[0]["players"]
    assert [(player["username"], player["userId"], player["bot"]) for player in players] == [
        ("ann", "ann", False),
        ("Bot 1", "", True),
        ("Bot 2", "", True),
    ]


@pytest.mark.parametrize("level", LEVELS)
def test_bot_waits_after_every_change_of_the_board(level: str) -> None:
    temper = PROFILES[BotLevel[level]]
    driver = against(level)
    unlocked_ms = driver.session.started_ms
    for _ in range(15):
        before = len(claims(driver))
        while len(claims(driver)) == before:
            assert driver.wake_ms is not None
            driver.wait(driver.wake_ms - driver.now_ms)
        taken_ms = driver.now_ms - unlocked_ms
        assert temper.fastest_ms <= taken_ms <= temper.slowest_ms + 400
        driver.settle()
        unlocked_ms = max(
            driver.session.locked_until_ms, driver.now_ms if not claims(driver)[-1]["valid"] else 0
        )


def test_bot_levels_are_ordered_and_easy_is_not_superhuman() -> None:
    easy, medium, hard = (PROFILES[BotLevel[level]] for level in LEVELS)
    assert easy.fastest_ms >= 5_000
    assert easy.fastest_ms > medium.fastest_ms > hard.fastest_ms > 1_000
    assert easy.slowest_ms > medium.slowest_ms > hard.slowest_ms
    assert easy.error_percent > medium.error_percent > hard.error_percent > 0


def test_bot_error_rate_follows_its_level() -> None:
    wrong = total = 0
    for chance in range(12):
        driver = against("EASY", chance=chance)
        let_play(driver)
        total += len(claims(driver))
        wrong += sum(not message["valid"] for message in claims(driver))
        assert all(message["reason"] != "CLAIM_REASON_STALE" for message in claims(driver))
    assert 0.1 < wrong / total < 0.3


def test_equal_states_give_equal_plans() -> None:
    one, other = against("MEDIUM", "HARD", chance=5), against("MEDIUM", "HARD", chance=5)
    let_play(one)
    let_play(other)
    assert [message.data for message in one.received] == [message.data for message in other.received]


def test_other_random_seeds_give_other_plans() -> None:
    one, other = against("MEDIUM", chance=5), against("MEDIUM", chance=6)
    let_play(one)
    let_play(other)
    assert [message["cardIds"] for message in claims(one)] != [
        message["cardIds"] for message in claims(other)
    ]


def test_faster_human_claim_makes_the_bot_plan_again() -> None:
    driver = against("HARD")
    plan = driver.match_state.seats[1].bot_plan
    assert plan is not None
    driver.claim("ann", driver.sets[0])
    fresh = driver.match_state.seats[1].bot_plan
    assert fresh is not None
    assert fresh.board_version == plan.board_version + 1
    assert fresh.due_ms >= driver.session.locked_until_ms + PROFILES[BotLevel.HARD].fastest_ms


def test_invalid_human_claim_keeps_the_bot_plan() -> None:
    driver = against("HARD")
    plan = driver.match_state.seats[1].bot_plan
    driver.claim("ann", driver.not_a_set)
    assert driver.match_state.seats[1].bot_plan == plan


def test_bot_with_a_locked_claim_retries_later() -> None:
    driver = against("HARD")
    match_state = driver.match_state
    assert match_state.session is not None
    plan = match_state.seats[1].bot_plan
    assert plan is not None
    match_state.session.players[1].locked_until_ms = plan.due_ms + 1
    driver.state = encode_state(match_state)
    driver.wait(plan.due_ms - driver.now_ms)
    assert claims(driver) == []
    fresh = driver.match_state.seats[1].bot_plan
    assert fresh is not None
    assert fresh.due_ms > plan.due_ms
    driver.wait(fresh.due_ms - driver.now_ms)
    assert len(claims(driver)) == 1


def test_bot_waits_on_a_board_without_a_set() -> None:
    driver = against("HARD")
    no_set = (0, 1, 3, 4, 9, 10, 12, 13, 27, 28, 30, 31)
    match_state = driver.match_state
    assert match_state.session is not None
    match_state.session.slots = list(no_set)
    match_state.session.board_version += 1
    match_state.session.expansion_due = True
    match_state.session.order = bytes([*no_set, *(card for card in range(81) if card not in no_set)])
    match_state.seats[1].bot_plan = None
    driver.state = encode_state(match_state)
    driver.loop(after_ms=1)
    (grown,) = driver.bodies(OpCode.BOARD_EXPANDED)
    plan = driver.match_state.seats[1].bot_plan
    assert plan is not None
    assert plan.board_version == grown["boardVersion"]


def test_two_bots_do_not_send_stale_claims() -> None:
    driver = against("HARD", "HARD", "HARD")
    let_play(driver)
    assert {message["seat"] for message in claims(driver)} == {1, 2, 3}
    assert all(message["reason"] != "CLAIM_REASON_STALE" for message in claims(driver))


def test_game_ends_when_only_bots_remain() -> None:
    driver = against("HARD", "EASY")
    driver.leave("ann")
    assert driver.bodies(OpCode.MATCH_ENDED)[0]["reason"] == "END_REASON_ABANDONED"


def test_win_over_bots_is_in_no_leaderboard() -> None:
    driver = started({"maxPlayers": 2, "bots": [{"level": "EASY"}]}, "ann")
    while not driver.session.end_reason:
        driver.claim_set("ann")
    assert driver.bodies(OpCode.MATCH_ENDED)[0]["winnerSeat"] == 0
    assert len(driver.effects) == 1


def test_bots_play_the_rematch() -> None:
    driver = against("HARD")
    while not driver.session.end_reason:
        driver.claim_set("ann")
    driver.loop(rematch("ann"))
    driver.settle()
    count = len(claims(driver))
    driver.wait(5_000)
    assert claims(driver)[count]["seat"] == 1
    assert len(driver.match_state.seats) == 2


@pytest.mark.parametrize("state", [0, 1, 2**64 - 1])
def test_random_delays_stay_in_their_range(state: int) -> None:
    chance = SplitMix64(state)
    assert {chance.below(3) for _ in range(100)} == {0, 1, 2}
    assert {chance.between(5, 7) for _ in range(100)} == {5, 6, 7}
    assert not any(chance.happens(0) for _ in range(100))
    assert all(chance.happens(100) for _ in range(100))
    assert 0 <= chance.state < 2**64
