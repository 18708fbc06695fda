from foundation.exceptions import FinClawError


class LostLease(FinClawError):
    """Another worker holds this row now; what this worker did must roll back."""

    code = "lost_lease"
    default_message = "The lease on this job ran out."
