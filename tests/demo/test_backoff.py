"""The pauses between attempts to reconnect."""

from itertools import islice

import pytest

from demo.client.backoff import FIRST_S, LONGEST_S, pauses


def test_pauses_grow_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("random.uniform", lambda _lowest, highest: highest)
    assert list(islice(pauses(), 7)) == [FIRST_S * 2**attempt for attempt in range(5)] + [LONGEST_S] * 2


def test_pauses_are_random() -> None:
    first = [next(pauses()) for _ in range(20)]
    assert len(set(first)) > 1
    assert all(0 <= pause <= FIRST_S for pause in first)
