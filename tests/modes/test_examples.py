"""The examples of docs/examples/: run with the real nakama-js, and compiled."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from demo.ports import HOST
from demo.sets import CARDS
from demo.settings import PROJECT
from demo.vocabulary import End
from tests.modes.party import ONLINE, SINGLE, options_of

if TYPE_CHECKING:
    from demo.stack import NativeStack

EXAMPLES = PROJECT / "docs" / "examples"
INSTALLED = PROJECT / "build" / "examples"
"""The JavaScript example with the packages that its lock names, made by `make examples`."""

NODE = PROJECT / "scripts" / "node"
ENDS_WITHIN_S = 120


def start(stack: NativeStack, options: dict[str, Any]) -> subprocess.Popen[str]:
    port = str(stack.settings.api_port)
    command = [str(NODE), "node", "join-and-claim.mjs", HOST, port, json.dumps(options)]
    env = {**os.environ, "NO_PROXY": HOST}
    return subprocess.Popen(
        command, cwd=INSTALLED, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def result_of(running: subprocess.Popen[str]) -> dict[str, Any]:
    told, _ = running.communicate(timeout=ENDS_WITHIN_S)
    assert running.returncode == 0, told
    return dict(json.loads(told))


@pytest.mark.nakama
def test_the_javascript_example_says_what_is_wrong_with_its_options(stack: NativeStack) -> None:
    running = start(stack, {"maxPlayers": 9})
    told, _ = running.communicate(timeout=ENDS_WITHIN_S)
    assert (running.returncode, told) == (
        1,
        "INVALID_ARGUMENT: maxPlayers is 9: allowed are the integers 1..8\n",
    )


@pytest.mark.nakama
@pytest.mark.proves("whole game", SINGLE)
def test_the_javascript_example_plays_alone_to_the_end(stack: NativeStack) -> None:
    told = result_of(start(stack, options_of(SINGLE)))
    assert told["reason"] == End.DECK_EXHAUSTED
    assert told["winnerSeat"] == 0
    assert 3 * told["sets"][0] + told["left"] == CARDS


@pytest.mark.nakama
@pytest.mark.fault("F1")
@pytest.mark.proves("whole game", ONLINE)
def test_two_javascript_examples_find_each_other_and_agree(stack: NativeStack) -> None:
    options = options_of(ONLINE, timeLimitSeconds=4242)
    players = [start(stack, options) for _ in range(2)]
    one, other = [result_of(player) for player in players]
    assert {**one, "user": ""} == {**other, "user": ""}
    assert one["user"] != other["user"]
    assert 3 * sum(one["sets"]) + one["left"] == CARDS


def test_the_example_packages_have_a_lock_without_addresses() -> None:
    lock = json.loads((EXAMPLES / "package-lock.json").read_text())
    wanted = json.loads((EXAMPLES / "package.json").read_text())["dependencies"]
    packages = lock["packages"]
    assert lock["packages"][""]["dependencies"] == wanted
    assert not any("resolved" in package for package in packages.values())
    assert all("integrity" in package for name, package in packages.items() if name)


def test_the_csharp_example_compiles_against_the_clients_signatures() -> None:
    command = ["mono", str(PROJECT / "build" / "csharp" / "JoinAndClaim.exe")]
    started = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "nothing behind the signatures" in started.stderr
