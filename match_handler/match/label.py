"""The label by which Nakama lists and filters matches (DESIGN section 6).

Flags are 0 or 1 and the day is an integer `yyyymmdd`, because Nakama's index finds neither `true` nor strings
that look like dates.
"""

from functools import lru_cache
from typing import Final

import msgspec

from match_handler.match.context import MatchContext, max_users
from match_handler.protocol.options import options_key, options_of
from set_core.options import Mode

MAX_LABEL_BYTES: Final = 2048
"""Nakama's limit."""


def _coarse_phase(context: MatchContext) -> str:
    if context.playing:
        return "PLAYING"
    return context.phase.name


def label(context: MatchContext) -> str:
    """Return the current label as JSON.

    Its phase does not show animations, so that the label changes rarely.
    """
    is_open = (
        context.session is None
        and context.vacancies > 0
        and not context.state.closed
        and not context.options.private
    )
    day = int(f"{context.date:%Y%m%d}") if context.options.mode is Mode.DAILY_CHALLENGE else None
    return _encode_label(context.state.options, is_open, context.seated_users, _coarse_phase(context), day)


@lru_cache(maxsize=4096)
def _encode_label(stored_options: bytes, is_open: bool, players: int, phase: str, day: int | None) -> str:  # noqa: FBT001
    options = options_of(stored_options)
    fields: dict[str, str | int] = {
        "game": "set",
        "mode": options.mode.name,
        "key": options_key(options),
        "open": int(is_open),
        "players": players,
        "seats": max_users(options),
        "phase": phase,
    }
    if day is not None:
        fields["day"] = day
    return msgspec.json.encode(fields).decode()
