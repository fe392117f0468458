"""Players who claim continuously while a fault occurs, and the measurement of its effects."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from demo.client import messages as wire
from demo.client.duel import play_duel
from demo.client.nakama_socket import NakamaError
from demo.client.vocabulary import Change
from tests.containers.measurements import Measurement
from tests.support.clients import CLAIM_ORDERS, wait_until

if TYPE_CHECKING:
    from concurrent.futures import Future

    from demo.client.player import Player
    from tests.support.clients import Clients

SEED = 81
INVALID_SHARE = 0.2
ROUNDS_AFTERWARDS = 2
OUTAGE_ERRORS = ("rules service unavailable", "Error finding user account")

Fault = Callable[[Callable[[], None]], None]
"""Causes a fault, calls its argument when the fault is effective, and ends the fault."""


class Claim(NamedTuple):
    """A claim and when it was sent and answered; `answered_s` is None without an answer."""

    player: Player
    claim_id: str
    sent_s: float
    answered_s: float | None

    @property
    def duplicates(self) -> int:
        """Return the number of answers beyond the first."""
        return max(0, len(self.player.answers_to(self.claim_id)) - 1)


class ClaimLoad:
    """Matches of two players, one after the other for each claim order. All players claim together."""

    def __init__(self, clients: Clients, seed: int) -> None:
        self._clients = clients
        self._random = random.Random(seed)
        self.matches = {order: clients.pair(claimOrder=order) for order in CLAIM_ORDERS}
        self._all_players = [player for players in self.matches.values() for player in players]
        self._faults = 0

    def measure(self, fault: Fault) -> Measurement:
        """Play during a fault and for a few rounds after it, and return its effects.

        The first, third, ... time the players claim directly after the fault became effective; the second,
        fourth, ... time they also claim while it becomes effective.
        """
        self._wait_until_idle()
        sets, disconnections = self._errors()
        effective = threading.Event()
        with ThreadPoolExecutor(1) as pool:
            started_s = time.monotonic()
            running = pool.submit(self._ending, fault, effective)
            claims = self._play_during(running, effective)
            ended_s = running.result()
        for _ in range(ROUNDS_AFTERWARDS):
            claims += self._play_round()
        for players in self.matches.values():
            for player in players:
                player.sync()
        sets_after, disconnections_after = self._errors()
        waits = [(claim.sent_s, claim.answered_s) for claim in claims if claim.answered_s is not None]
        return Measurement(
            times=1,
            duration_s=ended_s - started_s,
            claims=len(claims),
            during_fault=sum(
                claim.sent_s <= ended_s and (claim.answered_s is None or claim.answered_s >= started_s)
                for claim in claims
            ),
            lost=len(claims) - len(waits),
            duplicates=sets_after - sets + sum(claim.duplicates for claim in claims),
            disconnections=disconnections_after - disconnections,
            longest_wait_s=max(answered_s - sent_s for sent_s, answered_s in waits),
        )

    def finish_matches(self) -> None:
        """Play the current matches to their end."""
        for players in self.matches.values():
            play_duel(players, rng=self._random)

    def pauses(self) -> int:
        """Return how many messages about a pause the players have received."""
        return sum(
            status.paused for player in self._all_players for status in player.received(wire.ServiceStatus)
        )

    def _ending(self, fault: Fault, effective: threading.Event) -> float:
        """Run a fault and return when it ended, on the monotonic clock."""
        try:
            fault(effective.set)
            return time.monotonic()
        finally:
            effective.set()

    def _play_during(self, running: Future[float], effective: threading.Event) -> list[Claim]:
        claims: list[Claim] = []
        self._faults += 1
        while self._faults % 2 == 0 and not effective.is_set():
            claims += self._play_round()
        effective.wait()
        claims += self._send_claims()
        while not running.done():
            claims += self._play_round()
        return claims

    def _wait_until_idle(self) -> None:
        """Wait until claims are accepted; start a new match in place of one that is over."""
        for order, players in self.matches.items():
            for player in players:
                player.wait_until_idle()
            if any(player.model.results for player in players):
                self.matches[order] = wait_until(partial(self._new_players, order))
                self._all_players += self.matches[order]
                for player in self.matches[order]:
                    player.wait_until_idle()

    def _new_players(self, order: str) -> tuple[Player, Player] | None:
        """Return two players in a new match, or None while the rules service or the database is down."""
        try:
            return self._clients.pair(claimOrder=order)
        except NakamaError as error:
            if not any(text in error.reason for text in OUTAGE_ERRORS):
                raise
            return None

    def _play_round(self) -> list[Claim]:
        self._wait_until_idle()
        return self._send_claims()

    def _send_claims(self) -> list[Claim]:
        """Let both players of each match claim, mostly the same Set, and wait for the answers."""
        claimants = [
            player
            for players in self.matches.values()
            for player in self._random.sample(players, len(players))
        ]
        sent = [(player, self._send_claim(player), time.monotonic()) for player in claimants]
        return [
            Claim(player, claim_id, sent_s, self._wait_for_answer(player, claim_id))
            for player, claim_id, sent_s in sent
        ]

    def _send_claim(self, player: Player) -> str:
        invalid = self._random.random() < INVALID_SHARE and player.can_claim_non_set
        return player.claim_non_set() if invalid or not player.model.sets else player.claim_set()

    def _wait_for_answer(self, player: Player, claim_id: str) -> float | None:
        """Return the time of the answer, or None if there was none."""
        try:
            player.wait_for_answer(claim_id)
        except TimeoutError:
            return None
        return time.monotonic()

    def _errors(self) -> tuple[int, int]:
        """Return the Sets beyond the valid claims, and the disconnections, in all matches."""
        players = self._all_players
        disconnected = [
            change
            for player in players
            for change in player.received(wire.PlayerChanged)
            if change.change == Change.DISCONNECTED
        ]
        return sum(map(surplus_sets, players)), len(disconnected)


def surplus_sets(player: Player) -> int:
    """Return how many more Sets the player has in the match than valid claims."""
    results = player.received(wire.ClaimResult)
    valid = {result.claim_id for result in results if result.valid and result.seat == player.seat}
    return player.model.players[player.seat].sets_collected - len(valid)
