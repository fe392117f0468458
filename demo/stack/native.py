"""The native stack: PostgreSQL, the rules service, Nakama with the plugin, the page, and a supervisor."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from demo.stack import nakama_server, page_program, postgres, rules_service
from demo.stack.folder_lock import FolderLock
from demo.stack.ports import HOST, require_free
from demo.stack.service import Program, Service
from demo.stack.supervisor import Supervisor

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

    from demo.stack.settings import StackSettings

RULES = "rules service"
NAKAMA = "Nakama"


class NativeStack:
    """All programs that a match needs, as a context manager.

    Entering starts the programs in order, each when the previous one is ready. Leaving stops them in reverse
    order. Programs that die are restarted. On Linux all programs end together with this process.
    """

    def __init__(self, settings: StackSettings, report: Callable[[str], None] = print) -> None:
        """Create a stack; `report` receives messages for the user."""
        self.settings = settings
        self._report = report
        self._services: dict[str, Service] = {}
        self._supervisor = Supervisor([], report)
        self._cleanup = ExitStack()

    @property
    def api_url(self) -> str:
        """URL of Nakama's API."""
        return f"http://{HOST}:{self.settings.api_port}"

    @property
    def console_url(self) -> str:
        """URL of Nakama's console."""
        return f"http://{HOST}:{self.settings.console_port}"

    @property
    def page_url(self) -> str | None:
        """URL of the page; None if it is not built."""
        return f"http://{HOST}:{self.settings.page_port}/" if page_program.is_built() else None

    @property
    def rules_address(self) -> str:
        """Address of the rules service, as host:port."""
        return f"{HOST}:{self.settings.rules_port}"

    @property
    def logs(self) -> list[Path]:
        """The log files of all programs."""
        return sorted(self._log_folder.glob("*.log"))

    @property
    def pids(self) -> dict[str, int]:
        """Process ids of the running programs, by name."""
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
        """Kill the rules service, like `kill -9`, without a restart until `start_rules`."""
        self._supervisor.kill_service(RULES)

    def start_rules(self) -> None:
        """Start the rules service after `kill_rules`, and wait until it is ready."""
        self._supervisor.start_service(RULES)

    def kill_nakama(self) -> None:
        """Kill Nakama, like `kill -9`, without a restart until `start_nakama`."""
        self._supervisor.kill_service(NAKAMA)

    def stop_nakama(self) -> None:
        """Stop Nakama gracefully, without a restart until `start_nakama`."""
        self._supervisor.stop_service(NAKAMA)

    def start_nakama(self) -> None:
        """Start Nakama again, and wait until it is ready."""
        self._supervisor.start_service(NAKAMA)

    def stop_database(self) -> None:
        """Stop PostgreSQL until `start_database`. Nakama keeps running."""
        self._supervisor.stop_service(postgres.NAME)

    def start_database(self) -> None:
        """Start PostgreSQL after `kill_database` or `stop_database`, and wait until it is ready."""
        self._supervisor.start_service(postgres.NAME)

    def kill_database(self) -> None:
        """Kill PostgreSQL, like `kill -9`, until `start_database`."""
        self._supervisor.kill_service(postgres.NAME)

    @property
    def _log_folder(self) -> Path:
        return self.settings.folder / "logs"

    def _start(self, cleanup: ExitStack) -> None:
        self._log_folder.mkdir(parents=True, exist_ok=True)
        lock = FolderLock(self.settings.folder / "lock", self._report)
        cleanup.callback(lock.release)
        for wanted in self.settings.wanted:
            require_free(wanted)
        self._start_programs(cleanup, lock)
        self._supervisor = Supervisor(list(self._services.values()), self._report)
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
        """Return the log file of a program, after emptying it."""
        path = self._log_folder / f"{name}.log"
        path.write_bytes(b"")
        return path
