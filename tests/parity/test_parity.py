"""The C# program and this project give the same answers."""

import random
from collections.abc import Sequence
from datetime import date, timedelta

import pytest

from set_core import ALL_CARDS, Attribute, Card, Deck, DotNetRandom, SetValidator
from set_core.deck import daily_seed
from tests.parity import csharp
from tests.proof.ledger import Tries

VALIDATOR = SetValidator()
REASONS = [f"{attribute.capitalize()} is mixed" for attribute in Attribute]
INT32 = 2**31


def _digit(a: Card, b: Card, c: Card) -> str:
    reason = VALIDATOR.validate((a, b, c)).invalid_reason
    return "4" if reason is None else str(REASONS.index(reason))


def _board_answer(cards: Sequence[Card]) -> str:
    found = [",".join(str(card.id) for card in trio) for trio in VALIDATOR.find_all_sets(cards)]
    return " ".join(["yes" if VALIDATOR.any_set_exists(cards) else "no", *found])


@pytest.mark.claim("server and C# client judge any three cards equally", "C# on Mono, every ordered triple")
def test_every_ordered_triple_has_the_same_result(tried: Tries) -> None:
    (answer,) = csharp.ask(["triples"])

    ours = "".join(_digit(a, b, c) for a in ALL_CARDS for b in ALL_CARDS for c in ALL_CARDS)

    tried(len(answer))
    assert ours == answer
    assert len(answer) == 81**3


@pytest.mark.claim(
    "FindAllSets (also its order) and AnySetExists equal those in C#",
    "C# on Mono, random boards of 0 to 24 cards",
)
def test_boards_have_the_same_sets(tried: Tries) -> None:
    chance = random.Random(20)
    boards = [chance.sample(ALL_CARDS, chance.randint(0, 24)) for _ in range(4_000)]

    answers = csharp.ask(csharp.question_line("board", [card.id for card in board]) for board in boards)

    tried(len(boards))
    assert [_board_answer(board) for board in boards] == answers


def test_boards_with_repeated_cards_have_the_same_sets() -> None:
    chance = random.Random(21)
    boards = [chance.choices(ALL_CARDS[:30], k=chance.randint(3, 14)) for _ in range(1_000)]

    answers = csharp.ask(csharp.question_line("board", [card.id for card in board]) for board in boards)

    assert [_board_answer(board) for board in boards] == answers


def test_every_id_is_the_same_card() -> None:
    answers = csharp.ask(csharp.question_line("card", [card.id]) for card in ALL_CARDS)

    shown = [(card.attributes.number, card.attributes.shape, card.attributes.color) for card in ALL_CARDS]
    ours = [" ".join(value.name.capitalize() for value in values) for values in shown]
    ends = [card.attributes.shading.name.capitalize() for card in ALL_CARDS]
    assert [f"{start} {end}" for start, end in zip(ours, ends, strict=True)] == answers


def _seeds(count: int) -> list[int]:
    chance = random.Random(22)
    edges = [1, -1, 2, INT32 - 1, INT32 - 2, -INT32, 1 - INT32, 161_803_398, 161_803_399]
    return edges + [chance.choice((1, -1)) * chance.randint(1, INT32 - 1) for _ in range(count - len(edges))]


@pytest.mark.claim(
    "a seed gives the same deck here and in C#", "C# on Mono, 32-bit seeds, also the lowest and the highest"
)
def test_seeds_give_the_same_deck(tried: Tries) -> None:
    seeds = _seeds(4_000)

    answers = csharp.ask(csharp.question_line("deck", [seed]) for seed in seeds)

    tried(len(seeds))
    assert [list(Deck(seed).order) for seed in seeds] == [csharp.numbers(answer) for answer in answers]


@pytest.mark.claim(
    "System.Random(seed) returns the same numbers, bit by bit", "C# on Mono, numbers of Next() and Next(n)"
)
@pytest.mark.parametrize("bound", [0, 1, 2, 81, 1_000_003, INT32 - 1])
def test_random_numbers_are_the_same(bound: int, tried: Tries) -> None:
    seeds, count = [0, *_seeds(100)], 120

    answers = csharp.ask(csharp.question_line("random", [seed, bound, count]) for seed in seeds)

    tried(len(seeds) * count)
    for seed, answer in zip(seeds, answers, strict=True):
        source = DotNetRandom(seed)
        ours = [source.next_below(bound) if bound else source.next() for _ in range(count)]
        assert ours == csharp.numbers(answer), seed


@pytest.mark.claim("the daily deck equals the one in C#", "C# on Mono, every day of four years")
def test_every_day_has_the_same_seed_and_deck(tried: Tries) -> None:
    first = date(2026, 1, 1)
    days = [first + timedelta(days=offset) for offset in range(4 * 365 + 1)]

    seeds = [int(a) for a in csharp.ask(csharp.question_line("day", [d.year, d.month, d.day]) for d in days)]
    decks = csharp.ask(csharp.question_line("deck", [seed]) for seed in seeds)

    tried(len(days))
    assert [daily_seed(day) for day in days] == seeds
    assert [list(Deck(daily_seed(day)).order) for day in days] == [csharp.numbers(deck) for deck in decks]
