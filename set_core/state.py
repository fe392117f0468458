"""A game as plain values, for whoever keeps it between two calls."""

from dataclasses import dataclass


@dataclass(slots=True)
class PlayerState:
    """One seat of a game."""

    bot: bool = False
    """Whether no human sits here."""
    score: int = 0
    """Points, never below 0 (rules, "Scoring")."""
    sets_collected: int = 0
    """Sets claimed; these decide who wins."""
    invalid_attempts: int = 0
    """Invalid claims that counted."""
    forfeited: bool = False
    """Out for good."""
    locked_until_ms: int = 0
    """Until when this player's claims are refused after a claim that was judged."""
    penalty_ms: int = 0
    """What time penalties have taken off this player's clock."""


@dataclass(slots=True)
class SessionState:
    """Everything that a game is, apart from its options; times are match-clock milliseconds."""

    order: bytes
    """The deck: every card id from top to bottom."""
    drawn: int
    """How many cards of the deck are gone."""
    slots: list[int]
    """The board: one card id per slot, -1 for an empty one."""
    players: list[PlayerState]
    """The seats."""
    board_version: int = 0
    """Rises by one with every change of the board; 0 before the deal."""
    started_ms: int = -1
    """When the cards were dealt; -1 before."""
    seen_ms: int = 0
    """The latest time that the game was told."""
    locked_after_ms: int = -1
    """Everybody's claims are refused after this time and before `locked_until_ms`."""
    refill_from_ms: int = 0
    """When, within a lock after a valid claim, the refill is shown."""
    locked_until_ms: int = 0
    """When the lock ends."""
    expanding: bool = False
    """Whether the lock is that of an expansion."""
    expansion_due: bool = False
    """Whether the board has no Set and grows when the lock ends."""
    ended_ms: int = -1
    """When the game ended; -1 before."""
    end_reason: str = ""
    """The name of the `EndReason`; empty while the game goes on."""

    @property
    def is_started(self) -> bool:
        """Whether the cards were dealt."""
        return self.started_ms >= 0

    @property
    def is_running(self) -> bool:
        """Whether the cards were dealt and the game is not over."""
        return self.started_ms >= 0 and not self.end_reason
