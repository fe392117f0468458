"""Results of claims, compared with records."""

from tests.support.judged import SAVED_WITHIN_S, Judged, Restart, claim_of, missing, unexplained

ONE, OTHER = claim_of(0, [3, 1, 2]), claim_of(1, [1, 2, 3])


def test_result_without_a_recorded_claim_is_missing() -> None:
    judged = [Judged(1.0, ONE), Judged(2.0, OTHER)]
    assert missing(judged, [OTHER, ONE]) == []
    assert missing(judged, [OTHER]) == [Judged(1.0, ONE)]


def test_last_of_equal_claims_is_the_recorded_one() -> None:
    assert missing([Judged(9.0, ONE), Judged(1.0, ONE)], [ONE]) == [Judged(1.0, ONE)]


def test_missing_result_is_explained_by_a_restart_after_it() -> None:
    lost = [Judged(10.0, ONE)]
    late = 10.0 + 2 * SAVED_WITHIN_S
    assert unexplained(lost, [Restart(50.0, 51.0), Restart(10.1, 11.0)]) == []
    assert unexplained(lost, [Restart(9.0, 9.9)]) == lost
    assert unexplained(lost, [Restart(late, late + 1)]) == lost
