"""The measured effect of a fault of the replicas."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ReplicaFault:
    """The effects of one fault.

    Attributes:
        claims: Claims from before the fault until after its end.
        failed_calls: Calls from the plugin to the service that failed.
        noticed_s: Seconds until the plugin noticed the fault or its end.
        longest_wait_s: The longest time between a claim and its answer.
        lost: Claims without an answer.
        duplicates: Answers beyond the first of a claim.
        disconnections: Players that lost their connection.
        dropped_inputs: Inputs that the plugin dropped.
        closed_matches: Matches that the plugin closed.
        shares: Calls of each replica or worker after the fault, in percent.
    """

    claims: int
    failed_calls: int
    noticed_s: float
    longest_wait_s: float
    lost: int
    duplicates: int
    disconnections: int
    dropped_inputs: int
    closed_matches: int
    shares: str = ""


COLUMNS = (
    "fault",
    "claims",
    "failed calls",
    "noticed after (s)",
    "longest wait (s)",
    "claims lost",
    "counted twice",
    "disconnections",
    "inputs dropped",
    "matches closed",
    "shares (%)",
)
