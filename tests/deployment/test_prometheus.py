"""A Prometheus scrapes the real service and the real Nakama: alarms go off, panels show numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.deployment.live import Prometheus, Shown, prometheus
from tests.deployment.test_observability import ports

if TYPE_CHECKING:
    from demo.player import Player
    from demo.stack import NativeStack
    from tests.native.room import Room

LOOKS = 600
OF_AN_OUTAGE = {"SetMatchesPaused", "SetNotWatched", "SetRulesCallsFail"}
OF_BATCHES = re.compile(r'[^!]="MatchBatch"|_batch')
"""What a single table may leave empty."""


def full_panels(watching: Prometheus, player: Player) -> list[Shown]:
    """The panels when all show numbers: a rate needs two scrapes, and claims between them."""
    for _ in range(LOOKS):
        player.verdict(player.claim_non_set())
        panels = watching.panels()
        empty = [shown for shown in panels if not shown.values and not OF_BATCHES.search(shown.expr)]
        if not empty:
            return panels
    raise AssertionError(f"show nothing: {empty}")


def value(panels: list[Shown], panel: str, legend: str) -> float:
    (number,) = next(shown.values for shown in panels if (shown.panel, shown.legend) == (panel, legend))
    return number


@pytest.mark.nakama
def test_an_outage_sets_alarms_off_and_every_panel_shows_numbers(stack: NativeStack, room: Room) -> None:
    one, other = room.two()
    with prometheus(ports(stack)) as watching:
        one.verdict(one.claim_set())
        a_set = one.a_set()  # a board without one would wait for the service to grow
        stack.kill_rules()
        waiting = one.claim(a_set)
        watching.wait_for("SetMatchesPaused", firing=True)
        stack.start_rules()
        one.verdict(waiting)
        watching.wait_for("SetMatchesPaused", firing=False)
        for player in (one, other):
            player.leave()
        panels = full_panels(watching, room.two()[0])

    assert watching.fired <= OF_AN_OUTAGE
    # In one unit: a trip takes longer than its call, not as much as milliseconds look longer than seconds.
    call = value(panels, "Time in a call", "p50 of MatchLoop")
    assert call < value(panels, "Round trip", "p50") < 500 * call
