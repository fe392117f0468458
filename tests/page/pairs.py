"""Helper for matches of two visitors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playwright.sync_api import expect

from tests.support.clients import QUICK

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.page.visitor import Visitor
    from tests.support.clients import Clients


def join_both(
    clients: Clients, new_visitor: Callable[..., Visitor], **options: Any
) -> tuple[Visitor, Visitor]:
    """Let Ann and Bob join a match by its link, and wait for the first board."""
    match_id = clients.create_match(**{"animationMs": QUICK, **options})
    ann, bob = new_visitor("Ann"), new_visitor("Bob")
    for visitor in (ann, bob):
        visitor.join(match_id)
    for visitor in (ann, bob):
        expect(visitor.board).to_be_visible()
    return ann, bob
