"""A table with a twin that is never put into bytes: if anything lived outside the state, they would part."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from match_handler.match.context import Presence
from match_handler.match.match import Match
from match_handler.match.step import Outbox
from tests.match.driver import MATCH_ID, NOON, TableDriver

_T = TypeVar("_T")


class TwinnedDriver(TableDriver):
    """Does everything twice: to the match built anew from its bytes, and to one that lives on."""

    def __init__(self, options: dict[str, Any], *, expected: Iterable[str] = (), chance: int = 1) -> None:
        super().__init__(options, expected=expected, chance=chance)
        users = [Presence(user, "", user) for user in expected]
        self._living = Match.create(MATCH_ID, self.options, NOON, chance.to_bytes(8) + bytes(16), users)
        assert self._living.step().state == self.state

    def call(self, act: Callable[[Match], _T]) -> _T:
        restored = Match.restore(MATCH_ID, self.state, self.moment)
        self._living._table.out, self._living._table.call = Outbox(), self.moment
        answers = [act(match) for match in (restored, self._living)]
        step, twin = restored.step(), self._living.step()
        assert step == twin
        assert answers[0] == answers[1]
        self._apply(step)
        return answers[0]
