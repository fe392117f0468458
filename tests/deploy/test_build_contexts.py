"""Files copied by a Dockerfile are in its build context; only an image build would show an error."""

import re
from pathlib import PurePosixPath

import pytest

from demo.stack.settings import PROJECT

CONTEXTS = {"Dockerfile": ".", "nakama/Dockerfile": "nakama", "demo/page/Dockerfile": "."}


def copied(dockerfile: str) -> list[str]:
    """Return the sources of COPY instructions, without those from another stage."""
    text = (PROJECT / dockerfile).read_text()
    lines = re.findall(r"^COPY (?!--from)(.+)$", text, re.MULTILINE)
    return [source for line in lines for source in line.split()[:-1]]


def not_ignored(context: str) -> list[str]:
    """Return the exceptions in .dockerignore, whose first rule excludes everything."""
    lines = (PROJECT / context / ".dockerignore").read_text().splitlines()
    assert "*" in lines
    return [line.removeprefix("!") for line in lines if line.startswith("!")]


def is_in(source: str, names: list[str]) -> bool:
    path = PurePosixPath(source)
    return any(source == name or PurePosixPath(name) in path.parents for name in names)


@pytest.mark.parametrize("dockerfile", CONTEXTS)
def test_copied_files_exist_and_are_not_ignored(dockerfile: str) -> None:
    context = CONTEXTS[dockerfile]
    names = not_ignored(context)
    for source in copied(dockerfile):
        assert is_in(source, names), source
        assert any((PROJECT / context).glob(source)), source
