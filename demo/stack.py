"""The native stack: PostgreSQL, the rules service and Nakama with the plugin, supervised."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from demo import nakama_server, page_program, postgres, rules_service
from demo.folder_lock import FolderLock
from demo.ports import HOST, require_free
from demo.service import Program, Service
from demo.supervisor import Supervisor

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

    from demo.settings import StackSettings

RULES = "rules service"


class NativeStack:
    """Everything that a match needs, as a context manager.

    Entering starts the programs one after the other, each when the one before it answers; leaving stops them
    in the opposite order. What dies in between is started again. On Linux nothing outlives this process.
    """

    def __init__(self, settings: StackSettings, say: Callable[[str], None] = print) -> None:
        """Take the settings and where to say what happens."""
        self.settings = settings
        self._say = say
        self._services: dict[str, Service] = {}
        self._supervisor = Supervisor([], say)
        self._cleanup = ExitStack()

    @property
    def api_url(self) -> str:
        """Where players reach Nakama."""
        return f"http://{HOST}:{self.settings.api_port}"

    @property
    def console_url(self) -> str:
        """Where Nakama's console is."""
        return f"http://{HOST}:{self.settings.console_port}"

    @property
    def page_url(self) -> str | None:
        """Where the page to play at is; None if it is not built."""
        return f"http://{HOST}:{self.settings.page_port}/" if page_program.is_built() else None

    @property
    def rules_address(self) -> str:
        """Where the rules service listens."""
        return f"{HOST}:{self.settings.rules_port}"

    @property
    def logs(self) -> list[Path]:
        """Every program's log."""
        return sorted(self._log_folder.glob("*.log"))

    @property
    def pids(self) -> dict[str, int]:
        """The running programs' processes by name."""
        return {
            name: service.pid for name, service in self._services.items() if service.pid and service.running
        }

    def __enter__(self) -> Self:
        with ExitStack() as cleanup:
            self._start(cleanup)
            self._cleanup = cleanup.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._cleanup.close()

    def kill_rules(self) -> None:
        """`kill -9` the rules service and leave it dead until `start_rules`."""
        self._supervisor.kill(RULES)

    def start_rules(self) -> None:
        """Start the rules service again after `kill_rules`, and wait until it answers."""
        self._supervisor.revive(RULES)

    def stop_database(self) -> None:
        """Stop PostgreSQL until `start_database`; Nakama runs on without it."""
        self._supervisor.halt(postgres.NAME)

    def start_database(self) -> None:
        """Start PostgreSQL again after `stop_database`, and wait until it answers."""
        self._supervisor.revive(postgres.NAME)

    @property
    def _log_folder(self) -> Path:
        return self.settings.folder / "logs"

    def _start(self, cleanup: ExitStack) -> None:
        self._log_folder.mkdir(parents=True, exist_ok=True)
        lock = FolderLock(self.settings.folder / "lock", self._say)
        cleanup.callback(lock.release)
        for wanted in self.settings.wanted:
            require_free(wanted)
        self._start_programs(cleanup, lock)
        self._supervisor = Supervisor(list(self._services.values()), self._say)
        self._supervisor.start()
        cleanup.callback(self._supervisor.stop)

    def _start_programs(self, cleanup: ExitStack, lock: FolderLock) -> None:
        data = self.settings.folder / "postgres"
        postgres.prepare(data)
        database = postgres.address(data)
        self._start_one(postgres.program(data, self._log("postgres")), cleanup, lock)
        nakama_server.migrate(database, self._log("migrate"))
        self._start_one(rules_service.program(self.settings, self._log("rules")), cleanup, lock)
        self._start_one(nakama_server.program(self.settings, database, self._log("nakama")), cleanup, lock)
        if page_program.is_built():
            self._start_one(page_program.program(self.settings, self._log("page")), cleanup, lock)

    def _start_one(self, program: Program, cleanup: ExitStack, lock: FolderLock) -> None:
        service = Service(program, inherited=(lock.descriptor,))
        cleanup.callback(service.stop)
        service.start()
        self._services[program.name] = service

    def _log(self, name: str) -> Path:
        """Return the log of a program, emptied."""
        path = self._log_folder / f"{name}.log"
        path.write_bytes(b"")
        return path
