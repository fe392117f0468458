"""Speed of the validator relative to the literal definition: `python -m tests.perf.validator`.

Both implementations run in one process in alternating rounds, so that noise affects them equally. The
smallest round counts. Writes build/bench.json. Exits 1 if a ratio misses its target.
"""

import random
import sys
from collections.abc import Callable, Sequence
from itertools import combinations
from time import process_time_ns
from typing import Any, Final, NamedTuple

from set_core import ALL_CARDS, Card, SetValidator
from tests.core import literal
from tests.core.boards import set_free
from tests.perf.report import show, write

ROUNDS: Final = 15
BOARDS: Final = 40
TRIPLES: Final = 2_000
OURS: Final = SetValidator()


class Comparison(NamedTuple):
    """Work of both implementations on the same cards, and the required ratio of their times."""

    name: str
    hands: Sequence[Sequence[Card]]
    ours: Callable[[Sequence[Card]], Any]
    literal: Callable[[Sequence[Card]], Any]
    target: float

    def measure(self) -> dict[str, float]:
        """Return the time of each implementation per hand, in nanoseconds, and the ratio."""
        rounds = [(self._time(self.ours), self._time(self.literal)) for _ in range(ROUNDS)]
        ours, reference = (min(times) / len(self.hands) for times in zip(*rounds, strict=True))
        ratio = round(reference / ours, 1)
        return {"ours_ns": round(ours), "literal_ns": round(reference), "ratio": ratio, "target": self.target}

    def _time(self, work: Callable[[Sequence[Card]], Any]) -> int:
        """Return the processor time: wall-clock time would favor the faster one on a busy machine."""
        started = process_time_ns()
        for hand in self.hands:
            work(hand)
        return process_time_ns() - started


def comparisons(chance: random.Random) -> list[Comparison]:
    every = [list(triple) for triple in combinations(ALL_CARDS, 3)]
    sets = [triple for triple in every if literal.validate(triple).is_valid]
    triples = chance.choices(every, k=TRIPLES // 2) + chance.choices(sets, k=TRIPLES // 2)
    chance.shuffle(triples)
    boards = [chance.sample(ALL_CARDS, 21) for _ in range(BOARDS)]
    # Boards without a Set are slow to find, so each is used in several orders.
    found = [[ALL_CARDS[card] for card in set_free(chance, 20)] for _ in range(BOARDS // 5)]
    without_set = [chance.sample(board, 20) for board in found for _ in range(5)]
    return [
        Comparison("validate with reason", triples, OURS.validate, literal.validate, 3),
        Comparison("find_all_sets(21)", boards, OURS.find_all_sets, literal.find_all_sets, 25),
        Comparison(
            "any_set_exists, 20 Set-free", without_set, OURS.any_set_exists, literal.any_set_exists, 30
        ),
    ]


def main() -> int:
    rows = {each.name: each.measure() for each in comparisons(random.Random(81))}
    for name, row in rows.items():
        show(name, row)
    write("bench", rows)
    return int(any(row["ratio"] < row["target"] for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
