"""`make run`: start the stack, play one match with two clients, and keep the stack running until Ctrl-C."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from demo.client import messages as wire
from demo.client.duel import play_duel
from demo.client.nakama_client import NakamaClient
from demo.client.notation import LEGEND
from demo.client.reconnecting import ReconnectingPlayer
from demo.client.transcript import Transcript
from demo.stack.folder_lock import FolderInUseError
from demo.stack.native import NativeStack
from demo.stack.ports import PortInUseError
from demo.stack.service import ServiceError
from demo.stack.settings import SettingError, from_environment

if TYPE_CHECKING:
    from types import FrameType

NAMES = ("alice", "bob")
LONGEST_PAUSE_S = 0.9
USER_ERRORS = (SettingError, PortInUseError, FolderInUseError, ServiceError)

report = partial(print, flush=True)


def play_match(stack: NativeStack) -> None:
    """Play one match between two clients."""
    transcript = Transcript(report, colored=sys.stdout.isatty())
    with ExitStack() as cleanup:
        clients = [NakamaClient(stack.api_url, f"set-demo-{name}", name) for name in NAMES]
        for client in clients:
            cleanup.callback(client.close)
        # A new match: an earlier match of these users may have survived a restart of the stack.
        match_id = clients[0].rpc("set_create_match", {})["matchId"]
        players = [join(client, match_id, transcript, first=client is clients[0]) for client in clients]
        for player in players:
            cleanup.callback(player.close)
        play_duel(players, LONGEST_PAUSE_S)


def join(client: NakamaClient, match_id: str, transcript: Transcript, *, first: bool) -> ReconnectingPlayer:
    """Join a match.

    The transcript shows the messages of the first player, and only the rejections of the other.
    """
    report(f"{client.username} joins {match_id}")

    def on_message(message: wire.Message) -> None:
        if first or isinstance(message, wire.ClaimRejected):
            transcript.write(message)

    return ReconnectingPlayer(client, match_id, on_message)


def show_addresses(stack: NativeStack) -> None:
    """Print the addresses of the stack."""
    port = stack.settings.api_port
    report(f"\n{page_line(stack)}")
    report(f"Nakama       {stack.api_url}  and ws://127.0.0.1:{port}/ws, server key defaultkey")
    report(f"console      {stack.console_url}  user admin, password password")
    report(f"rules        {stack.rules_address}  gRPC, with the standard health service")
    report(f"logs         {stack.settings.folder / 'logs'}")


def page_line(stack: NativeStack) -> str:
    """Return a line with the address of the page, or the reason why it does not run."""
    return f"page         {stack.page_url or 'not started: build it with `make build`'}"


def interrupt(_signal: int, _frame: FrameType | None) -> None:
    """Handle SIGTERM like Ctrl-C. Set for SIGINT too, which shells ignore for background jobs."""
    raise KeyboardInterrupt


def run(*, once: bool) -> None:
    """Run the demo."""
    report("starting PostgreSQL, the rules service and Nakama")
    with NativeStack(from_environment(), report) as stack:
        report(page_line(stack))
        report(LEGEND)
        play_match(stack)
        show_addresses(stack)
        if not once:
            report("running until Ctrl-C")
            while True:  # `signal.pause` does not return if another thread receives the signal
                time.sleep(1)


def main() -> int:
    """Run the demo and return its exit code."""
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signal_number, interrupt)
    once = "--once" in sys.argv[1:] or os.environ.get("SET_DEMO_ONCE") == "1"
    try:
        run(once=once)
    except KeyboardInterrupt:
        report("\nstopped")
        return 0
    except USER_ERRORS as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
