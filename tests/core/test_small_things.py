"""Details that whole games rarely reach."""

from set_core import ALL_CARDS, DotNetRandom, Penalty
from set_core.dotnet_random import _lifted
from tests.core.games import a_set, judged, no_set, running


def test_card_equality_compares_ids() -> None:
    """Equality must not depend on object identity: a second object of a card must be equal."""
    assert ALL_CARDS[40].__eq__(ALL_CARDS[40]) is True


def test_zero_in_the_generator_table_stays_zero() -> None:
    random = DotNetRandom(1)
    random._table[1] = random._table[22] = 7

    assert random.next() == 0
    assert _lifted(0) == 0
    assert _lifted(-1) == 2**31 - 2


def test_every_invalid_claim_counts_and_costs() -> None:
    session = running(time_limit_seconds=60, penalty=Penalty.TIME)
    for now_ms in (1_000, 2_000, 3_000):
        session.claim(1, no_set(session), now_ms)

    assert session.players[1].invalid_attempts == 3
    assert session.players[1].penalty_ms == 15_000
    assert session.player_time_remaining_ms(1, 3_000) == 42_000


def test_invalid_claim_event_has_claimant_and_cards() -> None:
    session = running()
    cards = no_set(session)

    claim = judged(session.claim(1, cards, 1_000))

    assert (claim.seat, claim.card_ids) == (1, cards)


def test_state_flags_are_booleans() -> None:
    """The state is stored as typed bytes, in which None is not a flag."""
    session = running()
    session.claim(0, a_set(session), 1_000)

    assert type(session.state.expanding) is bool
    assert type(session.state.expansion_due) is bool
    session.forfeit([0], 2_000)
    assert session.state.expansion_due is False
