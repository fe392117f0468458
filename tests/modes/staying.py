"""Players who stay at a table when its game is over."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from demo import messages as wire
from demo.vocabulary import Op

if TYPE_CHECKING:
    from demo.player import Player

OVER = "+label.phase:MATCH_END"
LOOK_EVERY_S = 0.25
ANSWERED_WITHIN_S = 1.0


def stay(players: tuple[Player, Player]) -> int:
    """Say how long after its end a match that nobody leaves still answers."""
    player, _ = players
    player.wait_for(wire.MatchEnded)
    ended_ms = seen_ms = player.sync().now_ms
    while not _is_listed(player):
        time.sleep(LOOK_EVERY_S)
    while _is_listed(player):
        seen_ms = _now_ms(player) or seen_ms
        time.sleep(LOOK_EVERY_S)
    return seen_ms - ended_ms


def _is_listed(player: Player) -> bool:
    return any(match["match_id"] == player.match_id for match in player.client.matches(OVER))


def _now_ms(player: Player) -> int | None:
    """The match's time, if it answers."""
    player.send(Op.SYNC, {})
    with suppress(TimeoutError):
        while not isinstance(told := player.receive(ANSWERED_WITHIN_S), wire.Snapshot):
            pass
        return told.now_ms
    return None
