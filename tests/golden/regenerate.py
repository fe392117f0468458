"""Regenerates golden files: their comments and moves, with the output of the current code.

Run as a module, it writes every golden file.
"""

from itertools import groupby
from pathlib import Path

from tests.golden.game import GoldenMatch, parse_move

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.glob("*.txt"))


def _calls(lines: list[str]) -> list[list[str]]:
    """Return the comments and moves, grouped by call."""
    kept = [line for line in lines if line.startswith((">", "#"))]
    call = 0
    numbered = []
    for line in kept:
        call += not line.startswith(">&")
        numbered.append((call, line))
    return [[line for _, line in group] for _, group in groupby(numbered, key=lambda pair: pair[0])]


def regenerated(text: str) -> str:
    """Return the regenerated text of a golden file."""
    match = GoldenMatch()
    lines: list[str] = []
    for call in _calls(text.splitlines()):
        lines += call
        if call[0].startswith(">"):
            lines += [f"    {line}" for line in match.play([parse_move(move) for move in call])]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for file in FILES:
        file.write_text(regenerated(file.read_text()))
