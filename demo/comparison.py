"""How a player's model and the match are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from demo.messages import Player, Slot


class ModelMismatchError(AssertionError):
    """The model and the match disagree; the message names the field and both values."""


class SequenceGapError(ModelMismatchError):
    """A message to all is missing or came twice."""


def expect(field: str, own: object, told: object) -> None:
    """Compare one field.

    Raises:
        ModelMismatchError: The two differ.
    """
    if own != told:
        raise ModelMismatchError(f"{field}: the model has {own!r}, the match says {told!r}")


def lasting(players: Iterable[Player]) -> list[Player]:
    """Return players by seat without what passes by itself: clocks and personal locks."""
    stripped = (
        msgspec.structs.replace(player, time_remaining_ms=None, locked_until_ms=None) for player in players
    )
    return sorted(stripped, key=lambda player: player.seat)


def without_window(player: Player) -> Player:
    """Return a player as the end of a game leaves them: nobody is waited for any more."""
    return msgspec.structs.replace(player, reconnect_deadline_ms=None)


def by_index(slots: Iterable[Slot]) -> dict[int, int | None]:
    """Return the card of every slot."""
    return {slot.index: slot.card_id for slot in slots}


def tally(player: Player) -> tuple[int, int, int]:
    """Return what a player has done: score, Sets, invalid claims."""
    return (player.score, player.sets_collected, player.invalid_attempts)
