"""Results of claims, compared with records."""

from tests.support.judged import SAVED_WITHIN_S, Judged, claim_of, missing, unexplained

ONE, OTHER = claim_of(0, [3, 1, 2]), claim_of(1, [1, 2, 3])


def test_result_without_a_recorded_claim_is_missing() -> None:
    judged = [Judged(1.0, ONE), Judged(2.0, OTHER)]
    assert missing(judged, [OTHER, ONE]) == []
    assert missing(judged, [OTHER]) == [Judged(1.0, ONE)]


def test_last_of_equal_claims_is_the_recorded_one() -> None:
    assert missing([Judged(9.0, ONE), Judged(1.0, ONE)], [ONE]) == [Judged(1.0, ONE)]


def test_missing_result_is_explained_by_a_restart_after_it() -> None:
    lost = [Judged(10.0, ONE)]
    assert unexplained(lost, [50.0, 10.1]) == []
    assert unexplained(lost, [10.0 + 2 * SAVED_WITHIN_S]) == lost
    assert unexplained(lost, []) == lost
