"""What runs by the clock, written out in one place: name, dotted function, minutes between runs."""

from __future__ import annotations

from foundation.outbox.schedules import Every

SCHEDULES: tuple[Every, ...] = (
    Every("outbox sweep", "foundation.outbox.tasks.sweep", minutes=1),
    Every("erasures", "consent.erasure.sweep.sweep", minutes=1),
    Every("expired browser sessions", "foundation.accounts.browser_sessions.sweep", minutes=60),
    Every("attempts that are over", "foundation.accounts.attempts.sweep", minutes=60),
    Every("names out of quarantine", "foundation.accounts.names.sweep", minutes=24 * 60),
    Every("erasures due", "consent.erasure_deadlines.erasures_due", minutes=15),
    Every("lost purges", "consent.purge.sweep", minutes=60),
    Every("exports that are over", "consent.export.sweep.expire_exports", minutes=60),
    Every("imports that are over", "memory.importing.chats.services.sweep", minutes=60),
    Every("retention", "consent.retention.sweep", minutes=60),
    Every("memory quality", "memory.quality.budget_alerts.check_budgets", minutes=5),
    Every("historian", "memory.historian.watch.check", minutes=5),
    Every("entries to embed", "memory.indexing.reembedding.queue_waiting", minutes=5),
    Every("messages to read anew", "memory.evolution.reread_jobs.queue_waiting", minutes=5),
    Every("events to write anew", "memory.historian.remaking.sweep", minutes=5),
    Every("portraits to make anew", "memory.profiles.rebuild_backlog.queue_waiting", minutes=5),
    Every("memory governor", "memory.governance.governor.act_on_indicators", minutes=60),
    Every("memory upkeep", "memory.governance.governor.book_daily_upkeep", minutes=24 * 60),
    Every("research nobody works on", "memory.research.abandoned_tasks.fail_abandoned", minutes=5),
    Every("proposals", "finclaw.brain.promotion.nominate", minutes=24 * 60),
    Every("agent experience", "memory.evolution.agent_experience.count_usage", minutes=24 * 60),
    Every("answers nobody answered", "memory.services.feedback.close_unanswered", minutes=60),
    Every("conversations at rest", "memory.services.automatic_ends.end_resting_sessions", minutes=5),
    Every("conversations that are over", "memory.services.expiry.delete_expired", minutes=60),
    Every("conversations to archive", "memory.services.archival.archive_quiet", minutes=60),
)
