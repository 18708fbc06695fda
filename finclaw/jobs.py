"""Maps each outbox topic to its handler: everything that the worker can do, in one place."""

from __future__ import annotations

from consent.erasure.services import ERASE_TOPIC
from consent.export.archive_job import build_export
from consent.export.services import EXPORT_TOPIC
from consent.purge import PURGE_TOPIC
from drift.services import REOPENED_TOPIC, check_reopened
from finclaw.brain.research.task_execution import run_research
from finclaw.erasure import erase
from finclaw.import_undo import UNDO_TOPIC, undo_next_conversations
from finclaw.webhook_deliveries import deliver_permitted
from finclaw.withdrawal_purge import purge
from foundation import alerts
from foundation.outbox.jobs import Handler, within_deadline
from foundation.webhooks.services import WEBHOOK_TOPIC
from knowledge.projection import ENTRY_TOPIC, GRAPH_TOPIC, project_entry, project_graph
from media.extraction.services import EXTRACT_TOPIC, INDEX_TOPIC, extract
from media.scans import scan
from media.uploads import SCAN_TOPIC
from memory.governance.governor import GOVERN_TOPIC
from memory.governance.tasks import govern
from memory.historian.automatic_ends import END_TURNS_TOPIC, end_turns
from memory.historian.event_backlog import REMAKE_EVENTS_TOPIC, rewrite_listed_events
from memory.historian.event_writer import write_events
from memory.historian.services import END_TOPIC
from memory.importing.file_imports import IMPORT_TOPIC, run_import
from memory.indexing.embedding import EMBED_TOPIC, embed_entries
from memory.indexing.file_texts import index_file
from memory.indexing.reembedding import REEMBED_TOPIC, reembed
from memory.indexing.second_looks import run_second_looks
from memory.indexing.services import SECOND_LOOK_TOPIC
from memory.indexing.verdict_backlog import JUDGE_TOPIC, judge_entries
from memory.learning.model_amendment import AMEND_TOPIC
from memory.learning.reread_jobs import REREAD_TOPIC, reread
from memory.learning.services import OBSERVE_TOPIC
from memory.portraits.tasks import PORTRAIT_TOPIC, remake_portraits, write_portraits
from memory.projection.point_writes import PROJECT_TOPIC, project
from memory.research.task_lifecycle import RESEARCH_TOPIC
from memory.services.portrait_rebuilds import REMAKE_TOPIC
from memory.services.summaries import SUMMARIZE_TOPIC, summarize
from memory.tasks import amend, observe

HANDLERS: dict[str, Handler] = {
    OBSERVE_TOPIC: observe,
    AMEND_TOPIC: within_deadline(amend),
    EMBED_TOPIC: embed_entries,
    REEMBED_TOPIC: reembed,
    PROJECT_TOPIC: project,
    EXTRACT_TOPIC: extract,
    INDEX_TOPIC: index_file,
    JUDGE_TOPIC: judge_entries,
    SECOND_LOOK_TOPIC: run_second_looks,
    REREAD_TOPIC: reread,
    END_TOPIC: within_deadline(write_events),
    IMPORT_TOPIC: run_import,
    UNDO_TOPIC: undo_next_conversations,
    END_TURNS_TOPIC: end_turns,
    REMAKE_EVENTS_TOPIC: rewrite_listed_events,
    REMAKE_TOPIC: within_deadline(remake_portraits),
    PORTRAIT_TOPIC: within_deadline(write_portraits),
    SUMMARIZE_TOPIC: within_deadline(summarize),
    GOVERN_TOPIC: govern,
    RESEARCH_TOPIC: within_deadline(run_research),
    REOPENED_TOPIC: within_deadline(check_reopened),
    PURGE_TOPIC: purge,
    ERASE_TOPIC: erase,
    EXPORT_TOPIC: build_export,
    ENTRY_TOPIC: project_entry,
    GRAPH_TOPIC: project_graph,
    SCAN_TOPIC: scan,
    alerts.ALERT_TOPIC: alerts.send_alert,
    WEBHOOK_TOPIC: deliver_permitted,
}
