"""A studio's own plugin imports the package setmatch; hooks of both run."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from demo import messages as wire
from demo.nakama_socket import NakamaError
from demo.settings import PROJECT, with_free_ports
from demo.stack import NativeStack
from tests.modes.tickets import TicketSocket
from tests.native.room import Room, wait_for_rules_service, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.nakama

PLUGINS = PROJECT / "build" / "studio" / "modules"
"""The plugin that `make build/studio/modules/studio.so` builds from `tests/modes/studio`."""


@pytest.fixture(scope="module")
def studio_stack(stack: NativeStack) -> Iterator[NativeStack]:
    """A second stack, whose Nakama loads only the studio's plugin."""
    folder = stack.settings.folder.with_name(f"{stack.settings.folder.name}-studio")
    flags = {"runtime.path": str(PLUGINS)}
    with NativeStack(replace(with_free_ports(folder, {}), nakama_flags=flags)) as running:
        wait_for_rules_service(running)
        yield running


@pytest.fixture
def studio(studio_stack: NativeStack) -> Iterator[Room]:
    with ExitStack() as cleanup:
        yield Room(studio_stack, cleanup)


def nakama_log(room: Room) -> str:
    assert isinstance(room.stack, NativeStack)
    return "".join(log.read_text() for log in room.stack.logs)


def test_match_is_played_with_the_studios_join_hook(studio: Room) -> None:
    first, second = studio.two(seed=0)

    result = first.wait_for_answer(first.claim_set())

    assert isinstance(result, wire.ClaimResult)
    assert result.valid
    assert second.model.playing
    assert nakama_log(studio).count("studio: join allowed") >= 2


def test_join_hook_of_the_studio_can_reject(studio: Room) -> None:
    with pytest.raises(NakamaError, match="the studio has banned you"):
        studio.sit(studio.match(seed=0), metadata={"banned": "1"})


def test_join_hook_of_the_match_handler_still_rejects(studio: Room) -> None:
    with pytest.raises(NakamaError, match="without the rules service"):
        studio.sit("00000000-0000-4000-8000-000000000000.")


def test_matched_tickets_pass_both_hooks_to_one_match(studio: Room) -> None:
    users = [studio.user() for _ in range(2)]
    sockets = [TicketSocket(user.socket_url) for user in users]
    for socket in sockets:
        studio.cleanup.callback(socket.close)
        socket.add_ticket(2, {"game": "set"})

    matches = {socket.wait_for_event("matchmaker_matched")["match_id"] for socket in sockets}

    assert len(matches) == 1
    wait_until(lambda: "studio: 2 tickets matched" in nakama_log(studio))
