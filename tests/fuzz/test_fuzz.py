"""A short run of every fuzz target: its corpus, and what comes of changing it here and there."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.targets import TARGETS
from tests.proof.ledger import Tries

CORPUS = Path(__file__).parent / "corpus"
SEEDS = {name: sorted((CORPUS / name).iterdir()) for name in TARGETS}
EXAMPLES = 300


@pytest.fixture(autouse=True)
def silence() -> Iterator[None]:
    """Refusals are expected, and their tracebacks would fill the screen."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize(
    ("name", "seed"),
    [pytest.param(name, seed, id=f"{name}-{seed.name}") for name, seeds in SEEDS.items() for seed in seeds],
)
def test_a_seed_or_earlier_crasher_is_handled(name: str, seed: Path) -> None:
    TARGETS[name](seed.read_bytes())


@st.composite
def changed(draw: st.DrawFn, seeds: list[Path]) -> bytes:
    """A seed of which a piece is replaced by any other bytes, or nothing but any bytes."""
    data = draw(st.sampled_from(seeds)).read_bytes()
    start = draw(st.integers(0, len(data)))
    end = draw(st.integers(start, min(len(data), start + 8)))
    return data[:start] + draw(st.binary(max_size=8)) + data[end:]


@pytest.mark.claim(
    "any bytes as message, options, state, request or record: answered or refused, never an exception",
    "a corpus and its mutations; make fuzz goes on from there",
)
@pytest.mark.parametrize("name", TARGETS)
def test_any_bytes_are_handled(name: str, tried: Tries) -> None:
    @settings(max_examples=EXAMPLES, deadline=None)
    @given(data=changed(SEEDS[name]) | st.binary(max_size=300))
    def hold(data: bytes) -> None:
        tried()
        TARGETS[name](data)

    hold()
