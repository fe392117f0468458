"""`make load`: measures on the native stack, prints tables while it runs, writes build/load.json and a plot.

`python -m tests.perf PART...` runs single parts: idle, compare, capacity, flood.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING, Any

from demo.stack.settings import PROJECT
from tests.perf import capacity, compare, flood, idle
from tests.perf.machine import machine
from tests.perf.stage import Stage, say

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

RESULT = PROJECT / "build" / "load.json"
PARTS: dict[str, Callable[[Stage], Awaitable[Any]]] = {
    "idle": idle.measure,
    "compare": compare.measure,
    "capacity": capacity.measure,
    "flood": flood.measure,
}


async def run(parts: list[str]) -> None:
    """Measure these parts, each on its own stack, and keep the stored figures of the others."""
    figures = json.loads(RESULT.read_text()) if RESULT.exists() else {}
    for part in parts:
        say(f"== {part}")
        async with Stage() as stage:
            figures[part] = {"machine": machine(), "found": await PARTS[part](stage)}
        RESULT.parent.mkdir(exist_ok=True)
        RESULT.write_text(json.dumps(figures, indent=1) + "\n")


def main() -> None:
    asyncio.run(run(sys.argv[1:] or list(PARTS)))


if __name__ == "__main__":
    main()
