"""`set-match serve`, but every step asks for its effects twice, as a step would that was applied again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from match_handler.cli import main
from match_handler.match.match import Match

if TYPE_CHECKING:
    from match_handler.match.step import Step

TWICE = "effects are asked for twice"

once = Match.step


def twice(match: Match) -> Step:
    step = once(match)
    if step.effects:
        print(TWICE, flush=True)  # noqa: T201 - the log tells the test that it happened
    return replace(step, effects=[*step.effects, *step.effects])


if __name__ == "__main__":
    Match.step = twice  # type: ignore[assignment, method-assign]
    main(["serve"])
