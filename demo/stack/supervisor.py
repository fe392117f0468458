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


class Watched:
    """A service and the delay before its next restart, which doubles each time the service dies early."""

    def __init__(self, service: Service, first_delay_s: float) -> None:
        """Watch a running service."""
        self.service = service
        self.paused = False
        self.restart_at: float | None = None
        self._first_delay_s = first_delay_s
        self._next_delay_s = first_delay_s
        self._started = time.monotonic()

    def schedule_restart(self, now: float) -> float:
        """Schedule a restart of a service that has died; return the delay in seconds."""
        if now - self._started >= STABLE_AFTER_S:
            self._next_delay_s = self._first_delay_s
        delay = self._next_delay_s
        self._next_delay_s = min(LONGEST_DELAY_S, 2 * delay)
        self.restart_at = now + delay
        return delay

    def start(self) -> None:
        """Start the service, and watch it again."""
        self.paused, self.restart_at, self._started = False, None, time.monotonic()
        self.service.start()


class Supervisor:
    """Watches services in a thread and restarts them when they die.

    The thread runs until `stop`, because on Linux a program ends with the thread that started it.
    """

    def __init__(
        self,
        services: Sequence[Service],
        report: Callable[[str], None],
        first_delay_s: float = FIRST_DELAY_S,
    ) -> None:
        """Create a supervisor for running services; `report` receives messages for the user."""
        self._watched = {service.program.name: Watched(service, first_delay_s) for service in services}
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
        if watched.paused:
            return
        now = time.monotonic()
        if watched.restart_at is None and not watched.service.running:
            delay, cause = watched.schedule_restart(now), describe_exit(watched.service.exit_code)
            self._report(f"{name} died ({cause}), starting again in {delay:.0f} s")
        if watched.restart_at is not None and now >= watched.restart_at:
            self._restart(name, watched)

    def _restart(self, name: str, watched: Watched) -> None:
        try:
            watched.start()
        except ServiceError as error:
            self._report(str(error))
        else:
            self._report(f"{name} is back")
