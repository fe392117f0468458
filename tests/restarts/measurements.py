"""The measured effect of restarts of Nakama."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Restarts:
    """The effects of restarts of one kind.

    Attributes:
        times: How often it occurred.
        matches: Matches that were running, together.
        claims: Claims whose result players received, before and after.
        missing: Results that players received shortly before the restart, and that no record contains.
        counted_twice: Sets beyond the cards that left the board.
        results_wrong: Records that are lost or do not replay, and wins that are lost or duplicated.
        matches_lost: Matches that players could not join again.
        answer_s: The longest time from the start of Nakama to the next result of a claim, in seconds.
        clock_error_s: The largest difference between the match clock and its expected time, in seconds.
    """

    times: int = 0
    matches: int = 0
    claims: int = 0
    missing: int = 0
    counted_twice: int = 0
    results_wrong: int = 0
    matches_lost: int = 0
    answer_s: float = 0.0
    clock_error_s: float = 0.0

    def __add__(self, other: Restarts) -> Restarts:
        return Restarts(
            self.times + other.times,
            self.matches + other.matches,
            self.claims + other.claims,
            self.missing + other.missing,
            self.counted_twice + other.counted_twice,
            self.results_wrong + other.results_wrong,
            self.matches_lost + other.matches_lost,
            max(self.answer_s, other.answer_s),
            max(self.clock_error_s, other.clock_error_s),
        )


COLUMNS = (
    "fault, match",
    "times",
    "matches",
    "claims",
    "results missing (interval)",
    "Sets counted twice",
    "results lost or duplicated",
    "matches lost",
    "start to next result (s)",
    "clock error (s)",
)
