"""No message, label or response depends on undealt cards."""

import json
import random
from collections import Counter
from typing import Any

import pytest

from tests.leaks.crowd import Crowd
from tests.leaks.shadow import ShadowedMatch
from tests.proof.ledger import Tries

QUICK, THOROUGH = 6, 60
CALLS = 150
CLAIM = "no output to players, spectators, rejoining, denied or other users depends on undealt cards"
HOW = "calls of random matches, repeated with the undealt cards shuffled"

KINDS: dict[str, dict[str, Any]] = {
    "two": {"penalty": "POINT"},
    "timed": {"timeLimitSeconds": 60, "penalty": "TIME", "tieBreakFewestInvalid": True},
    "four": {"maxPlayers": 4, "reconnectWindowSeconds": 3, "penalizeStaleClaims": False},
    "closed": {"allowSpectators": False, "reconnectWindowSeconds": 0},
    "bots": {"mode": "SINGLE_PLAYER", "hints": True, "bots": [{"level": "HARD"}, {"level": "EASY"}]},
    "device": {"mode": "PASS_AND_PLAY", "localPlayers": ["x", "y"]},
    "arrival": {
        "claimOrder": "ARRIVAL",
        "timeLimitSeconds": 120,
        "maxPlayers": 3,
        "bots": [{"level": "HARD"}],
    },
    "daily": {"mode": "DAILY_CHALLENGE", "hints": True},
}


def _play_match(kind: str, number: int, monkeypatch: pytest.MonkeyPatch) -> tuple[int, Counter[str]]:
    chance = random.Random(f"{kind} {number}")
    match = ShadowedMatch(json.dumps(KINDS[kind]).encode(), chance, monkeypatch)
    crowd = Crowd(match, chance)
    for _ in range(CALLS):
        if not crowd.over:
            crowd.act()
    return match.compared, crowd.received


def _play_matches(kind: str, matches: range, monkeypatch: pytest.MonkeyPatch, tried: Tries) -> Counter[str]:
    received: Counter[str] = Counter()
    for number in matches:
        compared, counts = _play_match(kind, number, monkeypatch)
        tried(compared)
        received += counts
    return received


@pytest.mark.claim(CLAIM, HOW)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.fault("F24")
def test_decks_with_other_undealt_cards_look_the_same(
    kind: str, monkeypatch: pytest.MonkeyPatch, tried: Tries
) -> None:
    received = _play_matches(kind, range(QUICK), monkeypatch, tried)

    assert {"SNAPSHOT", "MATCH_STARTED", "CLAIM_RESULT", "CLAIM_REJECTED", "signal"} <= received.keys()


@pytest.mark.proof
@pytest.mark.timeout(1800)
@pytest.mark.claim(CLAIM, HOW)
@pytest.mark.parametrize("kind", KINDS)
def test_decks_look_the_same_in_hundreds_of_matches(
    kind: str, monkeypatch: pytest.MonkeyPatch, tried: Tries
) -> None:
    received = _play_matches(kind, range(QUICK, THOROUGH), monkeypatch, tried)

    assert {"MATCH_ENDED", "BOARD_EXPANDED", "PLAYER_CHANGED"} <= received.keys()
