"""Two players who go on playing while something happens to the referee, and count what it costs them."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from demo import messages as wire
from demo.duel import Duel, Pace
from demo.nakama_socket import NakamaError
from demo.vocabulary import Change
from tests.containers.toll import Toll

if TYPE_CHECKING:
    from collections.abc import Iterable

    from demo.player import Player
    from tests.native.room import Room

AT_ONCE = Pace(0.0, 0.0)
SEED = 81
MISTAKE_SHARE = 0.2
ROUNDS_AFTERWARDS = 2
AWAY = "rules service unavailable"
LOOK_EVERY_S = 0.05

Disturbance = Callable[[Callable[[], None]], None]


class Claim(NamedTuple):
    """A claim and when it was sent and answered; an answer that never came is None."""

    player: Player
    claim_id: str
    sent_s: float
    answered_s: float | None


class Happening:
    """Something that goes on in a thread of its own; what it raises is raised by `finish`.

    It is handed a function that it calls once the blow has fallen.
    """

    def __init__(self, what: Disturbance) -> None:
        self._what = what
        self._error: BaseException | None = None
        self._struck = threading.Event()
        self._thread = threading.Thread(target=self._run, name="fault")
        self.began_s = time.monotonic()
        self.ended_s: float | None = None
        self._thread.start()

    @property
    def going_on(self) -> bool:
        return self._thread.is_alive()

    @property
    def has_struck(self) -> bool:
        return self._struck.is_set()

    def wait_for_the_blow(self) -> None:
        self._struck.wait()

    def finish(self) -> None:
        self._thread.join()
        if self._error is not None:
            raise self._error

    def overlaps(self, claim: Claim) -> bool:
        """Whether the claim was sent, or waited for its answer, while this went on."""
        assert self.ended_s is not None
        answered_s = self.ended_s if claim.answered_s is None else claim.answered_s
        return claim.sent_s <= self.ended_s and answered_s >= self.began_s

    def _run(self) -> None:
        try:
            self._what(self._struck.set)
        except BaseException as error:  # noqa: BLE001 - handed to the test's own thread
            self._error = error
        finally:
            self.ended_s = time.monotonic()
            self._struck.set()


class Contest:
    """Matches of two players, one after the other, with claims of both at once."""

    def __init__(self, room: Room, seed: int) -> None:
        self._room = room
        self._chance = random.Random(seed)
        self.players = room.two()
        self._everybody = list(self.players)
        self._tries = 0

    def during(self, what: Disturbance) -> Toll:
        """Play on while something happens and a little longer, and return what it cost.

        Every other time the players wait for the blow and claim just after it; else they play when it falls.
        """
        self._calm()
        before = self._wrongs()
        happening = Happening(what)
        claims = self._until_the_blow(happening)
        claims += self._claims()
        while happening.going_on:
            claims += self._round()
        happening.finish()
        for _ in range(ROUNDS_AFTERWARDS):
            claims += self._round()
        for player in self.players:
            player.sync()
        twice, thrown_out = (after - earlier for after, earlier in zip(self._wrongs(), before, strict=True))
        return toll_of(happening, claims, twice + too_many(claims), thrown_out)

    def play_to_the_end(self) -> None:
        """Finish the match that is going on."""
        Duel(*self.players, AT_ONCE, self._chance).play()

    def pauses(self) -> int:
        """How often a player was told that the referee is away."""
        told = [message for player in self._everybody for message in player.heard]
        return sum(isinstance(message, wire.ServiceStatus) and message.paused for message in told)

    def _calm(self) -> None:
        """Take a new match where this one is over, and wait until claims are taken."""
        for player in self.players:
            player.wait_until_idle()
        if any(player.table.results for player in self.players):
            self.players = self._newcomers()
            self._everybody += self.players
            self._calm()

    def _newcomers(self) -> tuple[Player, Player]:
        """Two players at a new table, as soon as there is a referee for it."""
        while True:
            try:
                return self._room.two()
            except NakamaError as refused:
                if AWAY not in refused.reason:
                    raise
            time.sleep(LOOK_EVERY_S)

    def _until_the_blow(self, happening: Happening) -> list[Claim]:
        claims: list[Claim] = []
        self._tries += 1
        while self._tries % 2 == 0 and not happening.has_struck:
            claims += self._round()
        happening.wait_for_the_blow()
        return claims

    def _round(self) -> list[Claim]:
        self._calm()
        return self._claims()

    def _claims(self) -> list[Claim]:
        """Both claim at once: the same Set, or one of them three cards that are none."""
        claimants = self._chance.sample(self.players, 2)
        sent = [(player, self._claim(player), time.monotonic()) for player in claimants]
        return [
            Claim(player, claim_id, at, self._answered(player, claim_id)) for player, claim_id, at in sent
        ]

    def _claim(self, player: Player) -> str:
        mistaken = self._chance.random() < MISTAKE_SHARE and player.can_err
        return player.claim_non_set() if mistaken or not player.table.sets else player.claim_set()

    def _answered(self, player: Player, claim_id: str) -> float | None:
        if not player.answers_to(claim_id):
            try:
                player.verdict(claim_id)
            except TimeoutError:
                return None
        return time.monotonic()

    def _wrongs(self) -> tuple[int, int]:
        """Sets too many and disconnections so far, in all matches."""
        return sum(map(sets_too_many, self._everybody)), sum(map(disconnections, self._everybody))


def toll_of(happening: Happening, claims: list[Claim], twice: int, thrown_out: int) -> Toll:
    assert happening.ended_s is not None
    return Toll(
        times=1,
        lasted_s=happening.ended_s - happening.began_s,
        claims=len(claims),
        meanwhile=sum(happening.overlaps(claim) for claim in claims),
        lost=sum(claim.answered_s is None for claim in claims),
        twice=twice,
        thrown_out=thrown_out,
        waited_s=max(claim.answered_s - claim.sent_s for claim in claims if claim.answered_s is not None),
    )


def too_many(claims: Iterable[Claim]) -> int:
    """Answers to a claim beyond the first."""
    return sum(max(0, len(claim.player.answers_to(claim.claim_id)) - 1) for claim in claims)


def sets_too_many(player: Player) -> int:
    """Sets that the match counts for a player beyond the claims that it has called valid."""
    return player.table.players[player.seat].sets_collected - valid_claims(player)


def valid_claims(player: Player) -> int:
    results = [message for message in player.heard if isinstance(message, wire.ClaimResult)]
    return len({result.claim_id for result in results if result.valid and result.seat == player.seat})


def disconnections(player: Player) -> int:
    changes = [message for message in player.heard if isinstance(message, wire.PlayerChanged)]
    return sum(told.change == Change.DISCONNECTED for told in changes)
