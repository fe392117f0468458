"""Supervisor: restarts services that died, with a backoff."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from demo.stack.service import Service, ServiceError, describe_exit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

POLL_S = 0.2
FIRST_DELAY_S = 1.0
LONGEST_DELAY_S = 15.0
STABLE_AFTER_S = 30.0


class Backoff:
    """Delay before a restart. It doubles each time the service dies early."""

    def __init__(self, first_s: float = FIRST_DELAY_S, longest_s: float = LONGEST_DELAY_S) -> None:
        """Create a backoff with the first and the longest delay, in seconds."""
        self._first_s = first_s
        self._longest_s = longest_s
        self._next_s = first_s

    def after_death(self, lived_s: float) -> float:
        """Return the delay in seconds before the restart of a service that ran for `lived_s` seconds."""
        if lived_s >= STABLE_AFTER_S:
            self._next_s = self._first_s
        delay = self._next_s
        self._next_s = min(self._longest_s, 2 * delay)
        return delay


class Watched:
    """A service, and the monotonic time of its next restart."""

    def __init__(self, service: Service, backoff: Backoff) -> None:
        """Watch a running service."""
        self.service = service
        self.paused = False
        self._backoff = backoff
        self._started = time.monotonic()
        self._restart_at: float | None = None

    def schedule_restart(self) -> float | None:
        """Schedule a restart if the service has died since the last call. Return the delay, or None."""
        if self.paused or self.service.running or self._restart_at is not None:
            return None
        now = time.monotonic()
        delay = self._backoff.after_death(now - self._started)
        self._restart_at = now + delay
        return delay

    @property
    def is_due(self) -> bool:
        """Whether it is time for the restart."""
        return not self.paused and self._restart_at is not None and time.monotonic() >= self._restart_at

    def start(self) -> None:
        """Start the service, and watch it again."""
        self.paused, self._restart_at, self._started = False, None, time.monotonic()
        self.service.start()


class Supervisor:
    """Watches services in a thread and restarts them when they die.

    The thread runs until `stop`, because on Linux a program ends with the thread that started it.
    """

    def __init__(
        self,
        services: Sequence[Service],
        report: Callable[[str], None],
        backoff: Callable[[], Backoff] = Backoff,
    ) -> None:
        """Create a supervisor for running services; `report` receives messages for the user."""
        self._watched = {service.program.name: Watched(service, backoff()) for service in services}
        self._report = report
        self._lock = threading.RLock()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="supervisor", daemon=True)

    def start(self) -> None:
        """Start watching."""
        self._thread.start()

    def stop(self) -> None:
        """Stop watching. The services keep running."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    def kill_service(self, name: str) -> None:
        """Kill a service, without a restart until `start_service`."""
        with self._lock:
            self._watched[name].paused = True
            self._watched[name].service.kill()

    def stop_service(self, name: str) -> None:
        """Stop a service gracefully, without a restart until `start_service`."""
        with self._lock:
            self._watched[name].paused = True
            self._watched[name].service.stop()

    def start_service(self, name: str) -> None:
        """Start a killed or stopped service again."""
        with self._lock:
            self._watched[name].start()

    def _watch(self) -> None:
        while not self._stopped.wait(POLL_S):
            for name, watched in self._watched.items():
                with self._lock:
                    self._check(name, watched)

    def _check(self, name: str, watched: Watched) -> None:
        delay = watched.schedule_restart()
        if delay is not None:
            self._report(
                f"{name} died ({describe_exit(watched.service.exit_code)}), starting again in {delay:.0f} s"
            )
        if watched.is_due:
            self._restart(name, watched)

    def _restart(self, name: str, watched: Watched) -> None:
        try:
            watched.start()
        except ServiceError as error:
            self._report(str(error))
        else:
            self._report(f"{name} is back")
