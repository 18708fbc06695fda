"""Reads the consent in force by hand-written SQL, and hides rows that an erasure names."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar
from uuid import UUID

from django.db import connection, models

from foundation.personal_data import ConsentScope

if TYPE_CHECKING:
    from consent.models import ProfileConsent


Row = TypeVar("Row", bound=models.Model, covariant=True)


class VisibleManager(models.Manager[Row]):
    """Rows that no erasure names. Row-level security enforces the same."""

    def get_queryset(self) -> models.QuerySet[Row]:
        return super().get_queryset().filter(tombstone_id=None)


class ProfileConsentQuerySet(models.QuerySet["ProfileConsent"]):
    def latest_of(self, user_id: UUID) -> ProfileConsent | None:
        """The user's latest consent, revoked or not: one indexed look-up."""
        return self.filter(user_id=user_id).order_by("-version").first()

    def in_force_for(self, user_id: UUID, *, with_experiments: bool = False) -> ProfileConsent | None:
        """``latest_of`` with the rest of a permit: ``fences``, the kinds of erasure fence around the user's data now,
        ``erasures``, how many they ever requested, ``stopped``, the capabilities that are switched off for them, and
        where asked for ``experiments``, the columns of those that run, with the prompts that they name.
        """
        names = [field.attname for field in self.model._meta.concrete_fields]
        experiments = _EXPERIMENTS if with_experiments else "NULL"
        with connection.cursor() as cursor:
            cursor.execute(_SPEAKING_FOR.format(columns=", ".join(names), experiments=experiments), [user_id])
            row = cursor.fetchone()
        if row is None:
            return None
        consent = self.model.from_db(self.db, names, row)
        consent.fences, consent.erasures, consent.stopped, running = row[len(names) :]
        consent.experiments = running or []
        return consent

    def last_version_without(self, user_id: UUID, scope: ConsentScope) -> int:
        """The latest recorded version in which the scope did not hold, 0 if it always has. For the acting user."""
        with connection.cursor() as cursor:
            cursor.execute(last_version_query(scope, "%s"), [user_id])
            version: int = cursor.fetchone()[0]
        return version


# Runs before every read and write of personal data, three times per turn (a message and its answer): written by hand,
# it takes a quarter of the ORM's time.
_SPEAKING_FOR = """
    SELECT {columns}, ARRAY(SELECT f.scope FROM consent_erasurefence f WHERE f.user_id = c.user_id),
           (SELECT count(*) FROM consent_tombstone t WHERE t.user_id = c.user_id),
           ARRAY(SELECT k.capability FROM consent_killswitch k WHERE k.lifted_at IS NULL AND (k.tenant_id IS NULL OR
                 k.tenant_id = (SELECT u.tenant_id FROM accounts_user u WHERE u.id = c.user_id))),
           {experiments}
    FROM consent_profileconsent c WHERE c.user_id = %s ORDER BY c.version DESC LIMIT 1
"""

# One value beside the consent: a turn reads what it takes part in without a statement of its own.
_EXPERIMENTS = """(
    SELECT json_agg(json_build_object(
               'id', e.id, 'dimension', e.dimension, 'layer', e.layer, 'layer_start', e.layer_start,
               'layer_end', e.layer_end, 'share', e.share, 'variants', e.variants,
               'guides', CASE WHEN e.dimension = 'prompt_version' THEN (
                   SELECT json_object_agg(p.number, p.guides) FROM consent_promptversion p
                   WHERE to_jsonb(p.number::text) IN (
                       SELECT jsonb_path_query(e.variants, '$[*].parameters.prompt_version')
                   )
               ) END
           ) ORDER BY e.started_at, e.id)
    FROM consent_experiment e WHERE e.state = 'running'
)"""


def learning_allowed_condition(user: str) -> str:
    """The SQL condition that a user's consent now allows learning; ``user`` is the expression of their id."""
    return (
        f"EXISTS (SELECT FROM consent_profileconsent c WHERE c.user_id = {user}"
        " AND c.revoked_at IS NULL AND c.memory_learning_allowed)"
    )


def last_version_query(scope: ConsentScope, user: str) -> str:
    """The SQL of ``last_version_without``, also for use within another statement; ``user`` is its placeholder there."""
    return (
        "SELECT coalesce(max(version), 0) FROM consent_historicalprofileconsent"  # noqa: S608  our own names
        f" WHERE user_id = {user} AND NOT {scope.value}"
    )
