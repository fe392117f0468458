"""Bringing people to tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.native.room import QUICK

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.native.room import Room
    from tests.page.visitor import Visitor


def sit_both(room: Room, come: Callable[..., Visitor], **options: object) -> tuple[Visitor, Visitor]:
    """Let Ann and Bob follow the link to one match, and wait for the deal."""
    match_id = room.match(**{"animationMs": QUICK, **options})
    ann, bob = come("Ann"), come("Bob")
    for visitor in (ann, bob):
        visitor.sit_down(match_id)
    for visitor in (ann, bob):
        expect(visitor.board).to_be_visible()
    return ann, bob
