"""Starts services again that died by themselves, and not more often than makes sense."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from demo.service import Service, ServiceError, describe_exit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WATCH_S = 0.2
FIRST_DELAY_S = 1.0
LONGEST_DELAY_S = 15.0
SETTLED_S = 30.0


class Backoff:
    """How long to wait before the next start: twice as long after each early death."""

    def __init__(self, first_s: float = FIRST_DELAY_S, longest_s: float = LONGEST_DELAY_S) -> None:
        """Take the first and the longest delay, in seconds."""
        self._first_s = first_s
        self._longest_s = longest_s
        self._next_s = first_s

    def after_death(self, lived_s: float) -> float:
        """Return the delay in seconds after a life of `lived_s` seconds."""
        if lived_s >= SETTLED_S:
            self._next_s = self._first_s
        delay = self._next_s
        self._next_s = min(self._longest_s, 2 * delay)
        return delay


class Watched:
    """A service and when it is to be started again, on the monotonic clock."""

    def __init__(self, service: Service, backoff: Backoff) -> None:
        """Watch a service that runs."""
        self.service = service
        self.held = False
        self._backoff = backoff
        self._started = time.monotonic()
        self._due: float | None = None

    def note_death(self) -> float | None:
        """Return the delay before the next start if the service has died since the last look."""
        if self.held or self.service.running or self._due is not None:
            return None
        now = time.monotonic()
        delay = self._backoff.after_death(now - self._started)
        self._due = now + delay
        return delay

    @property
    def is_due(self) -> bool:
        """Whether it is time for the next start."""
        return not self.held and self._due is not None and time.monotonic() >= self._due

    def start(self) -> None:
        """Start the service; from now on its death counts as new."""
        self.held, self._due, self._started = False, None, time.monotonic()
        self.service.start()


class Supervisor:
    """Watches services in a thread of its own and starts again what died.

    The thread lives until `stop`: on Linux a program dies with the thread that started it.
    """

    def __init__(
        self,
        services: Sequence[Service],
        say: Callable[[str], None],
        backoff: Callable[[], Backoff] = Backoff,
    ) -> None:
        """Take running services and where to say what happens to them."""
        self._watched = {service.program.name: Watched(service, backoff()) for service in services}
        self._say = say
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="supervisor", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """Stop watching. The services go on."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def kill(self, name: str) -> None:
        """Kill a service and leave it dead until `revive`."""
        with self._lock:
            self._watched[name].held = True
            self._watched[name].service.kill()

    def halt(self, name: str) -> None:
        """Stop a service in good order and leave it so until `revive`."""
        with self._lock:
            self._watched[name].held = True
            self._watched[name].service.stop()

    def revive(self, name: str) -> None:
        """Start a killed or halted service again."""
        with self._lock:
            self._watched[name].start()

    def _watch(self) -> None:
        while not self._over.wait(WATCH_S):
            for name, watched in self._watched.items():
                with self._lock:
                    self._look_at(name, watched)

    def _look_at(self, name: str, watched: Watched) -> None:
        delay = watched.note_death()
        if delay is not None:
            self._say(
                f"{name} died ({describe_exit(watched.service.exit_code)}), starting again in {delay:.0f} s"
            )
        if watched.is_due:
            self._start_again(name, watched)

    def _start_again(self, name: str, watched: Watched) -> None:
        try:
            watched.start()
        except ServiceError as failure:
            self._say(str(failure))
        else:
            self._say(f"{name} is back")
