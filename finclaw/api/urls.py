"""Every address under ``/api/``; each resource lists its own."""

from __future__ import annotations

from django.urls import re_path

from finclaw.api import (
    consents,
    contexts,
    docs,
    entity_profiles,
    erasures,
    events,
    exports,
    feedback,
    groups,
    imports,
    jobs,
    learned_changes,
    memories,
    messages,
    object_feedback,
    personas,
    proposals,
    receipts,
    research_objects,
    research_tasks,
    research_threads,
    search,
    sessions,
    tokens,
    training_candidates,
    turn_ends,
    users,
)
from finclaw.api.not_found import unmatched

app_name = "api"
urlpatterns = [
    *tokens.urlpatterns,
    *users.urlpatterns,
    *groups.urlpatterns,
    *consents.urlpatterns,
    *contexts.urlpatterns,
    *exports.urlpatterns,
    *imports.urlpatterns,
    *sessions.urlpatterns,
    *messages.urlpatterns,
    *learned_changes.urlpatterns,
    *personas.urlpatterns,
    *turn_ends.urlpatterns,
    *receipts.urlpatterns,
    *memories.urlpatterns,
    *proposals.urlpatterns,
    *feedback.urlpatterns,
    *jobs.urlpatterns,
    *events.urlpatterns,
    *entity_profiles.urlpatterns,
    *search.urlpatterns,
    *research_tasks.urlpatterns,
    *research_objects.urlpatterns,
    *research_threads.urlpatterns,
    *training_candidates.urlpatterns,
    *object_feedback.urlpatterns,
    *erasures.urlpatterns,
    *docs.urlpatterns,
    re_path(r"", unmatched, name="unmatched"),
]
