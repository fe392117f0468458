"""Two players who claim continuously while a fault occurs, and the measurement of its effects."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from demo.client import messages as wire
from demo.client.duel import Duel, Pace
from demo.client.nakama_socket import NakamaError
from demo.client.vocabulary import Change
from tests.containers.measurements import Measurement
from tests.support.clients import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterable

    from demo.client.player import Player
    from tests.support.clients import Room

NO_DELAY = Pace(0.0, 0.0)
SEED = 81
INVALID_SHARE = 0.2
ROUNDS_AFTERWARDS = 2
OUTAGE_ERROR = "rules service unavailable"

Fault = Callable[[Callable[[], None]], None]
"""Causes a fault, calls its argument when the fault is effective, and ends the fault."""


class Claim(NamedTuple):
    """A claim and when it was sent and answered; `answered_s` is None without an answer."""

    player: Player
    claim_id: str
    sent_s: float
    answered_s: float | None


class RunningFault:
    """A fault that runs in a thread of its own.

    Attributes:
        started_s: When it started, on the monotonic clock.
        ended_s: When it ended, or None.
    """

    def __init__(self, fault: Fault) -> None:
        self._fault = fault
        self._error: BaseException | None = None
        self._effective = threading.Event()
        self._thread = threading.Thread(target=self._run, name="fault")
        self.started_s = time.monotonic()
        self.ended_s: float | None = None
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether the fault has not ended."""
        return self._thread.is_alive()

    @property
    def is_effective(self) -> bool:
        """Whether the fault has had its effect, such as a killed container."""
        return self._effective.is_set()

    def wait_until_effective(self) -> None:
        """Wait for the effect of the fault."""
        self._effective.wait()

    def finish(self) -> None:
        """Wait for the end of the fault, and raise its error if there is one."""
        self._thread.join()
        if self._error is not None:
            raise self._error

    def overlaps(self, claim: Claim) -> bool:
        """Return whether the claim was sent or waited for its answer during the fault."""
        assert self.ended_s is not None
        answered_s = self.ended_s if claim.answered_s is None else claim.answered_s
        return claim.sent_s <= self.ended_s and answered_s >= self.started_s

    def _run(self) -> None:
        try:
            self._fault(self._effective.set)
        except BaseException as error:  # noqa: BLE001 - raised by `finish` in the thread of the test
            self._error = error
        finally:
            self.ended_s = time.monotonic()
            self._effective.set()


class ClaimLoad:
    """Matches of two players, one after the other; both players claim at the same time."""

    def __init__(self, room: Room, seed: int) -> None:
        self._room = room
        self._random = random.Random(seed)
        self.players = room.two()
        self._all_players = list(self.players)
        self._faults = 0

    def measure(self, fault: Fault) -> Measurement:
        """Play during a fault and for a few rounds after it, and return its effects.

        The first, third, ... time the players claim directly after the fault became effective; the second,
        fourth, ... time they also claim while it becomes effective.
        """
        self._wait_until_idle()
        before = self._errors()
        running = RunningFault(fault)
        claims = self._play_until_effective(running)
        claims += self._send_claims()
        while running.is_running:
            claims += self._play_round()
        running.finish()
        for _ in range(ROUNDS_AFTERWARDS):
            claims += self._play_round()
        for player in self.players:
            player.sync()
        sets, disconnections = (
            after - earlier for after, earlier in zip(self._errors(), before, strict=True)
        )
        return measurement_of(running, claims, sets + duplicate_answers(claims), disconnections)

    def finish_match(self) -> None:
        """Play the current match to its end."""
        Duel(*self.players, NO_DELAY, self._random).play()

    def pauses(self) -> int:
        """Return how many messages about a pause the players have received."""
        messages = [message for player in self._all_players for message in player.messages]
        return sum(isinstance(message, wire.ServiceStatus) and message.paused for message in messages)

    def _wait_until_idle(self) -> None:
        """Wait until claims are accepted; start a new match if the current one is over."""
        for player in self.players:
            player.wait_until_idle()
        if any(player.model.results for player in self.players):
            self.players = wait_until(self._new_players)
            self._all_players += self.players
            self._wait_until_idle()

    def _new_players(self) -> tuple[Player, Player] | None:
        """Return two players in a new match, or None during an outage."""
        try:
            return self._room.two()
        except NakamaError as error:
            if OUTAGE_ERROR not in error.reason:
                raise
            return None

    def _play_until_effective(self, running: RunningFault) -> list[Claim]:
        claims: list[Claim] = []
        self._faults += 1
        while self._faults % 2 == 0 and not running.is_effective:
            claims += self._play_round()
        running.wait_until_effective()
        return claims

    def _play_round(self) -> list[Claim]:
        self._wait_until_idle()
        return self._send_claims()

    def _send_claims(self) -> list[Claim]:
        """Let both players claim at the same time, mostly the same Set, and wait for the answers."""
        claimants = self._random.sample(self.players, 2)
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
        if not player.answers_to(claim_id):
            try:
                player.wait_for_answer(claim_id)
            except TimeoutError:
                return None
        return time.monotonic()

    def _errors(self) -> tuple[int, int]:
        """Return the surplus Sets and the disconnections in all matches."""
        players = self._all_players
        return sum(map(surplus_sets, players)), sum(map(disconnections_seen_by, players))


def measurement_of(
    running: RunningFault, claims: list[Claim], duplicates: int, disconnections: int
) -> Measurement:
    """Return the measurement of one fault that has ended."""
    assert running.ended_s is not None
    return Measurement(
        times=1,
        duration_s=running.ended_s - running.started_s,
        claims=len(claims),
        during_fault=sum(running.overlaps(claim) for claim in claims),
        lost=sum(claim.answered_s is None for claim in claims),
        duplicates=duplicates,
        disconnections=disconnections,
        longest_wait_s=max(
            claim.answered_s - claim.sent_s for claim in claims if claim.answered_s is not None
        ),
    )


def duplicate_answers(claims: Iterable[Claim]) -> int:
    """Return the number of answers beyond the first of each claim."""
    return sum(max(0, len(claim.player.answers_to(claim.claim_id)) - 1) for claim in claims)


def surplus_sets(player: Player) -> int:
    """Return how many more Sets the player has in the match than valid claims."""
    return player.model.players[player.seat].sets_collected - valid_claims(player)


def valid_claims(player: Player) -> int:
    """Return the number of the player's claims with a valid result."""
    results = [message for message in player.messages if isinstance(message, wire.ClaimResult)]
    return len({result.claim_id for result in results if result.valid and result.seat == player.seat})


def disconnections_seen_by(player: Player) -> int:
    """Return how many disconnections of players the player was informed of."""
    changes = [message for message in player.messages if isinstance(message, wire.PlayerChanged)]
    return sum(message.change == Change.DISCONNECTED for message in changes)
