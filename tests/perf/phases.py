"""The time of a claim by phases inside the service: `python -m tests.perf.phases`.

One thread, no network. "again" repeats the claim of one match, "in turn" uses another match each time, and
"cold" first reads memory, so that the processor caches contain little code and state, as in a service after
the network code of gRPC. Prints a table and writes build/bench_phases.json. Compare only figures of the
same run.
"""

import json
import random
import statistics
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter_ns
from typing import Any, Final

from match_handler.match.match import Match
from match_handler.match.state import decode_state
from match_handler.protocol.payloads import OpCode
from match_handler.service import codec, metrics
from match_handler.service.servicer import MatchHandler
from match_handler.v1 import match_handler_pb2 as pb
from set_core.validator import find_sets_among
from tests.perf.grid import Grid
from tests.perf.machine import machine
from tests.service.served import Shim

MATCHES: Final = 512
ROUNDS: Final = 12
MOST_CLAIMS: Final = 15
"""The limit of claims before the measured one."""

PLAYERS: Final = ("8c0d1f7e-5b1c-4d5e-9a39-1f0c6a7b2d11", "f27b9a40-63c8-4f0e-8f4b-72a9d5c0e835")
"""Ids of the length of Nakama's ids."""

COLD_BYTES: Final = 4 << 20
"""Bytes to read before a cold claim: twice the L2 cache of the measured processors."""

ANIMATED_MS: Final = 1_000
RESULT: Final = Path("build/bench_phases.json")
PHASES: Final = (
    "read request",
    "read inputs",
    "read state",
    "judge",
    "write state",
    "count",
    "fill reply",
    "write reply",
)


class _Direct:
    """The methods of the service, called without a network."""

    def __init__(self) -> None:
        self._handler: Any = MatchHandler()

    def __getattr__(self, method: str) -> Any:
        return lambda request, timeout: getattr(self._handler, method)(request, None)  # noqa: ARG005


def claim_of_a_match(chance: random.Random) -> bytes:
    """Return the request of a valid claim in a match with some earlier claims."""
    shim = Shim(_Direct())  # type: ignore[arg-type]
    shim.init()
    shim.seat(*PLAYERS)
    for number in range(chance.randint(0, MOST_CLAIMS)):
        shim.loop(_claim(shim, number), after_ms=ANIMATED_MS)
    claim = _claim(shim, MOST_CLAIMS)
    shim.now_ms += ANIMATED_MS
    return shim.loop_request(claim).SerializeToString()


def _claim(shim: Shim, number: int) -> tuple[str, int, bytes]:
    while not (sets := find_sets_among(_board(shim))):
        shim.loop()
    payload = json.dumps({"claimId": f"claim-{number}", "cardIds": sets[0]})
    return PLAYERS[number % 2], OpCode.CLAIM, payload.encode()


def _board(shim: Shim) -> list[int]:
    session = decode_state(shim.step.state).session
    assert session is not None
    return [card for card in session.slots if card is not None]


def _moments(raw: bytes) -> Iterator[int]:
    """Process a request as the service does; yield the time before each phase and after the last."""
    yield perf_counter_ns()
    request = pb.MatchLoopRequest.FromString(raw)
    yield perf_counter_ns()
    inputs = [codec.player_input(message) for message in request.inputs]
    yield perf_counter_ns()
    match = Match.restore(request.match_id, request.state, codec.moment(request))
    yield perf_counter_ns()
    match.loop(inputs, [])
    yield perf_counter_ns()
    step = match.step()
    yield perf_counter_ns()
    metrics.count_step(step)
    yield perf_counter_ns()
    response = pb.MatchLoopResponse()
    codec.write_step(step, response.step)
    yield perf_counter_ns()
    written = response.SerializeToString()
    yield perf_counter_ns()
    assert b'"valid":true' in written


def phases_us(claims: Sequence[bytes], read_before: bytes = b"") -> dict[str, float]:
    """Return the median time of each phase and of all phases together, in microseconds."""
    spent: dict[str, list[int]] = {phase: [] for phase in (*PHASES, "all")}
    for raw in claims:
        read_before.count(b"\1")
        moments = list(_moments(raw))
        for phase, begun, ended in zip(PHASES, moments, moments[1:], strict=False):
            spent[phase].append(ended - begun)
        spent["all"].append(moments[-1] - moments[0])
    return {phase: round(statistics.median(times) / 1_000, 1) for phase, times in spent.items()}


def measure(matches: int = MATCHES, rounds: int = ROUNDS) -> dict[str, dict[str, float]]:
    """Return the phases of claims in each way: the median round of each phase, with alternating rounds."""
    chance, memory = random.Random(81), b"\0" * COLD_BYTES
    claims = [claim_of_a_match(chance) for _ in range(matches)]
    found: dict[str, list[dict[str, float]]] = {"again": [], "in turn": [], "cold": []}
    for number in range(rounds):
        found["again"].append(phases_us([claims[number % matches]] * matches))
        found["in turn"].append(phases_us(claims))
        found["cold"].append(phases_us(claims, memory))
    return {
        phase: {way: statistics.median(one[phase] for one in ones) for way, ones in found.items()}
        for phase in (*PHASES, "all")
    }


def main() -> None:
    """Print and write the figures."""
    where, found = machine(), measure()
    grid = Grid(["again", "in turn", "cold"], print)
    for phase, row in found.items():
        grid.row(f"{phase}, us", row)
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps({"machine": where, "found": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
