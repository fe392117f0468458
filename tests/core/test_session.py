import pytest

from set_core import (
    AlreadyStartedError,
    Deck,
    EndReason,
    GameEnded,
    GameSession,
    GameStarted,
    Phase,
    PlayerForfeited,
    PlayerState,
    Results,
    SessionState,
    checked_options,
)
from tests.core.games import (
    a_set,
    ended,
    frozen,
    new_game,
    only,
    rejected,
    running,
    sets_in,
    stuck_after_claim,
)


def test_nothing_is_dealt_before_the_start() -> None:
    session = new_game()

    assert (session.phase, session.board_version, session.started_ms) == (Phase.WAITING, 0, None)
    assert (session.board.card_ids, session.deck.cards_remaining) == ([], 81)
    assert (session.wake_ms, session.deadline_ms, session.results, session.hint()) == (None, None, None, None)
    assert session.advance(10**6) == []


def test_start_deals_the_first_twelve_cards_in_order() -> None:
    session = new_game()
    event = only(session.start(7), GameStarted)

    assert session.board.card_ids == list(session.deck.order[:12])
    assert event.slots == session.board.slots
    assert (event.board_version, event.cards_remaining, event.phase, event.locked_until_ms) == (
        1,
        69,
        Phase.BOARD_IDLE,
        7,
    )
    assert (session.started_ms, session.phase, session.options) == (7, Phase.BOARD_IDLE, checked_options())


def test_game_starts_only_once() -> None:
    session = running()
    with pytest.raises(AlreadyStartedError, match="in BOARD_IDLE: only a game in WAITING"):
        session.start(5)
    session.end(EndReason.TERMINATED, 5)
    with pytest.raises(AlreadyStartedError, match="in MATCH_END"):
        session.start(5)


def test_partly_drawn_deck_continues_at_its_position() -> None:
    session = GameSession(checked_options(), Deck.from_order(range(81), drawn=60), 1)
    session.start(0)

    assert session.board.card_ids == list(range(60, 72))


def test_deck_of_fewer_than_twelve_is_rejected() -> None:
    with pytest.raises(ValueError, match="the deck has 11 cards left: at least 12 are needed"):
        GameSession(checked_options(), Deck.from_order(range(12), drawn=1), 2)


@pytest.mark.parametrize(("seats", "bots"), [(0, []), (1, [0]), (2, [0, 1]), (2, [2]), (2, [-1])])
def test_seat_and_bot_counts_must_match(seats: int, bots: list[int]) -> None:
    with pytest.raises(ValueError, match=f"of {seats} seats: at least one seat must be a human's"):
        GameSession(checked_options(), Deck(1), seats, frozenset(bots))


def test_forfeit_keeps_the_score_but_the_other_player_wins() -> None:
    session = running()
    session.claim(0, a_set(session), 0)
    events = session.forfeit([0], 5_000)

    assert events[0] == PlayerForfeited(0)
    results = ended(events).results
    assert (results.reason, results.winner_seat) == (EndReason.LAST_PLAYER_STANDING, 1)
    assert (session.players[0].score, session.players[0].forfeited) == (1, True)


def test_other_players_continue_after_a_forfeit() -> None:
    session = running(seats=3)

    assert session.forfeit([1], 0) == [PlayerForfeited(1)]
    assert session.phase is Phase.BOARD_IDLE
    assert rejected(session.claim(1, a_set(session), 0)) == "FORFEITED"


def test_two_forfeits_in_sequence_end_like_the_second_alone() -> None:
    session = running(seats=3)
    session.forfeit([0], 0)

    assert ended(session.forfeit([2], 1)).results.winner_seat == 1


def test_simultaneous_forfeits_abandon_the_game() -> None:
    session = running(seats=3)
    session.claim(0, a_set(session), 0)
    events = session.forfeit([0, 1, 2], 5)

    assert [type(event) for event in events] == [PlayerForfeited] * 3 + [GameEnded]
    results = ended(events).results
    assert (results.reason, results.winner_seat, results.draw) == (EndReason.ABANDONED, None, False)


def test_game_ends_when_only_bots_remain() -> None:
    session = running(seats=3, bot_seats=frozenset({1, 2}))

    assert ended(session.forfeit([0], 0)).results.reason is EndReason.ABANDONED


def test_human_continues_against_a_bot() -> None:
    session = running(seats=3, bot_seats=frozenset({1}))

    assert session.forfeit([0], 0) == [PlayerForfeited(0)]


def test_last_human_wins_when_the_bot_forfeits() -> None:
    session = running(seats=2, bot_seats=frozenset({1}))

    assert ended(session.forfeit([1], 0)).results.winner_seat == 0


def test_single_player_is_not_last_player_standing() -> None:
    session = running(seats=1)

    assert session.forfeit([], 0) == []
    assert ended(session.forfeit([0], 0)).results.reason is EndReason.ABANDONED


def test_second_forfeit_is_ignored() -> None:
    session = running(seats=3)
    session.forfeit([1], 0)

    assert session.forfeit([1, 1], 0) == []


def test_forfeit_of_an_unknown_seat_is_ignored() -> None:
    session = running(seats=3)
    before = frozen(session)
    with pytest.raises(ValueError, match=r"there is no seat 3: allowed are 0\.\.2"):
        session.forfeit([0, 3], 50)

    assert session.state == before


def test_forfeit_before_the_start_ends_the_game() -> None:
    session = new_game()
    results = ended(session.forfeit([0, 1], 500)).results

    assert (results.reason, results.duration_ms) == (EndReason.ABANDONED, 0)
    assert session.phase is Phase.MATCH_END


@pytest.mark.parametrize("reason", [EndReason.TERMINATED, EndReason.ABANDONED])
def test_end_command_ends_the_game(reason: EndReason) -> None:
    session = running()
    session.claim(0, a_set(session), 100)
    results = ended(session.end(reason, 900)).results

    assert session.results == results
    assert (results.reason, results.winner_seat, results.duration_ms) == (reason, None, 900)


def test_second_end_keeps_the_first() -> None:
    session = running()
    session.end(EndReason.TERMINATED, 5)
    before = frozen(session)

    assert session.end(EndReason.ABANDONED, 5) == []
    assert session.state == before


def test_running_game_has_no_results() -> None:
    session = running()
    assert session.results is None
    session.end(EndReason.TERMINATED, 1)

    assert isinstance(session.results, Results)


def test_hint_is_the_first_set_on_the_board() -> None:
    session = running()
    hint = session.hint()
    assert hint is not None

    assert tuple(card.id for card in hint) == sets_in(session.board.card_ids)[0]


def test_no_hint_without_a_set() -> None:
    session = stuck_after_claim()
    session.claim(0, (0, 1, 2), 0)

    assert session.hint() is None


def test_no_hint_after_the_end() -> None:
    session = running()
    session.end(EndReason.TERMINATED, 1)

    assert session.hint() is None


def test_restored_session_changes_the_given_state() -> None:
    original = running()
    restored = GameSession.restore(original.options, frozen(original))
    restored.claim(0, a_set(restored), 10)

    assert (restored.board_version, original.board_version) == (2, 1)
    assert restored.state.drawn == restored.deck.drawn == 15
    assert restored.state.slots[0] == restored.board.slots[0].card.id  # type: ignore[union-attr]


def test_new_state_has_only_plain_values() -> None:
    session = new_game(range(81), seats=2, bot_seats=frozenset({1}))

    assert session.state == SessionState(
        bytes(range(81)), 0, [-1] * 12, [PlayerState(bot=False), PlayerState(bot=True)]
    )


def test_state_flags_are_booleans() -> None:
    """The state is stored as typed bytes, in which None is not a flag."""
    session = running()
    session.claim(0, a_set(session), 1_000)

    assert type(session.state.expanding) is bool
    assert type(session.state.expansion_due) is bool
    session.forfeit([0], 2_000)
    assert session.state.expansion_due is False
