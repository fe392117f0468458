"""`set-match serve`, except that every step returns each effect twice, as if the step was applied twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from match_handler.cli import main
from match_handler.match.match import Match

if TYPE_CHECKING:
    from match_handler.match.step import Step

LOG_LINE = "effects are returned twice"

original_step = Match.step


def step_with_duplicate_effects(match: Match) -> Step:
    """Return the next step with each effect twice."""
    step = original_step(match)
    if step.effects:
        print(LOG_LINE, flush=True)  # noqa: T201 - read by the test
    return replace(step, effects=[*step.effects, *step.effects])


if __name__ == "__main__":
    Match.step = step_with_duplicate_effects  # type: ignore[assignment, method-assign]
    main(["serve"])
