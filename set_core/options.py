"""The options of a match, with the defaults of mode ONLINE."""

from dataclasses import dataclass, field

from set_core.choices import AnimationMs, BotLevel, ClaimOrder, Mode, Penalty

__all__ = ["AnimationMs", "BotLevel", "ClaimOrder", "MatchOptions", "Mode", "Penalty"]


@dataclass(frozen=True, slots=True)
class MatchOptions:
    """The options of a match (DESIGN section 6).

    This class is the only list of all options: checks, JSON forms and payloads are derived from it.

    The constructor does not validate: a running match keeps its options, even if a newer version would reject
    them. Use `set_core.option_checks.checked_options` for a new match.
    """

    mode: Mode = Mode.ONLINE
    """The kind of match."""
    max_players: int = 2
    """The number of seats, including bots: 1..8."""
    min_players: int = 2
    """The number of players that a start needs: 1..max_players."""
    time_limit_seconds: int = 0
    """The time limit of a game, in seconds: 0..86400; 0: no limit."""
    penalty: Penalty = Penalty.NONE
    """The cost of an invalid claim; TIME needs a time limit (decision D7)."""
    time_penalty_seconds: int = 5
    """The penalty in mode TIME, in seconds of the player's clock: 1..3600."""
    tie_break_fewest_invalid: bool = False
    """Whether fewer invalid attempts win a tie (rule R32)."""
    penalize_stale_claims: bool = True
    """Whether a stale claim counts as an invalid attempt (decision D2)."""
    reconnect_window_seconds: int = 30
    """The reconnect window, in seconds: 0..3600."""
    animation_ms: AnimationMs = field(default_factory=AnimationMs)
    """How long each animation locks claims."""
    bots: tuple[BotLevel, ...] = ()
    """The bots: at most 7, and at least one seat stays free for a user."""
    allow_spectators: bool = True
    """Whether spectators can join."""
    local_players: tuple[str, ...] = ()
    """The names of the local players, only in PASS_AND_PLAY: 1..8 distinct names of 1..32 characters."""
    hints: bool = False
    """Whether players can request hints; only in SINGLE_PLAYER and DAILY_CHALLENGE."""
    private: bool = False
    """Whether a join needs an invitation; only in ONLINE."""
    claim_order: ClaimOrder = ClaimOrder.TICK
    """The order in which claims are judged (rule R20)."""
    seed: int = 0
    """The seed of the deck: 0..2147483647; 0: random."""

    @property
    def human_seats(self) -> int:
        """The number of seats without bots."""
        return self.max_players - len(self.bots)
