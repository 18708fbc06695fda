"""Exceptions of jobs: one must wait, or another worker has taken it over."""

from foundation.exceptions import FinClawError


class WorkSuspended(FinClawError):
    """Raised by a handler whose job cannot be done now: the job waits, and no attempt is used up."""


class LostLease(FinClawError):
    """Another worker holds this row now; what this worker did must roll back."""

    code = "lost_lease"
    default_message = "The lease on this job ran out."
