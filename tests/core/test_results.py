import pytest

from set_core import EndReason, MatchOptions, PlayerState, Results, SessionState, Standing
from set_core.results import make_results


def player(sets: int, invalid: int = 0, *, score: int = 0, forfeited: bool = False) -> PlayerState:
    return PlayerState(score=score, sets_collected=sets, invalid_attempts=invalid, forfeited=forfeited)


def results(
    *players: PlayerState, reason: EndReason = EndReason.DECK_EXHAUSTED, tie_break: bool = False
) -> Results:
    state = SessionState(b"", 0, [], list(players), started_ms=1_000, ended_ms=61_500, end_reason=reason)
    return make_results(reason, MatchOptions(tie_break_fewest_invalid=tie_break), state)


def ranks(outcome: Results) -> list[tuple[int, int]]:
    return [(line.rank, line.seat) for line in outcome.standings]


def test_most_sets_win() -> None:
    outcome = results(player(3), player(5), player(4))

    assert outcome.winner_seat == 1
    assert not outcome.draw
    assert ranks(outcome) == [(1, 1), (2, 2), (3, 0)]


def test_seat_zero_can_win() -> None:
    assert results(player(2), player(1)).winner_seat == 0


def test_sets_decide_instead_of_the_score() -> None:
    assert results(player(4, score=1), player(3, score=3)).winner_seat == 0


@pytest.mark.fault("F18")
def test_tie_is_a_draw() -> None:
    """Fault F18: no hidden tie-break by seat or name."""
    outcome = results(player(4, invalid=9), player(4), player(1))

    assert outcome.winner_seat is None
    assert outcome.draw
    assert ranks(outcome) == [(1, 0), (1, 1), (3, 2)]


def test_optional_tie_break_prefers_fewest_invalid_claims() -> None:
    outcome = results(player(4, invalid=2), player(4, invalid=1), player(4, invalid=2), tie_break=True)

    assert outcome.winner_seat == 1
    assert ranks(outcome) == [(1, 1), (2, 0), (2, 2)]


def test_tie_after_the_tie_break_is_a_draw() -> None:
    outcome = results(player(4, invalid=1), player(4, invalid=1), tie_break=True)

    assert (outcome.winner_seat, outcome.draw) == (None, True)


def test_more_sets_win_before_the_tie_break() -> None:
    assert results(player(5, invalid=50), player(4), tie_break=True).winner_seat == 0


def test_forfeited_player_is_last_and_cannot_win() -> None:
    outcome = results(player(9, forfeited=True), player(1), player(2))

    assert outcome.winner_seat == 2
    assert ranks(outcome) == [(1, 2), (2, 1), (3, 0)]


def test_forfeited_players_are_ranked_among_themselves() -> None:
    outcome = results(
        player(1, forfeited=True), player(0), player(7, forfeited=True), player(1, forfeited=True)
    )

    assert ranks(outcome) == [(1, 1), (2, 2), (3, 0), (3, 3)]


def test_game_without_sets_is_a_draw() -> None:
    assert results(player(0), player(0)).draw
    assert results(player(0)).winner_seat == 0


@pytest.mark.parametrize("reason", [EndReason.ABANDONED, EndReason.TERMINATED])
def test_aborted_game_has_no_winner(reason: EndReason) -> None:
    for players in ((player(5), player(1)), (player(5), player(5))):
        outcome = results(*players, reason=reason)
        assert (outcome.winner_seat, outcome.draw) == (None, False)
        assert outcome.standings[0] == Standing(rank=1, seat=0)


@pytest.mark.parametrize("reason", sorted(set(EndReason) - {EndReason.ABANDONED, EndReason.TERMINATED}))
def test_every_other_end_has_a_winner(reason: EndReason) -> None:
    assert results(player(5), player(1), reason=reason).winner_seat == 0


def test_result_has_the_duration() -> None:
    assert results(player(1)).duration_ms == 60_500
