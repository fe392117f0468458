"""The rows of saved matches in the database of a stack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from demo.stack import postgres

if TYPE_CHECKING:
    from demo.stack.native import NativeStack


def forget_matches(stack: NativeStack) -> None:
    """Restart Nakama without its matches: those of an earlier run of the tests would otherwise continue."""
    stack.kill_nakama()
    query(stack, "DELETE FROM set_checkpoints")
    stack.start_nakama()


def query(stack: NativeStack, sql: str) -> str:
    """Return the result of a query in the database of a stack: one line for each row."""
    return postgres.query(stack.settings.folder / "postgres", sql).strip()
