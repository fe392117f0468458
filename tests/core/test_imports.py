"""The core imports only the standard library, and no module for time, logging or I/O."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import set_core

SOURCES = sorted(Path(set_core.__file__).parent.glob("*.py"))
ALLOWED = {
    "collections.abc",
    "dataclasses",
    "enum",
    "itertools",
    "random.SystemRandom",
    "typing",
    "unicodedata",
    "datetime.date",
}
each_source = pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)


def imports(source: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{source.name}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def calls(source: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id


def test_core_files_are_found() -> None:
    assert {"cards.py", "deck.py", "session.py", "validator.py"} <= {source.name for source in SOURCES}


@each_source
def test_core_imports_only_allowed_modules(source: Path) -> None:
    for name in imports(source):
        module, _, _ = name.rpartition(".")
        assert module.startswith("set_core") or {name, module} & ALLOWED, f"{source.name} imports {name}"
        assert name.split(".")[0] in {"set_core", *sys.stdlib_module_names}


@each_source
def test_core_calls_no_io_functions(source: Path) -> None:
    assert not set(calls(source)) & {
        "open",
        "print",
        "input",
        "exec",
        "eval",
        "compile",
        "__import__",
        "breakpoint",
    }


@each_source
def test_only_the_deck_uses_randomness(source: Path) -> None:
    chance = {name for name in imports(source) if name.startswith(("random", "secrets", "os"))}

    assert chance == ({"random.SystemRandom"} if source.name == "deck.py" else set())


def test_no_global_generator_is_used() -> None:
    assert not [
        source.name
        for source in SOURCES
        if re.search(r"\brandom\.(seed|random|choice)\(", source.read_text())
    ]


@each_source
def test_files_are_short(source: Path) -> None:
    assert len(source.read_text().splitlines()) <= 300


def test_public_names_are_sorted_and_exist() -> None:
    assert set_core.__all__ == sorted(set_core.__all__)
    assert all(hasattr(set_core, name) for name in set_core.__all__)
