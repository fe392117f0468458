"""`make run`: start the stack, let two clients play one match on it, keep serving until Ctrl-C."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from demo import messages as wire
from demo.duel import LIKE_PEOPLE, Duel
from demo.folder_lock import FolderInUseError
from demo.nakama_client import NakamaClient
from demo.notation import LEGEND
from demo.player import Player
from demo.ports import PortInUseError
from demo.service import ServiceError
from demo.settings import SettingError, from_environment
from demo.stack import NativeStack
from demo.transcript import Transcript

if TYPE_CHECKING:
    from types import FrameType

NAMES = ("alice", "bob")
PROBLEMS = (SettingError, PortInUseError, FolderInUseError, ServiceError)

say = partial(print, flush=True)


def play_match(stack: NativeStack) -> None:
    """Let two clients find each other and play one match to its end."""
    transcript = Transcript(say, colored=sys.stdout.isatty())
    with ExitStack() as cleanup:
        clients = [NakamaClient(stack.api_url, f"set-demo-{name}", name) for name in NAMES]
        for client in clients:
            cleanup.callback(client.close)
        players = [join(client, transcript, first=client is clients[0]) for client in clients]
        for player in players:
            cleanup.callback(player.close)
        Duel(players[0], players[1], LIKE_PEOPLE).play()


def join(client: NakamaClient, transcript: Transcript, *, first: bool) -> Player:
    """Find a match and join it; the first player's ears make the transcript, the other adds rejections."""
    match_id = client.rpc("set_find_match", {})["matchId"]
    say(f"{client.username} joins {match_id}")

    def listen(message: wire.Message) -> None:
        if first or isinstance(message, wire.ClaimRejected):
            transcript.hear(message)

    return Player(client, match_id, listen)


def show_addresses(stack: NativeStack) -> None:
    """Say where everything listens."""
    port = stack.settings.api_port
    say(f"\n{page_line(stack)}")
    say(f"Nakama       {stack.api_url}  and ws://127.0.0.1:{port}/ws, server key defaultkey")
    say(f"console      {stack.console_url}  user admin, password password")
    say(f"rules        {stack.rules_address}  gRPC, with health and reflection")
    say(f"logs         {stack.settings.folder / 'logs'}")


def page_line(stack: NativeStack) -> str:
    """Say where one can play, or that one cannot."""
    return f"page         {stack.page_url or 'left out: it is not built, see `make page`'}"


def interrupt(_signal: int, _frame: FrameType | None) -> None:
    """Stop, whether by Ctrl-C or SIGTERM, and also where a background job ignores Ctrl-C."""
    raise KeyboardInterrupt


def run(*, once: bool) -> None:
    """Run the whole demo."""
    say("starting PostgreSQL, the rules service and Nakama")
    with NativeStack(from_environment(), say) as stack:
        say(page_line(stack))
        say(LEGEND)
        play_match(stack)
        show_addresses(stack)
        if not once:
            say("serving until Ctrl-C")
            while True:  # `signal.pause` would sleep through a signal that another thread is given
                time.sleep(1)


def main() -> int:
    """Run the demo and return its exit code."""
    for wish in (signal.SIGINT, signal.SIGTERM):
        signal.signal(wish, interrupt)
    once = "--once" in sys.argv[1:] or os.environ.get("SET_DEMO_ONCE") == "1"
    try:
        run(once=once)
    except KeyboardInterrupt:
        say("\nstopped")
        return 0
    except PROBLEMS as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
