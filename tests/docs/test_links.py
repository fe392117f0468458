"""Links of documents lead to existing files and headings, and named make targets exist."""

import re
from pathlib import Path

import pytest

from demo.stack.settings import PROJECT

PAGES = sorted(
    [
        *PROJECT.glob("*.md"),
        *PROJECT.glob("docs/*.md"),
        *PROJECT.glob("docs/examples/*.md"),
        *PROJECT.glob("docs/rules/*.md"),
        *PROJECT.glob("deploy/*/*.md"),
    ]
)
LINK = re.compile(r"\[[^\]]*\]\((?!https?:)([^)]+)\)")
TARGET = re.compile(r"`(?:[A-Z_]+=\S+ )?make ([a-z0-9-]+)")


def name(page: Path) -> str:
    return str(page.relative_to(PROJECT))


def anchors(page: Path) -> set[str]:
    """Return the link names of the headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_target_exists(page: Path) -> None:
    for link in LINK.findall(page.read_text()):
        file, _, anchor = link.partition("#")
        led = (page.parent / file) if file else page
        assert led.exists(), link
        assert not anchor or anchor in anchors(led), link


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_named_make_target_exists(page: Path) -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (PROJECT / "Makefile").read_text(), re.MULTILINE))

    assert set(TARGET.findall(page.read_text())) <= targets
