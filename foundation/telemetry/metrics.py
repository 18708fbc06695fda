"""Prometheus metrics. Labels never hold a user's id or text."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

REQUESTS = Counter("http_requests_total", "HTTP requests answered", ["method", "route", "status"])
REQUEST_SECONDS = Histogram(
    "http_request_seconds", "Seconds from the arrival of an HTTP request to its response", ["method", "route"]
)
SLOW_CLIENTS = Counter(
    "http_slow_clients_total", "Connections closed because the client sent or read too slowly", ["waiting_for"]
)

OUTBOX_ENQUEUED = Counter("outbox_enqueued_total", "Jobs queued in the outbox", ["topic"])
OUTBOX_FINISHED = Counter("outbox_finished_total", "Jobs that a worker ran, by outcome", ["topic", "outcome"])
OUTBOX_SECONDS = Histogram("outbox_handler_seconds", "Seconds that a job's handler took", ["topic"])
TASKS_REFUSED = Counter(
    "worker_tasks_refused_total", "Tasks and schedules refused because the code does not list them", ["reason"]
)
OUTBOX_RECLAIMED = Counter("outbox_reclaimed_total", "Jobs reclaimed from workers that died", ["outcome"])
OUTBOX_DROPPED = Counter(
    "outbox_dropped_total", "Low-priority messages not queued for learning because the queue was full"
)
OUTBOX_OLDEST_DUE = Gauge(  # read from the database by whoever sweeps last
    "outbox_oldest_due_seconds",
    "Seconds that the job that has waited longest is due; jobs that wait for a model that is down do not count",
    multiprocess_mode="mostrecent",
)
OUTBOX_DEAD_LETTERS = Gauge(  # as above
    "outbox_dead_letters", "Jobs that failed for good and wait for an operator", multiprocess_mode="mostrecent"
)

ONBOARDING_STEPS = Counter("onboarding_step_total", "Onboarding steps completed by users", ["step"])
CONSENT_GRANTED = Counter("profile_consent_granted_total", "Consents to memory granted by users")
EVOLUTION_BLOCKED = Counter(
    "evolution_blocked_by_erasure_total", "Memory writes refused because an erasure was under way"
)
ERASURES_OPEN = Gauge(  # every worker counts all of them: the latest count is the count
    "erasure_open",
    "Erasures not completed yet, by how close their legal deadline is",
    ["urgency"],
    multiprocess_mode="mostrecent",
)
PURGES_BOOKED_AGAIN = Counter(
    "consent_purge_requeued_total", "Deletions after a withdrawal of consent that were lost and queued again", ["scope"]
)
RETENTION_DELETED = Counter(
    "retention_deleted_total", "Rows deleted because their retention period had ended", ["model"]
)
EXPORTS = Counter("exports_total", "Exports of a user's data, by outcome", ["outcome"])
MEDIA_SCANS = Counter("media_scans_total", "Uploaded files checked, by what was found", ["status"])
MEDIA_ORPHANS = Counter("media_orphan_objects_removed_total", "Stored objects deleted because no file refers to them")
EXPORT_ORPHANS = Counter("export_orphan_files_removed_total", "Export files deleted because no export refers to them")
MEMORY_OPS = Counter("memory_op_total", "Reads and writes of memory, by operation and scope", ["op", "scope"])
RETRIEVAL_SECONDS = Histogram(
    "memory_retrieval_seconds",
    "Seconds that a hybrid search of memory took",
    buckets=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2),
)
MESSAGES_STRANDED = Counter(
    "memory_stranded_messages_total", "Messages neither searchable nor queued for indexing, which were queued again"
)
EVENTS_WRITTEN = Counter(
    "historian_events_total", "Events of the historian, by the outcome of their rewriting", ["outcome"]
)
REWRITES = Counter("historian_rewrites_total", "Event rewrites that a model was asked to repeat")
GOVERNED = Counter("memory_governed_total", "Memories changed by the daily upkeep, by step", ["step"])
PERSONA_DRIFT = Counter(
    "persona_drift_total", "Reversals of a user's stance that were detected", ["signal_kind", "triggers_alert"]
)
CANDIDATES_REFUSED = Counter(
    "learning_candidates_refused_total", "Statements found in messages but not learned, by reason", ["reason"]
)
DEGRADED = Counter("degraded_total", "Answers given although a component had failed, by reason", ["reason"])
MODEL_CIRCUIT_OPEN = Gauge(  # whichever process found out last
    "model_circuit_open",
    "1 while the circuit breaker of a model is open and its calls fail at once, else 0",
    ["model"],
    multiprocess_mode="mostrecent",
)
MODEL_CIRCUIT_OPENED = Counter(
    "model_circuit_opened_total", "Times that the circuit breaker of a model opened, by cause", ["model", "cause"]
)
MODEL_RATE_LIMITED = Counter(
    "model_rate_limited_total", "Requests that a model server refused with HTTP 429 (rate limit)", ["model"]
)
MODEL_WAIT_SECONDS = Histogram(
    "model_wait_seconds",
    "Seconds that a model call waited in the queue",
    ["priority"],
    buckets=(0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 30, 60),
)
QUALITY = Gauge(  # read from the database by whoever checks last
    "memory_quality", "Value of an indicator of memory quality", ["indicator"], multiprocess_mode="mostrecent"
)
PROJECTION_DRIFT = Gauge(
    "memory_projection_drift",
    "Entries without their point and points without their entry, at the last comparison with the vector store",
    ["projection", "side"],
    multiprocess_mode="mostrecent",
)
ENTRIES_TO_EMBED = Gauge(  # as above
    "memory_entries_to_embed",
    "Search entries without a vector of the configured embedding model",
    multiprocess_mode="mostrecent",
)
QUALITY_ON_TARGET = Gauge(
    "memory_quality_on_target",
    "1 if an indicator meets its objective, 0 if it does not, NaN if there are too few samples",
    ["indicator"],
    multiprocess_mode="mostrecent",
)
QUALITY_ALERT = Gauge(
    "memory_quality_alert",
    "1 while an indicator raises an alert of this level, else 0",
    ["indicator", "level"],
    multiprocess_mode="mostrecent",
)
BURN_RATE = Gauge(
    "memory_quality_burn_rate",
    "Burn rate of an indicator's error budget: 1 uses it up exactly in its period",
    ["indicator", "window"],
    multiprocess_mode="mostrecent",
)
MODEL_CALLS = Counter(
    "model_calls_total",
    "Calls of language models, by purpose, model and outcome",
    ["kind", "model", "outcome"],
)
MODEL_SECONDS = Histogram(
    "model_call_seconds",
    "Seconds from the request to a language model to the end of its answer",
    ["kind", "model"],
    buckets=(0.1, 0.2, 0.5, 1, 2, 3, 5, 8, 13, 20, 30, 60, 120, 300),
)
MODEL_FIRST_TOKEN_SECONDS = Histogram(
    "model_first_token_seconds",
    "Seconds from the request to a language model to the first token of its answer",
    ["kind", "model"],
    buckets=(0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 20, 60),
)
MODEL_TOKENS = Counter(
    "model_tokens_total",
    "Tokens of language models: input (without cached tokens), cached input, and output",
    ["kind", "model", "direction"],
)
MODEL_COST = Counter(
    "model_cost_total",
    "Cost of language model calls in MODEL_CURRENCY; models without a price are not counted",
    ["kind", "model"],
)
MODEL_CEILINGS = Gauge(  # read from the database by whoever checks last
    "model_ceilings_reached",
    "Organisations that have reached a stage of their monthly spending ceiling for language models",
    ["stage"],
    multiprocess_mode="mostrecent",
)
