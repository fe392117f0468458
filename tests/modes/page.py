"""docs/modes.md, made from the tests' markers; run as a module, writes it anew."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from demo.settings import PROJECT
from tests.modes.experiences import FAULTS, THREADS, Experience
from tests.modes.proofs import Proof, Proofs, collected
from tests.modes.rules import MODES, RULES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PAGE: Final = PROJECT / "docs" / "modes.md"

HEAD: Final = """# Modes, rules and what was tried

Made by `make docs` from the markers of the tests. A test keeps it up to date and without an empty cell.

## Every rule in every mode

Each cell names tests that drive the real Nakama, by their numbers in the list below. Where a mode has no use
for a rule, the test shows that it is refused or changes nothing. Options: [protocol.md](protocol.md#options).

"""
FAULTS_HEAD: Final = """
## What went wrong elsewhere

Other servers of the game have met these, in public. Each kind has a test here.

"""
THREADS_HEAD: Final = """
## What others met with Nakama

"""


class EmptyCellError(AssertionError):
    """Nothing proves something; the message says what."""


def page(proofs: Proofs) -> str:
    """The whole page.

    Raises:
        EmptyCellError: A rule in a mode, a fault or a thread has no test.
    """
    numbers = numbered(proofs)
    parts = [HEAD, *matrix(proofs, numbers), "\n", *index(numbers)]
    parts += [FAULTS_HEAD, *experiences(proofs, "fault", FAULTS)]
    parts += [THREADS_HEAD, *experiences(proofs, "thread", THREADS)]
    return "".join(parts)


def numbered(proofs: Proofs) -> dict[Proof, int]:
    """The tests of the matrix, in the order in which it names them."""
    cells = (proofs_of(proofs, "proves", rule, mode) for rule in RULES for mode in MODES)
    named = dict.fromkeys(chain.from_iterable(cells))
    return {proof: number for number, proof in enumerate(named, start=1)}


def proofs_of(proofs: Proofs, *claim: str) -> list[Proof]:
    found = proofs.get(claim)
    if not found:
        raise EmptyCellError(f"no test proves {' '.join(claim)}")
    return found


def matrix(proofs: Proofs, numbers: Mapping[Proof, int]) -> Iterable[str]:
    yield row("rule", "what it is about", *MODES)
    yield row(*["---"] * (2 + len(MODES)))
    for rule, meaning in RULES.items():
        cells = [
            sorted(numbers[proof] for proof in proofs_of(proofs, "proves", rule, mode)) for mode in MODES
        ]
        yield row(rule, meaning, *(", ".join(map(str, cell)) for cell in cells))


def index(numbers: Mapping[Proof, int]) -> Iterable[str]:
    for proof, number in numbers.items():
        yield f"{number}. {link(proof)}\n"


def experiences(proofs: Proofs, kind: str, known: Mapping[str, Experience]) -> Iterable[str]:
    yield row("", "elsewhere", "here", "tests")
    yield row(*["---"] * 4)
    for name, experience in known.items():
        tests = "; ".join(link(proof) for proof in proofs_of(proofs, kind, name))
        what = f"[{experience.what}]({experience.source})" if experience.source else experience.what
        yield row(name, what, experience.here, tests)


def link(proof: Proof) -> str:
    return f"[{proof.sentence}](../{proof.path})"


def row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    PAGE.write_text(page(collected()))
