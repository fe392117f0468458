"""Every record that this run has stored, of whichever test, is played again by `set-match replay`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from click.testing import CliRunner

from demo import postgres
from match_handler.cli import main
from tests.modes.rules import MODES

if TYPE_CHECKING:
    from pathlib import Path

    from demo.stack import NativeStack

pytestmark = pytest.mark.nakama

EVERY_RECORD = "SELECT json_build_array(key, value) FROM storage WHERE collection = 'set_matches'"


def replay(path: Path) -> str:
    """What is wrong with a record; nothing if it replays to the same results."""
    done = CliRunner().invoke(main, ["replay", str(path)])
    return "" if done.exit_code == 0 else f"{path.name}: {done.output}"


def records_of_this_run(stack: NativeStack) -> list[tuple[str, dict[str, Any]]]:
    """Key and value of each record, from the database: no client may list them."""
    started_ms = 1000 * psutil.Process(stack.pids["Nakama"]).create_time()
    rows = postgres.query(stack.settings.folder / "postgres", EVERY_RECORD)
    stored = map(json.loads, rows.splitlines())
    return [(key, record) for key, record in stored if record["startedUnixMs"] >= started_ms]


@pytest.mark.fault("F13")
@pytest.mark.proves("record", *MODES)
def test_every_record_that_a_test_left_replays_to_the_same_results(
    stack: NativeStack, tmp_path: Path
) -> None:
    paths = []
    for key, record in records_of_this_run(stack):
        paths.append(tmp_path / f"{key}.json")
        paths[-1].write_text(json.dumps(record))
    assert paths
    assert [wrong for wrong in map(replay, paths) if wrong] == []
