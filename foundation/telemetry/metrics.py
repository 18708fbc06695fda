"""Prometheus metrics. Labels never hold a user's id or text."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

REQUESTS = Counter("http_requests_total", "HTTP requests", ["method", "route", "status"])
REQUEST_SECONDS = Histogram("http_request_seconds", "Time to the response", ["method", "route"])
SLOW_CLIENTS = Counter(
    "http_slow_clients_total", "Connections closed because their client took too long", ["waiting_for"]
)

OUTBOX_ENQUEUED = Counter("outbox_enqueued_total", "Outbox rows written", ["topic"])
OUTBOX_FINISHED = Counter("outbox_finished_total", "Outbox rows run", ["topic", "outcome"])
OUTBOX_SECONDS = Histogram("outbox_handler_seconds", "Time in a handler", ["topic"])
TASKS_REFUSED = Counter("worker_tasks_refused_total", "Tasks and schedules that no list in the code names", ["reason"])
OUTBOX_RECLAIMED = Counter("outbox_reclaimed_total", "Rows taken back from workers that died", ["outcome"])
OUTBOX_DROPPED = Counter("outbox_dropped_total", "Low-priority observations dropped by a full queue")

ONBOARDING_STEPS = Counter("onboarding_step_total", "Onboarding steps reached", ["step"])
CONSENT_GRANTED = Counter("profile_consent_granted_total", "Consents granted")
EVOLUTION_BLOCKED = Counter("evolution_blocked_by_erasure_total", "Writes that met the fence of an erasure")
ERASURES_OPEN = Gauge(  # every worker counts all of them: the latest count is the count
    "erasure_open",
    "Erasures not done yet, by how near their term's end is",
    ["urgency"],
    multiprocess_mode="mostrecent",
)
PURGES_BOOKED_AGAIN = Counter("consent_purge_requeued_total", "Lost purges that a sweep queued again", ["scope"])
RETENTION_DELETED = Counter("retention_deleted_total", "Rows whose time was over", ["model"])
EXPORTS = Counter("exports_total", "Exports by what became of them", ["outcome"])
EXPORT_ORPHANS = Counter("export_orphan_files_removed_total", "Files of exports that no export knew")
MEMORY_OPS = Counter("memory_op_total", "Reads and writes of memory", ["op", "scope"])
RETRIEVAL_SECONDS = Histogram(
    "memory_retrieval_seconds", "Hybrid search", buckets=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2)
)
MESSAGES_STRANDED = Counter(
    "memory_stranded_messages_total", "Messages found neither searchable nor queued, and queued"
)
EVENTS_WRITTEN = Counter("historian_events_total", "Events by how their rewriting ended", ["outcome"])
REWRITES = Counter("historian_rewrites_total", "Rewrites that a model was asked for again")
GOVERNED = Counter("memory_governed_total", "Memories that upkeep changed", ["step"])
PERSONA_DRIFT = Counter(
    "persona_drift_total", "Reversals of somebody's stance, as observed", ["signal_kind", "triggers_alert"]
)
CANDIDATES_REFUSED = Counter("learning_candidates_refused_total", "Found in messages, not learned", ["reason"])
DEGRADED = Counter("degraded_total", "Answers given with a part missing", ["reason"])
MODEL_CIRCUIT_OPEN = Gauge(  # whichever process found out last
    "model_circuit_open", "1 while calls of a model fail at once, else 0", ["model"], multiprocess_mode="mostrecent"
)
MODEL_CIRCUIT_OPENED = Counter("model_circuit_opened_total", "Circuits opened, by what failed", ["model", "cause"])
MODEL_RATE_LIMITED = Counter("model_rate_limited_total", "Requests that a model server answered with 429", ["model"])
MODEL_WAIT_SECONDS = Histogram(
    "model_wait_seconds",
    "Time in line before a model was asked",
    ["priority"],
    buckets=(0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 30, 60),
)
QUALITY = Gauge(  # read from the database by whoever checks last
    "memory_quality", "The indicators of memory quality", ["indicator"], multiprocess_mode="mostrecent"
)
ENTRIES_TO_EMBED = Gauge(  # as above
    "memory_entries_to_embed",
    "Search entries without a vector of the configured embedding model",
    multiprocess_mode="mostrecent",
)
QUALITY_ON_TARGET = Gauge(
    "memory_quality_on_target",
    "1 where an indicator meets its objective, 0 where it does not, NaN with too little to judge by",
    ["indicator"],
    multiprocess_mode="mostrecent",
)
QUALITY_ALERT = Gauge(
    "memory_quality_alert",
    "1 while an indicator calls the operators at this level, else 0",
    ["indicator", "level"],
    multiprocess_mode="mostrecent",
)
BURN_RATE = Gauge(
    "memory_quality_burn_rate",
    "How many times faster than allowed an indicator's error budget burns",
    ["indicator", "window"],
    multiprocess_mode="mostrecent",
)
MODEL_CALLS = Counter(
    "model_calls_total",
    "Calls of language models by what they were for and how they ended",
    ["kind", "model", "outcome"],
)
MODEL_SECONDS = Histogram(
    "model_call_seconds",
    "From asking a language model to the end of its answer",
    ["kind", "model"],
    buckets=(0.1, 0.2, 0.5, 1, 2, 3, 5, 8, 13, 20, 30, 60, 120, 300),
)
MODEL_FIRST_TOKEN_SECONDS = Histogram(
    "model_first_token_seconds",
    "From asking a language model to the first token of its answer",
    ["kind", "model"],
    buckets=(0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 20, 60),
)
MODEL_TOKENS = Counter(
    "model_tokens_total",
    "Tokens that language models read (input, without the cached), read from their cache, and wrote",
    ["kind", "model", "direction"],
)
MODEL_COST = Counter(
    "model_cost_total", "Cost of language models in MODEL_CURRENCY, of those with a price alone", ["kind", "model"]
)
MODEL_CEILINGS = Gauge(  # read from the database by whoever checks last
    "model_ceilings_reached",
    "Organisations by how much of their monthly ceiling for language models is used up",
    ["stage"],
    multiprocess_mode="mostrecent",
)
