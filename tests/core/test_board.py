import pytest

from set_core import Board, BoardSizeError, Card, CardSlot, SlotIndexError, SlotOccupiedError


def full_board() -> Board:
    board = Board()
    for index in range(12):
        board.place_card(index, Card(index + 20))
    return board


def test_new_board_has_twelve_empty_slots() -> None:
    assert Board().slots == tuple(CardSlot(index, None) for index in range(12))
    assert Board().get_empty_slots() == tuple(range(12))


def test_boards_do_not_share_state() -> None:
    one, other = Board(), Board()
    one.place_card(0, Card(1))

    assert other.get_card(0) is None


def test_placed_card_is_only_in_its_slot() -> None:
    board = Board()
    board.place_card(3, Card(40))

    assert board.get_card(3) == Card(40)
    assert board.slots[3] == CardSlot(index=3, card=Card(40))
    assert board.card_ids == [40]
    assert len(board.get_empty_slots()) == 11


def test_placing_on_an_occupied_slot_is_rejected() -> None:
    board = full_board()
    with pytest.raises(SlotOccupiedError, match=r"slot 5 already holds <Card 25.*: remove it first"):
        board.place_card(5, Card(0))

    assert board.get_card(5) == Card(25)


def test_remove_empties_only_its_slot() -> None:
    board = full_board()
    board.remove_card(5)

    assert board.get_card(5) is None
    assert board.card_ids == [*range(20, 25), *range(26, 32)]


def test_remove_from_empty_slot_is_a_no_op() -> None:
    board = Board()
    board.remove_card(4)

    assert board.slots == Board().slots


def test_empty_slots_are_the_removed_ones() -> None:
    board = full_board()
    for index in (9, 2, 4):
        board.remove_card(index)

    assert board.get_empty_slots() == (2, 4, 9)


def test_exchange_uses_the_same_slots() -> None:
    board = full_board()
    board.exchange([7, 2, 4], [Card(0), Card(1), Card(2)])

    assert [board.get_card(index) for index in (7, 2, 4)] == [Card(0), Card(1), Card(2)]
    assert board.card_ids == [20, 21, 1, 23, 2, 25, 26, 0, 28, 29, 30, 31]


def test_exchange_for_nothing_empties_the_slots() -> None:
    board = full_board()
    board.exchange([7, 2, 4], [])

    assert board.get_empty_slots() == (2, 4, 7)


@pytest.mark.parametrize("cards", [[Card(0)], [Card(id_) for id_ in range(4)]])
def test_exchange_with_wrong_card_count_changes_nothing(cards: list[Card]) -> None:
    board = full_board()
    message = rf"{len(cards)} cards for 3 slots: one for each is needed, or none"
    with pytest.raises(ValueError, match=message):
        board.exchange([7, 2, 4], cards)

    assert board.slots == full_board().slots


@pytest.mark.parametrize("index", [-1, 12, 100])
def test_index_out_of_bounds_is_rejected(index: int) -> None:
    board = full_board()
    message = rf"there is no slot {index}: allowed are 0\.\.11"
    with pytest.raises(SlotIndexError, match=message):
        board.get_card(index)
    with pytest.raises(SlotIndexError, match=message):
        board.place_card(index, Card(0))
    with pytest.raises(SlotIndexError, match=message):
        board.remove_card(index)


def test_exceptions_derive_from_builtin_exceptions() -> None:
    assert issubclass(SlotIndexError, IndexError)
    assert issubclass(BoardSizeError, ValueError)


@pytest.mark.parametrize(("times", "size"), [(1, 15), (2, 18), (3, 21)])
def test_expansion_appends_three_empty_slots(times: int, size: int) -> None:
    board = full_board()
    for _ in range(times):
        board.expand(3)

    assert [slot.index for slot in board.slots] == list(range(size))
    assert board.get_empty_slots() == tuple(range(12, size))
    assert board.card_ids == list(range(20, 32))


def test_board_of_21_cannot_expand() -> None:
    board = Board.over([-1] * 21)
    assert not board.can_expand
    with pytest.raises(BoardSizeError, match="board of 21: at most 21"):
        board.expand(3)

    assert len(board.slots) == 21


@pytest.mark.parametrize("count", [-3, 0, 1, 2, 4, 6, 9])
def test_board_expands_by_three_only(count: int) -> None:
    board = Board()
    with pytest.raises(BoardSizeError, match=f"cannot add {count} slots: a board grows by 3"):
        board.expand(count)

    assert len(board.slots) == 12


@pytest.mark.parametrize("size", [0, 9, 11, 13, 24])
def test_other_board_sizes_are_rejected(size: int) -> None:
    with pytest.raises(BoardSizeError, match=f"a board of {size} slots: allowed are 12, 15, 18 and 21"):
        Board.over([-1] * size)


def test_slots_follow_the_order_of_the_cards() -> None:
    assert full_board().slots_of([31, 20, 25]) == [11, 0, 5]


def test_slots_of_an_absent_card_are_none() -> None:
    assert full_board().slots_of([20, 21, 0]) is None


def test_slot_is_immutable() -> None:
    with pytest.raises(AttributeError):
        Board().slots[0].card = Card(1)  # type: ignore[misc]
