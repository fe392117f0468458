"""Stop signals work in any thread and any number of times."""

import subprocess
import sys
from typing import Final

import pytest

from match_handler.service.signals import StopRequest
from tests.service.processes import TIMEOUT_SECONDS

MORE_THAN_A_PIPE_BUFFER: Final = 100_000

SIGNAL_IN_ANOTHER_THREAD: Final = """
import signal, threading
from match_handler.service.signals import install_stop_handlers

stop = install_stop_handlers()

def send_signal():
    assert not stop.wait(0.2)
    signal.pthread_kill(threading.get_ident(), signal.{number})

threading.Thread(target=send_signal).start()
assert stop.wait()
"""


@pytest.mark.parametrize("number", ["SIGTERM", "SIGINT"])
def test_signal_in_another_thread_wakes_the_waiting_thread(number: str) -> None:
    program = SIGNAL_IN_ANOTHER_THREAD.format(number=number)
    ended = subprocess.run([sys.executable, "-c", program], check=False, timeout=TIMEOUT_SECONDS)
    assert ended.returncode == 0


def test_stop_is_not_set_before_a_request() -> None:
    stop = StopRequest()
    assert not stop.wait(0)
    stop.set()
    assert stop.wait(0)
    assert stop.wait()


def test_stop_request_never_blocks() -> None:
    stop = StopRequest()
    for _ in range(MORE_THAN_A_PIPE_BUFFER):
        stop.set()
    assert stop.wait()
