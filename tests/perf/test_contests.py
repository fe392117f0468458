import random
from dataclasses import replace

import pytest

from tests.perf import validator
from tests.perf.contests import Contest, contests


@pytest.fixture(scope="module")
def by_name() -> dict[str, Contest]:
    return {contest.name: contest for contest in contests(random.Random(1))}


def test_contests_match_the_design(by_name: dict[str, Contest]) -> None:
    assert {name: contest.target for name, contest in by_name.items()} == {
        "validate with reason": 3,
        "find_all_sets(21)": 25,
        "any_set_exists, 20 Set-free": 30,
    }


def test_all_card_implementations_give_the_same_results(by_name: dict[str, Contest]) -> None:
    for contest in by_name.values():
        answers = {name: way() for name, way in contest.ways.items() if name != "literal, ints"}
        assert len(answers["ours"]) == contest.size
        assert all(answer == answers["ours"] for answer in answers.values())


def test_integer_forms_are_the_same_cards(by_name: dict[str, Contest]) -> None:
    ways = {name: contest.ways for name, contest in by_name.items()}
    reasons = [getattr(result, "invalid_reason", "") for result in ways["validate with reason"]["ours"]()]
    assert ways["validate with reason"]["literal, ints"]() == reasons
    for name in ("ours", "literal, ints"):
        counted = [len(found) for found in ways["find_all_sets(21)"][name]() if isinstance(found, list)]
        assert counted == [
            len(found) for found in ways["find_all_sets(21)"]["pairs"]() if isinstance(found, list)
        ]
        assert not any(ways["any_set_exists, 20 Set-free"][name]())


def test_ratio_below_its_target_is_a_miss(
    by_name: dict[str, Contest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        validator, "_interleaved", lambda _: {"ours": 400, "literal": 1_000, "literal, ints": 900}
    )
    contest = replace(by_name["validate with reason"], size=1)

    row = validator._measured(contest)

    assert (row.ratios["literal"], row.met) == (2.5, False)
    assert validator._measured(replace(contest, target=2.5)).met
