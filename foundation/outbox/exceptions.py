"""Why a job waits, or is another worker's by now."""

from foundation.exceptions import FinClawError


class WorkSuspended(FinClawError):
    """A job cannot be done now and fails nobody by it: it waits, and uses up no attempt."""


class LostLease(FinClawError):
    """Another worker holds this row now; what this worker did must roll back."""

    code = "lost_lease"
    default_message = "The lease on this job ran out."
