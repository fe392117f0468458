"""Fuzz one target with Atheris: `python -m tests.fuzz.run TARGET SECONDS`.

New inputs and crashers are written to build/fuzz/TARGET/. A copy in tests/fuzz/corpus/TARGET/ becomes a test.
"""

import logging
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["set_core", "match_handler"]):
    from tests.fuzz.seeds import seeds
    from tests.fuzz.targets import TARGETS

PROJECT = Path(__file__).parents[2]
SLOWEST_S = 10


def main(name: str, seconds: int) -> None:
    """Fuzz a target for a time; the process exits with 0, or with an error and a crasher."""
    found = PROJECT / "build" / "fuzz" / name
    found.mkdir(parents=True, exist_ok=True)
    for known, seed in seeds(name).items():
        (found / known).write_bytes(seed)
    limits = [f"-max_total_time={seconds}", f"-timeout={SLOWEST_S}", "-max_len=4200", "-print_final_stats=1"]
    logging.disable()
    atheris.Setup([sys.argv[0], *limits, f"-artifact_prefix={found}/", str(found)], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
