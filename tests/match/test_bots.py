"""Seats that the service plays: they look at the board only, take their time, and can be replayed."""

import pytest

from match_handler.match.bots import TEMPERS
from match_handler.match.chance import Chance
from match_handler.match.state import encode_state
from match_handler.protocol.payloads import OpCode
from set_core.options import BotLevel
from tests.match.driver import TableDriver, started
from tests.match.said import rematch

LEVELS = tuple(BotLevel.__members__)


def against(*levels: str, chance: int = 1, **options: object) -> TableDriver:
    bots = [{"level": level} for level in levels]
    return started({"mode": "SINGLE_PLAYER", "bots": bots, **options}, "ann", chance=chance)


def claims(table: TableDriver) -> list[dict[str, object]]:
    return table.of(OpCode.CLAIM_RESULT)


def let_play(table: TableDriver) -> None:
    for _ in range(200):
        if table.session.end_reason:
            return
        table.wait(20_000)


@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_alone_plays_to_the_end(level: str) -> None:
    table = against(level)
    let_play(table)
    (ended,) = table.of(OpCode.MATCH_ENDED)
    assert ended["reason"] == "END_REASON_DECK_EXHAUSTED"
    assert ended["winnerSeat"] == 1
    assert {told["seat"] for told in claims(table)} == {1}
    assert len({told["claimId"] for told in claims(table)}) == len(claims(table))


def test_bots_sit_after_the_humans_and_have_no_user() -> None:
    table = against("EASY", "HARD")
    players = table.of(OpCode.MATCH_STARTED)[0]["players"]
    assert [(player["username"], player["userId"], player["bot"]) for player in players] == [
        ("ann", "ann", False),
        ("Bot 1", "", True),
        ("Bot 2", "", True),
    ]


@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_takes_its_time_after_every_change_of_the_board(level: str) -> None:
    temper = TEMPERS[BotLevel[level]]
    table = against(level)
    unlocked_ms = table.session.started_ms
    for _ in range(15):
        before = len(claims(table))
        while len(claims(table)) == before:
            assert table.wake_ms is not None
            table.wait(table.wake_ms - table.now_ms)
        taken_ms = table.now_ms - unlocked_ms
        assert temper.fastest_ms <= taken_ms <= temper.slowest_ms + 400
        table.settle()
        unlocked_ms = max(
            table.session.locked_until_ms, table.now_ms if not claims(table)[-1]["valid"] else 0
        )


def test_easy_is_not_faster_than_a_person_and_levels_are_in_order() -> None:
    easy, medium, hard = (TEMPERS[BotLevel[level]] for level in LEVELS)
    assert easy.fastest_ms >= 5_000
    assert easy.fastest_ms > medium.fastest_ms > hard.fastest_ms > 1_000
    assert easy.slowest_ms > medium.slowest_ms > hard.slowest_ms
    assert easy.error_percent > medium.error_percent > hard.error_percent > 0


def test_a_bot_errs_now_and_then_as_its_level_says() -> None:
    wrong = total = 0
    for chance in range(12):
        table = against("EASY", chance=chance)
        let_play(table)
        total += len(claims(table))
        wrong += sum(not told["valid"] for told in claims(table))
        assert all(told["reason"] != "CLAIM_REASON_STALE" for told in claims(table))
    assert 0.1 < wrong / total < 0.3


def test_equal_states_play_equally() -> None:
    one, other = against("MEDIUM", "HARD", chance=5), against("MEDIUM", "HARD", chance=5)
    let_play(one)
    let_play(other)
    assert [told.data for told in one.heard] == [told.data for told in other.heard]


def test_other_chances_play_otherwise() -> None:
    one, other = against("MEDIUM", chance=5), against("MEDIUM", chance=6)
    let_play(one)
    let_play(other)
    assert [told["cardIds"] for told in claims(one)] != [told["cardIds"] for told in claims(other)]


def test_a_bot_sees_the_board_and_not_the_deck() -> None:
    """With the same board, whatever lies in the deck, a bot plans the same."""
    one, other = against("HARD", chance=3), against("HARD", chance=3)
    order = list(other.session.order)
    other.rig([*order[:12], *reversed(order[12:])])
    one.wait(5_000)
    other.wait(5_000)
    assert claims(one)[0]["cardIds"] == claims(other)[0]["cardIds"]
    assert one.lines[0]["atMs"] == other.lines[0]["atMs"]
    assert set(one.lines[0]["cardIds"]) <= set(order[:12])


def test_a_human_who_is_faster_makes_the_bot_look_anew() -> None:
    table = against("HARD")
    plan = table.inside.seats[1].bot_plan
    assert plan is not None
    table.claim("ann", table.sets[0])
    fresh = table.inside.seats[1].bot_plan
    assert fresh is not None
    assert fresh.board_version == plan.board_version + 1
    assert fresh.due_ms >= table.session.locked_until_ms + TEMPERS[BotLevel.HARD].fastest_ms


def test_a_human_s_mistake_does_not_disturb_a_bot() -> None:
    table = against("HARD")
    plan = table.inside.seats[1].bot_plan
    table.claim("ann", table.not_a_set)
    assert table.inside.seats[1].bot_plan == plan


def test_a_bot_whose_claim_is_locked_tries_again_later() -> None:
    table = against("HARD")
    inside = table.inside
    assert inside.session is not None
    plan = inside.seats[1].bot_plan
    assert plan is not None
    inside.session.players[1].locked_until_ms = plan.due_ms + 1
    table.state = encode_state(inside)
    table.wait(plan.due_ms - table.now_ms)
    assert claims(table) == []
    fresh = table.inside.seats[1].bot_plan
    assert fresh is not None
    assert fresh.due_ms > plan.due_ms
    table.wait(fresh.due_ms - table.now_ms)
    assert len(claims(table)) == 1


def test_a_bot_waits_where_there_is_no_set() -> None:
    table = against("HARD")
    no_set = (0, 1, 3, 4, 9, 10, 12, 13, 27, 28, 30, 31)
    inside = table.inside
    assert inside.session is not None
    inside.session.slots = list(no_set)
    inside.session.board_version += 1
    inside.session.expansion_due = True
    inside.session.order = bytes([*no_set, *(card for card in range(81) if card not in no_set)])
    inside.seats[1].bot_plan = None
    table.state = encode_state(inside)
    table.loop(after_ms=1)
    (grown,) = table.of(OpCode.BOARD_EXPANDED)
    plan = table.inside.seats[1].bot_plan
    assert plan is not None
    assert plan.board_version == grown["boardVersion"]


def test_two_bots_in_one_game_do_not_claim_stale_cards() -> None:
    table = against("HARD", "HARD", "HARD")
    let_play(table)
    assert {told["seat"] for told in claims(table)} == {1, 2, 3}
    assert all(told["reason"] != "CLAIM_REASON_STALE" for told in claims(table))


def test_a_human_who_leaves_the_bots_ends_the_game() -> None:
    table = against("HARD", "EASY")
    table.leave("ann")
    assert table.of(OpCode.MATCH_ENDED)[0]["reason"] == "END_REASON_ABANDONED"


def test_a_win_over_bots_is_in_no_leaderboard() -> None:
    table = started({"maxPlayers": 2, "bots": [{"level": "EASY"}]}, "ann")
    while not table.session.end_reason:
        table.award("ann")
    assert table.of(OpCode.MATCH_ENDED)[0]["winnerSeat"] == 0
    assert len(table.effects) == 1


def test_bots_play_the_rematch_too() -> None:
    table = against("HARD")
    while not table.session.end_reason:
        table.award("ann")
    table.loop(rematch("ann"))
    table.settle()
    told = len(claims(table))
    table.wait(5_000)
    assert claims(table)[told]["seat"] == 1
    assert len(table.inside.seats) == 2


@pytest.mark.parametrize("state", [0, 1, 2**64 - 1])
def test_chance_stays_in_its_bounds(state: int) -> None:
    chance = Chance(state)
    assert {chance.below(3) for _ in range(100)} == {0, 1, 2}
    assert {chance.between(5, 7) for _ in range(100)} == {5, 6, 7}
    assert not any(chance.happens(0) for _ in range(100))
    assert all(chance.happens(100) for _ in range(100))
    assert 0 <= chance.state < 2**64
