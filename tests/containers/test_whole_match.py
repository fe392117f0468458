"""The whole-match tests of the native stack, against containers."""

import pytest

from tests.nakama.test_whole_match import (
    test_no_card_is_named_before_it_is_dealt_and_no_deck_before_the_end,
    test_rematch_after_the_end_deals_another_game,
    test_the_models_of_two_clients_equal_the_servers_through_a_whole_match,
)

pytestmark = pytest.mark.containers

__all__ = [
    "test_no_card_is_named_before_it_is_dealt_and_no_deck_before_the_end",
    "test_rematch_after_the_end_deals_another_game",
    "test_the_models_of_two_clients_equal_the_servers_through_a_whole_match",
]
