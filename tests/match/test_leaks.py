"""Messages to players do not depend on undealt cards (DESIGN section 5, fault F24)."""

from typing import Any

from match_handler.match.seating import LeaveReason
from match_handler.protocol.notices import NOTICES
from match_handler.protocol.payloads import OpCode
from tests.match.driver import MatchDriver, play_to_the_end, started

SEED = 1_234_567_891
OPTIONS: dict[str, Any] = {
    "maxPlayers": 3,
    "bots": [{"level": "HARD"}],
    "timeLimitSeconds": 600,
    "seed": SEED,
}


def output(driver: MatchDriver) -> tuple[Any, ...]:
    """Return all output of the service except the state and the stored records."""
    messages = [(message.op_code, message.audience, message.data) for message in driver.received]
    return messages, driver.label, driver.wake_ms, driver.kicks, driver.lines


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
