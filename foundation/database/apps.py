from django.apps import AppConfig
from psycopg_pool.base import AttemptWithBackoff

from foundation.database.urls import POOL_TRIES_AGAIN_SECONDS


class DatabaseConfig(AppConfig):
    name = "foundation.database"
    label = "database"

    def ready(self) -> None:
        """Have a pool of connections try again evenly: it knows no option for that, and doubles its pauses."""
        AttemptWithBackoff.INITIAL_DELAY = POOL_TRIES_AGAIN_SECONDS
        AttemptWithBackoff.DELAY_BACKOFF = 1.0
