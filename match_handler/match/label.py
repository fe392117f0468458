"""The label by which Nakama lists and filters matches (DESIGN section 6).

Flags are 0 or 1 and a day is an integer, because Nakama's index finds neither `true` nor strings that look
like dates.
"""

from functools import lru_cache
from typing import Final

import msgspec

from match_handler.match.context import Table, user_places
from match_handler.protocol.options import options_key, options_of
from set_core.options import Mode

MAX_LABEL_BYTES: Final = 2048
"""Nakama's own limit."""


def _coarse_phase(table: Table) -> str:
    if table.playing:
        return "PLAYING"
    return table.phase.name


def label(table: Table) -> str:
    """The label that fits the table now. Animations do not show in it, so that it seldom changes."""
    is_open = (
        table.session is None
        and table.free_places > 0
        and not table.state.closed
        and not table.options.private
    )
    day = _day(table) if table.options.mode is Mode.DAILY_CHALLENGE else None
    return _written(table.state.options, is_open, table.seated_users, _coarse_phase(table), day)


def _day(table: Table) -> int:
    day = table.date
    return day.year * 10_000 + day.month * 100 + day.day


@lru_cache(maxsize=4096)
def _written(form: bytes, is_open: bool, players: int, phase: str, day: int | None) -> str:  # noqa: FBT001
    options = options_of(form)
    facts: dict[str, str | int] = {
        "game": "set",
        "mode": options.mode.name,
        "key": options_key(options),
        "open": int(is_open),
        "players": players,
        "seats": user_places(options),
        "phase": phase,
    }
    if day is not None:
        facts["day"] = day
    return msgspec.json.encode(facts).decode()
