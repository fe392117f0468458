"""Reading the records of a load after its end."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from match_handler.match.replay import parse_record

if TYPE_CHECKING:
    from collections.abc import Iterable

    from match_handler.match.record import Record
    from tests.perf.lobby import Lobby

KEYS_PER_READ = 50
ATTEMPTS = 30
RETRY_DELAY_S = 1.0


async def read_records(lobby: Lobby, keys: Iterable[str]) -> list[Record]:
    """Return the records with these keys; wait up to 30 s for those that are not written yet.

    A new user reads each batch, because the calls of one user in a minute are limited.
    """
    missing = list(keys)
    found: list[Record] = []
    for _ in range(ATTEMPTS):
        keys, missing = missing, []
        for start in range(0, len(keys), KEYS_PER_READ):
            batch = keys[start : start + KEYS_PER_READ]
            records = await lobby.records(await lobby.sign_in(), batch)
            found += map(parse_record, records.values())
            missing += [key for key in batch if key not in records]
        if not missing:
            break
        await asyncio.sleep(RETRY_DELAY_S)
    return found
