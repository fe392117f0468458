"""Comparison of a client's model with the messages of the match."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from demo.client.messages import Player, Slot


class ModelMismatchError(AssertionError):
    """The model and the match differ. The error text contains the field and both values."""


class SequenceGapError(ModelMismatchError):
    """A numbered message is missing or duplicate."""


def expect(field: str, expected: object, received: object) -> None:
    """Compare the model's value of a field with the received value.

    Raises:
        ModelMismatchError: The values differ.
    """
    if expected != received:
        raise ModelMismatchError(f"{field}: the model has {expected!r}, the match sent {received!r}")


def lasting(players: Iterable[Player]) -> list[Player]:
    """Return players by seat, without the fields that change with time only: clocks and locks of players."""
    stripped = (
        msgspec.structs.replace(player, time_remaining_ms=None, locked_until_ms=None) for player in players
    )
    return sorted(stripped, key=lambda player: player.seat)


def without_window(player: Player) -> Player:
    """Return a player without a reconnect window, as after the end of a game."""
    return msgspec.structs.replace(player, reconnect_deadline_ms=None)


def by_index(slots: Iterable[Slot]) -> dict[int, int | None]:
    """Return the cards by slot index; None for empty slots."""
    return {slot.index: slot.card_id for slot in slots}


def tally(player: Player) -> tuple[int, int, int]:
    """Return a player's score, number of Sets and number of invalid claims."""
    return (player.score, player.sets_collected, player.invalid_attempts)
