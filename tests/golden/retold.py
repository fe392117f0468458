"""A golden file told again: its comments and moves, with what comes out of them today.

Run as a module, it writes every golden file anew.
"""

from itertools import groupby
from pathlib import Path

from tests.golden.game import GoldenMatch, parse_move

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.glob("*.txt"))


def _calls(lines: list[str]) -> list[list[str]]:
    """The comments and moves, those of one call together."""
    kept = [line for line in lines if line.startswith((">", "#"))]
    call = 0
    numbered = []
    for line in kept:
        call += not line.startswith(">&")
        numbered.append((call, line))
    return [[line for _, line in group] for _, group in groupby(numbered, key=lambda pair: pair[0])]


def retold(text: str) -> str:
    """The file as it should be."""
    match = GoldenMatch()
    lines: list[str] = []
    for call in _calls(text.splitlines()):
        lines += call
        if call[0].startswith(">"):
            lines += [f"    {line}" for line in match.play([parse_move(move) for move in call])]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for file in FILES:
        file.write_text(retold(file.read_text()))
