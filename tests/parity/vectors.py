"""The vectors shared by server and C# client; run as a module, it regenerates them.

Every expected value in `tests/vectors/set_rules.json` is an answer of the C# program, never of this project.
"""

import json
import random
from pathlib import Path
from typing import Any

from tests.parity import csharp

VECTORS = Path(__file__).parents[1] / "vectors" / "set_rules.json"
ORIGIN = (
    "Answers of tests/parity/*.cs, which implement the rule, FindAllSets, AnySetExists and the deck as the "
    "texts write them, run on Mono, a CLR with its own System.Random. "
    "Written by python -m tests.parity.vectors"
)
FIRST_DAY, DAYS = (2026, 11, 29), 6
BOARD_SIZES = (0, 1, 2, 3, 6, 9, 12, 15, 18, 21)
SEEDS = (1, -1, 2, 42, 20_261_129, 2**31 - 1, -(2**31))

# Rows 1 to 8 of "Test Cases" in the set validator text, as ids.
SPEC_ROWS = (
    (0, 0, 0),
    (0, 40, 80),
    (0, 13, 26),
    (0, 13, 53),
    (0, 37, 77),
    (0, 39, 80),
    (9, 40, 80),
    (52, 52, 52),
)

Json = dict[str, Any]


def _triples() -> list[list[int]]:
    chance = random.Random(1)
    pairs = [chance.sample(range(81), 3) for _ in range(40)]
    return [list(row) for row in SPEC_ROWS] + pairs


def _boards() -> list[list[int]]:
    chance = random.Random(2)
    return [chance.sample(range(81), size) for size in BOARD_SIZES for _ in range(3)]


def _answered(kind: str, asked: list[list[int]]) -> list[str]:
    return csharp.ask(csharp.question_line(kind, numbers) for numbers in asked)


def _board(cards: list[int], answer: str) -> Json:
    exists, *found = answer.split()
    return {
        "cards": cards,
        "any": exists == "yes",
        "sets": [[int(card) for card in trio.split(",")] for trio in found],
    }


def _cards() -> list[Json]:
    answers = _answered("card", [[card] for card in range(81)])
    names = ("number", "shape", "color", "shading")
    return [
        {"id": card, **dict(zip(names, answer.split(), strict=True))} for card, answer in enumerate(answers)
    ]


def _days() -> list[Json]:
    year, month, day = FIRST_DAY
    dates = [[year + offset, month, day - offset] for offset in range(DAYS)]
    seeds = [int(answer) for answer in _answered("day", dates)]
    decks = _answered("deck", [[seed] for seed in seeds])
    return [
        {"date": date, "seed": seed, "deck": csharp.numbers(deck)}
        for date, seed, deck in zip(dates, seeds, decks, strict=True)
    ]


def vectors() -> Json:
    """Return all vectors."""
    triples, boards = _triples(), _boards()
    return {
        "about": ORIGIN,
        "cards": _cards(),
        "triples": [
            {"cards": cards, "reason": None if answer == "valid" else answer}
            for cards, answer in zip(triples, _answered("triple", triples), strict=True)
        ],
        "boards": [
            _board(cards, answer) for cards, answer in zip(boards, _answered("board", boards), strict=True)
        ],
        "decks": [
            {"seed": seed, "deck": csharp.numbers(deck)}
            for seed, deck in zip(SEEDS, _answered("deck", [[seed] for seed in SEEDS]), strict=True)
        ],
        "days": _days(),
    }


def as_text(content: Json) -> str:
    """Return the vectors as the text of the file, one per line."""
    parts = [f'"about": {json.dumps(content["about"])}']
    for name, rows in content.items():
        if name != "about":
            lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
            parts.append(f'"{name}": [\n{lines}\n ]')
    return "{" + ",\n ".join(parts) + "}\n"


if __name__ == "__main__":
    VECTORS.write_text(as_text(vectors()))
