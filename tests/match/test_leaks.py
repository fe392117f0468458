"""Messages to players do not depend on undealt cards (DESIGN section 5, fault F24)."""

import random
from typing import Any

import pytest

from match_handler.match.seating import LeaveReason
from match_handler.protocol.notices import NOTICES
from match_handler.protocol.payloads import OpCode
from set_core.validator import find_sets_among
from tests.match.driver import MatchDriver, play_to_the_end, started
from tests.match.messages import PlayerMessage, claim, hint, sync

SEED = 1_234_567_891
OPTIONS: dict[str, Any] = {
    "maxPlayers": 3,
    "bots": [{"level": "HARD"}],
    "timeLimitSeconds": 600,
    "seed": SEED,
}
ORDERS = ("TICK", "ARRIVAL")


def output(driver: MatchDriver) -> tuple[Any, ...]:
    """Return all output of the service except the state and the stored records."""
    messages = [(message.op_code, message.audience, message.data) for message in driver.received]
    return messages, driver.label, driver.wake_ms, driver.kicks, driver.lines


def pair(known: int, number: int) -> tuple[MatchDriver, MatchDriver]:
    """Return two matches that differ only in the order of the cards after the first `known` ones."""
    options = {**OPTIONS, "claimOrder": ORDERS[number % len(ORDERS)]}
    one, other = (started(options, "ann", "bob", chance=number) for _ in range(2))
    order = list(one.session.order)
    hidden = order[known:]
    random.Random(number).shuffle(hidden)
    for driver, rest in ((one, order[known:]), (other, hidden)):
        inside_order = [*order[:known], *rest]
        driver.set_deck(inside_order, drawn=driver.session.drawn, slots=driver.session.slots)
    return one, other


def moves(chance: random.Random, driver: MatchDriver, turn: int) -> list[PlayerMessage]:
    sets = find_sets_among(driver.board)
    user = chance.choice(("ann", "bob"))
    cards = chance.choice(sets) if sets and chance.random() < 0.7 else tuple(chance.sample(range(81), 3))
    return [claim(user, cards, f"c{turn}"), sync("bob"), hint("ann"), PlayerMessage("bob", 99, b"?")]


@pytest.mark.parametrize("number", range(12))
@pytest.mark.parametrize("known", [15, 36, 60])
def test_decks_with_other_hidden_cards_look_the_same(number: int, known: int) -> None:
    chance = random.Random(number)
    one, other = pair(known, number)
    assert one.state != other.state
    for turn in range(200):
        assert output(one) == output(other)
        messages, pause_ms = moves(chance, one, turn), chance.choice((50, 700, 3_000))
        received = len(one.received), len(other.received)
        for driver in (one, other):
            driver.loop(*messages, after_ms=pause_ms)
        if max(one.session.drawn, other.session.drawn) > known or one.session.end_reason:
            break
        assert one.signal("snapshot") == other.signal("snapshot")
    assert received[0] == received[1] > 0
    assert max(one.session.drawn, other.session.drawn) > known, "hidden cards were dealt at the end"


def test_seed_is_in_no_message_to_players() -> None:
    driver = started(OPTIONS, "ann", "bob")
    driver.join("sue")
    driver.claim("ann", driver.not_a_set)
    driver.disconnect("bob")
    driver.join("bob", session="back")
    play_to_the_end(driver, "ann")
    assert driver.bodies(OpCode.MATCH_ENDED)
    assert str(SEED) not in repr(output(driver))
    assert str(SEED).encode() not in NOTICES.SerializeToString()
    assert "seed" not in repr([message.body for message in driver.received])


def test_join_rejections_reveal_nothing_about_the_game() -> None:
    driver = started({"allowSpectators": False})
    driver.leave("bob", reason=LeaveReason.DISCONNECTED)
    assert {
        driver.attempt(user, spectate=value) for user in ("eve", "mallory") for value in ("False", "true")
    } <= {
        "match already started",
        "spectators not allowed",
    }


def test_deck_is_public_only_after_the_end() -> None:
    driver = started()
    order = list(driver.session.order)
    driver.claim("ann", driver.sets[0])
    assert all("deck" not in message.body for message in driver.received)
    driver.settle()
    play_to_the_end(driver)
    assert driver.bodies(OpCode.MATCH_ENDED)[0]["deck"] == order
    assert driver.snapshot("ann")["results"]["deck"] == order


def test_stale_claim_reveals_no_hidden_card() -> None:
    driver = started()
    driver.claim_set("ann")
    session = driver.session
    taken = [card for card in session.order[: session.drawn] if card not in driver.board]
    answers = []
    for cards in (taken, list(session.order[session.drawn : session.drawn + 3])):
        body = driver.claim("bob", cards).body
        answers.append((body["reason"], body["message"], body["mixedAttribute"], body["slots"]))
        driver.wait(1_000)
    assert answers[0] == answers[1]
