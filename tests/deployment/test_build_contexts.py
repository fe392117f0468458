"""What a Dockerfile copies is in its build context: what .dockerignore leaves out breaks the image only."""

import re
from pathlib import PurePosixPath

import pytest

from demo.settings import PROJECT

CONTEXTS = {"Dockerfile": ".", "nakama/Dockerfile": "nakama", "demo/page/Dockerfile": "."}


def copied(dockerfile: str) -> list[str]:
    """What is copied from the build context, not from another stage."""
    text = (PROJECT / dockerfile).read_text()
    lines = re.findall(r"^COPY (?!--from)(.+)$", text, re.MULTILINE)
    return [source for line in lines for source in line.split()[:-1]]


def let_in(context: str) -> list[str]:
    """What .dockerignore makes an exception of; it begins by leaving everything out."""
    lines = (PROJECT / context / ".dockerignore").read_text().splitlines()
    assert "*" in lines
    return [line.removeprefix("!") for line in lines if line.startswith("!")]


def is_in(source: str, names: list[str]) -> bool:
    path = PurePosixPath(source)
    return any(source == name or PurePosixPath(name) in path.parents for name in names)


@pytest.mark.parametrize("dockerfile", CONTEXTS)
def test_what_is_copied_is_there_and_let_in(dockerfile: str) -> None:
    context = CONTEXTS[dockerfile]
    names = let_in(context)
    for source in copied(dockerfile):
        assert is_in(source, names), source
        assert any((PROJECT / context).glob(source)), source
