"""FinClaw's settings for worker processes that run the bench's handlers, unless told others, on a scratch database."""

import os

from finclaw.settings import *  # noqa: F403
from finclaw.settings import DATABASES

OUTBOX_HANDLERS = os.environ.get("BENCH_HANDLERS", "bench.worker_handlers.HANDLERS")
for _database in DATABASES.values():
    _database["NAME"] = os.environ["BENCH_DATABASE"]
