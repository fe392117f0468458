"""A driver with a second match that is never encoded, to find values that are not in the state."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from match_handler.match.context import Presence
from match_handler.match.match import Match
from match_handler.match.step import Outbox
from tests.match.driver import MATCH_ID, NOON, MatchDriver

_T = TypeVar("_T")


class TwinnedDriver(MatchDriver):
    """Runs every call on a match restored from its bytes and on one that stays in memory."""

    def __init__(self, options: dict[str, Any], *, expected: Iterable[str] = (), chance: int = 1) -> None:
        super().__init__(options, expected=expected, chance=chance)
        users = [Presence(user, "", user) for user in expected]
        self._in_memory = Match.create(MATCH_ID, self.options, NOON, chance.to_bytes(8) + bytes(16), users)
        assert self._in_memory.step().state == self.state

    def call(self, act: Callable[[Match], _T]) -> _T:
        restored = Match.restore(MATCH_ID, self.state, self.moment)
        self._in_memory._context.out, self._in_memory._context.call = Outbox(), self.moment
        returned = [act(match) for match in (restored, self._in_memory)]
        step, twin = restored.step(), self._in_memory.step()
        assert step == twin
        assert returned[0] == returned[1]
        self._apply(step)
        return returned[0]
