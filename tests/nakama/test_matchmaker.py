from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from demo.nakama_socket import NakamaError

if TYPE_CHECKING:
    from tests.nakama.conftest import Room

pytestmark = pytest.mark.nakama


@pytest.mark.thread(7)
def test_nobody_makes_a_match_without_a_referee(room: Room) -> None:
    socket = room.user().connect()
    room.cleanup.callback(socket.close)
    with pytest.raises(NakamaError):
        socket.create_relayed_match()
