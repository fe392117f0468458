"""`set-match replay` checks every record that the tests of this run have stored."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from click.testing import CliRunner

from demo.stack import postgres
from match_handler.cli import main
from tests.e2e.rules import MODES

if TYPE_CHECKING:
    from pathlib import Path

    from demo.stack.native import NativeStack

pytestmark = pytest.mark.nakama

EVERY_RECORD = "SELECT json_build_array(key, value) FROM storage WHERE collection = 'set_matches'"


def replay(path: Path) -> str:
    """Replay a record and return the error, or an empty text if it replays to the same result."""
    completed = CliRunner().invoke(main, ["replay", str(path)])
    return "" if completed.exit_code == 0 else f"{path.name}: {completed.output}"


def records_of_this_run(stack: NativeStack) -> list[tuple[str, dict[str, Any]]]:
    """Return key and value of each record, from the database: clients cannot list records."""
    started_ms = 1000 * psutil.Process(stack.pids["Nakama"]).create_time()
    rows = postgres.query(stack.settings.folder / "postgres", EVERY_RECORD)
    stored = map(json.loads, rows.splitlines())
    return [(key, record) for key, record in stored if record["startedUnixMs"] >= started_ms]


@pytest.mark.fault("F13")
@pytest.mark.proves("record", *MODES)
def test_every_record_of_the_run_replays_to_the_same_result(stack: NativeStack, tmp_path: Path) -> None:
    paths = []
    for key, record in records_of_this_run(stack):
        paths.append(tmp_path / f"{key}.json")
        paths[-1].write_text(json.dumps(record))
    assert paths
    assert [error for error in map(replay, paths) if error] == []
