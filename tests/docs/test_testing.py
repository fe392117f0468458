"""Every known fault in docs/testing.md has a test with its marker, and every marker has a row."""

import re

import pytest

from demo.stack.settings import PROJECT

ROW = re.compile(r"^\| (F?\d+) \| ", re.MULTILINE)


def known(heading: str) -> set[str]:
    """Return the first cells of the table of a section."""
    text = (PROJECT / "docs" / "testing.md").read_text()
    return set(ROW.findall(text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]))


def marked(marker: str) -> set[str]:
    """Return the arguments of a marker in the Python tests and in the comments of the Go tests."""
    python = "".join(path.read_text() for path in (PROJECT / "tests").rglob("test_*.py"))
    go = "".join(path.read_text() for path in (PROJECT / "nakama").rglob("*_test.go"))
    arguments = re.findall(rf"^@pytest\.mark\.{marker}\((.*)\)$", python, re.MULTILINE)
    found = {word for each in arguments for word in re.findall(r"F?\d+", each)}
    return found | set(re.findall(rf"^//proves:{marker} (\S+)$", go, re.MULTILINE))


@pytest.mark.parametrize(
    ("heading", "marker", "count"),
    [("Faults of other servers", "fault", 29), ("Problems that others had with Nakama", "thread", 15)],
)
def test_every_known_fault_has_a_test(heading: str, marker: str, count: int) -> None:
    assert len(known(heading)) == count
    assert known(heading) == marked(marker)
