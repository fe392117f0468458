"""The word to stop is heard whichever thread the system gives it to, and however often it is said."""

import subprocess
import sys
from typing import Final

import pytest

from match_handler.service.signals import StopRequest
from tests.service.processes import PATIENCE_SECONDS

MORE_THAN_A_PIPE_HOLDS: Final = 100_000

HEARD_BY_ANOTHER_THREAD: Final = """
import signal, threading
from match_handler.service.signals import stop_requested

stop = stop_requested()

def be_told():
    assert not stop.wait(0.2)
    signal.pthread_kill(threading.get_ident(), signal.{number})

threading.Thread(target=be_told).start()
assert stop.wait()
"""


@pytest.mark.parametrize("number", ["SIGTERM", "SIGINT"])
def test_a_signal_that_reaches_another_thread_wakes_the_one_that_waits(number: str) -> None:
    program = HEARD_BY_ANOTHER_THREAD.format(number=number)
    ended = subprocess.run([sys.executable, "-c", program], check=False, timeout=PATIENCE_SECONDS)
    assert ended.returncode == 0


def test_nobody_has_asked_until_somebody_does() -> None:
    stop = StopRequest()
    assert not stop.wait(0)
    stop.make()
    assert stop.wait(0)
    assert stop.wait()


def test_asking_never_waits_however_often_it_is_done() -> None:
    stop = StopRequest()
    for _ in range(MORE_THAN_A_PIPE_HOLDS):
        stop.make()
    assert stop.wait()
