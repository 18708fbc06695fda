"""The product's own outbox handlers, for worker processes in which the settings ask for the stand-in."""

from contextlib import ExitStack

from bench.stand_in import stand_in_configured
from finclaw.jobs import HANDLERS as HANDLERS

_until_the_process_ends = ExitStack()
_until_the_process_ends.enter_context(stand_in_configured())
