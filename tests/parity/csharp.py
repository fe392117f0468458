"""The C# program of this folder, asked through its standard input."""

import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

PROJECT = Path(__file__).parents[2]
PROGRAM = PROJECT / "build" / "csharp" / "parity.exe"
"""`make test` builds it."""


def ask(questions: Iterable[str]) -> list[str]:
    """The answers to some questions, in their order; `Program.cs` says what can be asked."""
    asked = [*questions]
    done = subprocess.run(
        ["mono", PROGRAM],  # noqa: S607 - the machine's
        input="\n".join(asked),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers = done.stdout.splitlines()
    assert len(answers) == len(asked)
    return answers


def words(question: str, numbers: Sequence[int]) -> str:
    """A question about some numbers."""
    return " ".join([question, *map(str, numbers)])


def numbers(answer: str) -> list[int]:
    """An answer that is a list of numbers."""
    return [int(word) for word in answer.split()]
