"""The examples of docs/examples/: the JavaScript one runs with the real nakama-js, the C# one is compiled."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from demo.client import messages as wire
from demo.client.sets import CARDS
from demo.client.vocabulary import End
from demo.stack.ports import HOST
from demo.stack.settings import PROJECT
from tests.support.clients import ONLINE, SINGLE, options_of, wait_until

if TYPE_CHECKING:
    from demo.client.nakama_client import NakamaClient
    from demo.stack.native import NativeStack
    from tests.support.clients import Clients
    from tests.support.fixtures import StackUnderTest

EXAMPLES = PROJECT / "docs" / "examples"
INSTALLED = PROJECT / "build" / "examples"
"""The JavaScript example with the packages of its lock file, made by `make e2e`."""

NODE = PROJECT / "scripts" / "node"
EXAMPLE_WITHIN_S = 120
SLOW = {"validSet": 200, "refill": 150, "invalidSet": 0, "expandBoard": 0}
"""A game takes some seconds, so that a kill comes before its end."""


def start(stack: NativeStack, options: dict[str, Any]) -> subprocess.Popen[str]:
    """Start the JavaScript example as one player who searches a match with these options."""
    port = str(stack.settings.api_port)
    command = [str(NODE), "node", "join-and-claim.mjs", HOST, port, json.dumps(options)]
    env = {**os.environ, "NO_PROXY": HOST}
    return subprocess.Popen(
        command, cwd=INSTALLED, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def result_of(running: subprocess.Popen[str]) -> dict[str, Any]:
    """Wait for the end of an example and return the result that it prints."""
    output, _ = running.communicate(timeout=EXAMPLE_WITHIN_S)
    assert running.returncode == 0, output
    return dict(json.loads(output))


@pytest.mark.nakama
def test_javascript_example_prints_the_invalid_option(stack: NativeStack) -> None:
    running = start(stack, {"maxPlayers": 9})
    output, _ = running.communicate(timeout=EXAMPLE_WITHIN_S)
    assert (running.returncode, output) == (
        1,
        "INVALID_ARGUMENT: maxPlayers is 9: allowed are the integers 1..8\n",
    )


@pytest.mark.nakama
def test_javascript_example_plays_alone_to_the_end(stack: NativeStack) -> None:
    result = result_of(start(stack, options_of(SINGLE)))
    assert result["reason"] == End.DECK_EXHAUSTED
    assert result["winnerSeat"] == 0
    assert 3 * result["sets"][0] + result["left"] == CARDS


@pytest.mark.nakama
@pytest.mark.fault("F1")
def test_two_javascript_examples_print_the_same_result(stack: NativeStack) -> None:
    options = options_of(ONLINE, timeLimitSeconds=4242)
    players = [start(stack, options) for _ in range(2)]
    one, other = [result_of(player) for player in players]
    assert {**one, "user": ""} == {**other, "user": ""}
    assert one["user"] != other["user"]
    assert 3 * sum(one["sets"]) + one["left"] == CARDS


def running(user: NakamaClient) -> set[str]:
    """Return the ids of the listed single player matches that are played."""
    found = user.matches(f"+label.mode:{SINGLE} +label.phase:PLAYING")
    return {match["match_id"] for match in found}


@pytest.mark.nakama
def test_javascript_example_continues_after_a_kill(clients: Clients, stoppable_stack: StackUnderTest) -> None:
    user = clients.user()
    before = running(user)
    player = start(stoppable_stack, options_of(SINGLE, animationMs=SLOW))
    (match_id,) = wait_until(lambda: running(user) - before)
    spectator = clients.join(match_id, metadata={"spectate": "true"})
    spectator.wait_for(wire.ClaimResult)
    stoppable_stack.kill_nakama()
    stoppable_stack.start_nakama()
    result = result_of(player)
    assert result["reason"] == End.DECK_EXHAUSTED
    assert 3 * result["sets"][0] + result["left"] == CARDS


def test_lock_file_of_the_example_has_no_addresses() -> None:
    lock = json.loads((EXAMPLES / "package-lock.json").read_text())
    dependencies = json.loads((EXAMPLES / "package.json").read_text())["dependencies"]
    packages = lock["packages"]
    assert packages[""]["dependencies"] == dependencies
    assert not any("resolved" in package for package in packages.values())
    assert all("integrity" in package for name, package in packages.items() if name)


def test_csharp_example_compiles_against_the_client_api() -> None:
    command = ["mono", str(PROJECT / "build" / "csharp" / "JoinAndClaim.exe")]
    completed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "nothing behind the signatures" in completed.stderr
