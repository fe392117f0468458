"""Records of finished games, and the differences of their replay."""

import json
from typing import Any

from match_handler.match.replay import differences, parse_record
from tests.match.driver import MatchDriver, play_to_the_end, started


def finished_game() -> MatchDriver:
    """Return a finished game of ann and bob whose first claim is an invalid one of bob."""
    driver = started({"penalty": "POINT", "seed": 7})
    driver.claim("bob", driver.not_a_set)
    play_to_the_end(driver)
    return driver


def record_of(driver: MatchDriver) -> dict[str, Any]:
    """Return the only record of a match."""
    (raw,) = driver.records.values()
    record: dict[str, Any] = json.loads(raw)
    return record


def replay(record: dict[str, Any]) -> list[str]:
    """Return the differences between a record and its replay."""
    return differences(parse_record(json.dumps(record).encode()))
