"""Second check of surviving mutants: `python -m tests.proof.survivors FOLDER`, after a run of mutmut there.

mutmut forks after the import of the code, so it misses mutants of code that runs at import. This command
tests each survivor in its own process. Mutants that still survive must be explained in `docs/testing.md`.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[2]
EXPLAINED = PROJECT / "docs" / "testing.md"
MUTMUT = Path(sys.executable).with_name("mutmut")
TESTS = ("tests/core", "tests/golden/test_notation.py", "--ignore=tests/core/test_imports.py")
TOO_LONG_S = 600


def survivors(folder: Path) -> list[str]:
    """Return the names of the mutants that no test detected."""
    listed = subprocess.run([MUTMUT, "results"], cwd=folder, capture_output=True, text=True, check=True)
    return re.findall(r"^\s*(\S+): (?:survived|no tests)$", listed.stdout, re.MULTILINE)


def survives(folder: Path, mutant: str) -> bool:
    """Return whether the tests pass in a process that has the mutant from its start."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *TESTS]
    try:
        done = subprocess.run(
            command,
            cwd=folder / "mutants",
            env={**os.environ, "MUTANT_UNDER_TEST": mutant},
            capture_output=True,
            timeout=TOO_LONG_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def main(folder: Path) -> int:
    """Print the survivors, explained or not; return the number of unexplained ones."""
    explained = EXPLAINED.read_text()
    left = [mutant for mutant in survivors(folder) if survives(folder, mutant)]
    unexplained = [mutant for mutant in left if f"`{mutant}`" not in explained]
    for mutant in left:
        print(f"{mutant}: {'unexplained' if mutant in unexplained else 'explained'}")  # noqa: T201
    return len(unexplained)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])) > 0)
