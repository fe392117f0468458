"""Runs the C# program of this folder with questions on its standard input."""

import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

PROJECT = Path(__file__).parents[2]
PROGRAM = PROJECT / "build" / "csharp" / "parity.exe"
"""`make test` builds it."""


def ask(questions: Iterable[str]) -> list[str]:
    """Return the answers in the order of the questions; `Program.cs` defines the questions."""
    lines = [*questions]
    done = subprocess.run(
        ["mono", PROGRAM],  # noqa: S607 - installed on the machine
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers = done.stdout.splitlines()
    assert len(answers) == len(lines)
    return answers


def question_line(question: str, numbers: Sequence[int]) -> str:
    """Return a question with numbers as its arguments."""
    return " ".join([question, *map(str, numbers)])


def numbers(answer: str) -> list[int]:
    """Parse an answer that is a list of numbers."""
    return [int(word) for word in answer.split()]
