"""The scheduled jobs, in one place: name, dotted function, minutes between runs."""

from __future__ import annotations

from foundation.outbox.schedules import ListedSchedule

SCHEDULES: tuple[ListedSchedule, ...] = (
    ListedSchedule("outbox sweep", "foundation.outbox.tasks.sweep", minutes=1),
    ListedSchedule("erasures", "consent.erasure.sweep.sweep_erasures", minutes=1),
    ListedSchedule(
        "expired browser sessions", "foundation.accounts.browser_sessions.delete_expired_sessions", minutes=60
    ),
    ListedSchedule("attempts that are over", "foundation.accounts.attempts.delete_expired_counts", minutes=60),
    ListedSchedule("expired program tokens, unused programs", "finclaw.connected_programs.delete_expired", minutes=60),
    ListedSchedule("names out of quarantine", "foundation.accounts.names.delete_expired_quarantines", minutes=24 * 60),
    ListedSchedule("erasures due", "consent.erasure_deadlines.check_erasure_deadlines", minutes=15),
    ListedSchedule("requests of erasure that are over", "finclaw.erasure_requests.expire_requests", minutes=60),
    ListedSchedule("lost purges", "consent.purge.requeue_lost_purges", minutes=60),
    ListedSchedule("exports that are over", "consent.export.sweep.expire_exports", minutes=60),
    ListedSchedule("imports that are over", "memory.importing.file_imports.sweep", minutes=60),
    ListedSchedule("files that no row knows", "media.sweep.sweep_media", minutes=60),
    ListedSchedule("ceilings of language models", "finclaw.ceiling_alerts.alert_ceilings", minutes=5),
    ListedSchedule("usage of language models", "foundation.model_usage.retention.delete_outdated", minutes=24 * 60),
    ListedSchedule("retention", "consent.retention.delete_outdated_rows", minutes=60),
    ListedSchedule("memory quality", "memory.quality.budget_alerts.check_budgets", minutes=5),
    ListedSchedule("experiments", "memory.quality.experiment_watch.watch_experiments", minutes=15),
    ListedSchedule("historian", "memory.historian.failure_alerts.alert_failures", minutes=5),
    ListedSchedule("entries to embed", "memory.indexing.reembedding.queue_waiting", minutes=5),
    ListedSchedule("projection of memory", "memory.projection.upkeep.keep_up", minutes=5),
    ListedSchedule("knowledge to embed", "knowledge.entry_vectors.embed_waiting", minutes=5),
    ListedSchedule("texts for a second look", "memory.indexing.second_looks.queue_waiting", minutes=5),
    ListedSchedule("texts to judge", "memory.indexing.verdict_backlog.queue_waiting", minutes=5),
    ListedSchedule("messages nobody queued", "memory.learning.stranded_messages.queue_stranded", minutes=15),
    ListedSchedule("messages to read anew", "memory.learning.reread_jobs.queue_waiting", minutes=5),
    ListedSchedule("events to write anew", "memory.historian.event_backlog.queue_due_events", minutes=5),
    ListedSchedule("portraits to make anew", "memory.portraits.rebuild_backlog.queue_waiting", minutes=5),
    ListedSchedule("memory governor", "memory.governance.governor.act_on_indicators", minutes=60),
    ListedSchedule("memory upkeep", "memory.governance.governor.queue_daily_upkeep", minutes=24 * 60),
    ListedSchedule("long tasks nobody works on", "finclaw.brain.long_tasks.services.fail_abandoned", minutes=5),
    ListedSchedule("proposals", "finclaw.brain.promotion.nominate", minutes=24 * 60),
    ListedSchedule("agent experience", "memory.services.agent_experience.count_usage", minutes=24 * 60),
    ListedSchedule("answers nobody answered", "memory.governance.feedback.close_unanswered", minutes=60),
    ListedSchedule("conversations at rest", "memory.historian.automatic_ends.end_resting_sessions", minutes=5),
    ListedSchedule("conversations that are over", "memory.erasure.expiry.delete_expired", minutes=60),
    ListedSchedule("conversations to archive", "memory.historian.archival.archive_quiet", minutes=60),
)
