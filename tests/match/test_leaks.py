"""Nothing that players get depends on cards that were not dealt (DESIGN section 5, fault F24)."""

import random
from typing import Any

import pytest

from match_handler.match.seating import LeaveReason
from match_handler.protocol.notices import NOTICES
from match_handler.protocol.payloads import OpCode
from set_core.validator import find_sets_among
from tests.match.driver import TableDriver, play_to_the_end, started
from tests.match.said import Said, claim, hint, sync

SEED = 1_234_567_891
OPTIONS: dict[str, Any] = {
    "maxPlayers": 3,
    "bots": [{"level": "HARD"}],
    "timeLimitSeconds": 600,
    "seed": SEED,
}


def seen(table: TableDriver) -> tuple[Any, ...]:
    """All that leaves the service, but the state and what is stored at the end."""
    messages = [(told.op_code, told.audience, told.data) for told in table.heard]
    return messages, table.label, table.wake_ms, table.kicks, table.lines


def pair(known: int, number: int) -> tuple[TableDriver, TableDriver]:
    """Two tables alike but for the order of the cards after the first `known` ones."""
    one, other = (started(OPTIONS, "ann", "bob", chance=number) for _ in range(2))
    order = list(one.session.order)
    hidden = order[known:]
    random.Random(number).shuffle(hidden)
    for table, rest in ((one, order[known:]), (other, hidden)):
        inside_order = [*order[:known], *rest]
        table.rig(inside_order, drawn=table.session.drawn, slots=table.session.slots)
    return one, other


def moves(chance: random.Random, table: TableDriver, turn: int) -> list[Said]:
    sets = find_sets_among(table.board)
    user = chance.choice(("ann", "bob"))
    cards = chance.choice(sets) if sets and chance.random() < 0.7 else tuple(chance.sample(range(81), 3))
    return [claim(user, cards, f"c{turn}"), sync("bob"), hint("ann"), Said("bob", 99, b"?")]


@pytest.mark.parametrize("number", range(12))
@pytest.mark.parametrize("known", [15, 36, 60])
def test_two_decks_that_differ_in_hidden_cards_look_the_same(number: int, known: int) -> None:
    chance = random.Random(number)
    one, other = pair(known, number)
    assert one.state != other.state
    for turn in range(200):
        assert seen(one) == seen(other)
        said, pause_ms = moves(chance, one, turn), chance.choice((50, 700, 3_000))
        heard = len(one.heard), len(other.heard)
        for table in (one, other):
            table.loop(*said, after_ms=pause_ms)
        if max(one.session.drawn, other.session.drawn) > known or one.session.end_reason:
            break
        assert one.signal("snapshot") == other.signal("snapshot")
    assert heard[0] == heard[1] > 0
    assert max(one.session.drawn, other.session.drawn) > known, "hidden cards came into play at last"


def test_the_seed_is_in_nothing_that_players_get() -> None:
    table = started(OPTIONS, "ann", "bob")
    table.join("sue")
    table.claim("ann", table.not_a_set)
    table.lose("bob")
    table.join("bob", session="back")
    play_to_the_end(table, "ann")
    assert table.of(OpCode.MATCH_ENDED)
    assert str(SEED) not in repr(seen(table))
    assert str(SEED).encode() not in NOTICES.SerializeToString()
    assert "seed" not in repr([told.body for told in table.heard])


def test_refusals_at_the_door_say_nothing_about_the_game() -> None:
    table = started({"allowSpectators": False})
    table.leave("bob", reason=LeaveReason.DISCONNECTED)
    assert {
        table.attempt(user, spectate=wish) for user in ("eve", "mallory") for wish in ("False", "true")
    } <= {
        "match already started",
        "spectators not allowed",
    }


def test_the_deck_is_public_at_the_end_and_not_before() -> None:
    table = started()
    order = list(table.session.order)
    table.claim("ann", table.sets[0])
    assert all("deck" not in told.body for told in table.heard)
    table.settle()
    play_to_the_end(table)
    assert table.of(OpCode.MATCH_ENDED)[0]["deck"] == order
    assert table.snapshot("ann")["results"]["deck"] == order


def test_a_stale_claim_does_not_tell_a_dealt_card_from_a_hidden_one() -> None:
    table = started()
    table.award("ann")
    session = table.session
    gone = [card for card in session.order[: session.drawn] if card not in table.board]
    answers = []
    for cards in (gone, list(session.order[session.drawn : session.drawn + 3])):
        told = table.claim("bob", cards).body
        answers.append((told["reason"], told["message"], told["mixedAttribute"], told["slots"]))
        table.wait(1_000)
    assert answers[0] == answers[1]
