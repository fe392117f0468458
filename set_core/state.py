"""The state of a game as plain values, to be stored between two calls."""

from dataclasses import dataclass


@dataclass(slots=True)
class PlayerState:
    """The state of one player in a game."""

    bot: bool = False
    """Whether the player is a bot."""
    score: int = 0
    """Points after penalties, never below 0 (rules R27 and R28)."""
    sets_collected: int = 0
    """Number of Sets; decides who wins (rules R28 and R32)."""
    invalid_attempts: int = 0
    """Number of invalid claims, including stale claims if the options penalize them."""
    forfeited: bool = False
    """Whether the player has forfeited."""
    locked_until_ms: int = 0
    """The end of this player's own lock."""
    penalty_ms: int = 0
    """The sum of this player's time penalties, in milliseconds."""


@dataclass(slots=True)
class SessionState:
    """The state of a game, without its options. Times are match-clock milliseconds."""

    order: bytes
    """The deck: all card ids from top to bottom, including drawn cards."""
    drawn: int
    """The number of drawn cards."""
    slots: list[int]
    """The board: one card id per slot, -1 for an empty slot."""
    players: list[PlayerState]
    """The players, by seat."""
    board_version: int = 0
    """The number of changes of the board; 0 before the deal."""
    started_ms: int = -1
    """The time of the deal; -1 before the deal."""
    seen_ms: int = 0
    """The current time of the game: the latest time of a call."""
    locked_after_ms: int = -1
    """The start of the lock for all players; claims are rejected after it and before `locked_until_ms`."""
    refill_from_ms: int = 0
    """The start of the refill animation, in a lock after a valid claim."""
    locked_until_ms: int = 0
    """The end of the lock for all players."""
    expanding: bool = False
    """Whether the lock is for an expansion."""
    expansion_due: bool = False
    """Whether the board has no Set and will be expanded at the end of the lock."""
    ended_ms: int = -1
    """The time of the end; -1 before the end."""
    end_reason: str = ""
    """The name of the `EndReason`; empty before the end."""

    @property
    def is_started(self) -> bool:
        """Whether the cards were dealt."""
        return self.started_ms >= 0

    @property
    def is_running(self) -> bool:
        """Whether the cards were dealt and the game is not over."""
        return self.started_ms >= 0 and not self.end_reason
