"""The settings of FinClaw by subject; `.env.example` lists those that the environment sets.

The composition of the project and the API's settings are in `composition` and `api`. A secret may be given as NAME or,
for container secrets, as NAME_FILE with a path.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any, cast

from environs import validate

from finclaw.settings import api, composition, media, oauth
from finclaw.settings.environment import BASE_DIR, env, require_amount_or_nothing, require_object
from foundation.database.urls import database_settings
from foundation.secrets import local_secret
from foundation.telemetry.logs import logging_settings

_POSITIVE = validate.Range(min=0, min_inclusive=False)
_NOT_NEGATIVE = validate.Range(min=0)

# --- where things live -------------------------------------------------------------------------------
DATA_DIR = Path(env.str("FINCLAW_DATA_DIR", default="") or BASE_DIR / "var").resolve()
DATABASE_URL: str = env.str("DATABASE_URL", default="")  # empty: the embedded PostgreSQL under DATA_DIR
DATABASE_OWNER_URL: str = env.str("DATABASE_OWNER_URL", default="")
DATABASE_REPLICA_URL: str = env.str("DATABASE_REPLICA_URL", default="")  # empty: all reads go to the primary
PROCESS: str = env.str("FINCLAW_PROCESS", default="command")  # web | worker | command

DATABASES = database_settings(
    app_url=DATABASE_URL,
    owner_url=DATABASE_OWNER_URL,
    replica_url=DATABASE_REPLICA_URL,
    data_dir=DATA_DIR,
    pooled=PROCESS == "web",
    pool_size=env.int("DATABASE_POOL_SIZE", default=16),
    prepared=env.bool("DATABASE_PREPARED_STATEMENTS", default=True),
)

# --- web ---------------------------------------------------------------------------------------------
DEBUG: bool = env.bool("DEBUG", default=False)
HTTPS: bool = env.bool("HTTPS", default=False)  # served behind TLS: secure cookies, HSTS, redirect
SECRET_KEY: str = env.str("SECRET_KEY", default="") or local_secret(DATA_DIR / "secret_key")
SECRET_KEY_FALLBACKS: list[str] = env.list("SECRET_KEY_FALLBACKS", default=[])  # former ones, still honoured
ALLOWED_HOSTS: list[str] = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", default=[])

ROOT_URLCONF = "finclaw.urls"
WSGI_APPLICATION = "finclaw.wsgi.application"
AUTH_USER_MODEL = "accounts.User"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LOGIN_URL = "web:sign_in"
LOGIN_REDIRECT_URL = "web:chat"
LOGOUT_REDIRECT_URL = "web:welcome"
CSRF_FAILURE_VIEW = "finclaw.web.views.errors.csrf_failure"

INSTALLED_APPS = composition.INSTALLED_APPS
MIDDLEWARE = composition.MIDDLEWARE
TEMPLATES = composition.TEMPLATES
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "finclaw" / "console" / "static"]  # its app is django.contrib.admin
WHITENOISE_USE_FINDERS = True  # no collectstatic step between a clone and a page

PUBLIC_URL: str = env.str("PUBLIC_URL", default="")  # as people and assistants reach it, behind a proxy
MCP_PORT: int = env.int("MCP_PORT", default=8010, validate=_NOT_NEGATIVE)  # for assistants; 0: not served
WEB_WORKERS: int = env.int("WEB_WORKERS", default=2, validate=_POSITIVE)
SPARES: bool = env.bool("SPARES", default=True)  # a loaded web server and worker stand by, to take over at once
WEB_CONNECTIONS: int = env.int("WEB_CONNECTIONS", default=1_000, validate=_POSITIVE)  # of one web process
# How long a client may take: to send a request's header, to send its body, until its next request, to read an answer.
WEB_HEADER_SECONDS: float = env.float("WEB_HEADER_SECONDS", default=10.0, validate=_POSITIVE)
WEB_BODY_SECONDS: float = env.float("WEB_BODY_SECONDS", default=30.0, validate=_POSITIVE)
WEB_IDLE_SECONDS: float = env.float("WEB_IDLE_SECONDS", default=15.0, validate=_POSITIVE)
WEB_ANSWER_SECONDS: float = env.float("WEB_ANSWER_SECONDS", default=15.0, validate=_POSITIVE)
# How many requests compute at a time in one web process, how many more wait in the queue, and for how long at most.
WEB_COMPUTING: int = env.int("WEB_COMPUTING", default=8, validate=_POSITIVE)
WEB_PLACE_SECONDS: float = env.float("WEB_PLACE_SECONDS", default=2.0, validate=_POSITIVE)  # then it counts no longer
WEB_LINE_LENGTH: int = env.int("WEB_LINE_LENGTH", default=250, validate=_POSITIVE)
WEB_LINE_SECONDS: float = env.float("WEB_LINE_SECONDS", default=30.0, validate=_POSITIVE)
WEB_STOPPING_SECONDS: float = env.float("WEB_STOPPING_SECONDS", default=30.0, validate=_POSITIVE)  # to finish requests
MAX_BODY_BYTES = 1_000_000
DATA_UPLOAD_MAX_MEMORY_SIZE = MAX_BODY_BYTES
FILE_UPLOAD_HANDLERS = ["finclaw.server.uploads.RefusingUploadHandler"]

# --- security ----------------------------------------------------------------------------------------
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SESSION_COOKIE_HTTPONLY = True
SESSION_ENGINE = "foundation.accounts.browser_sessions"
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = composition.CONTENT_SECURITY_POLICY
AUTHENTICATION_BACKENDS = composition.AUTHENTICATION_BACKENDS
AUTH_PASSWORD_VALIDATORS = composition.AUTH_PASSWORD_VALIDATORS
TRUSTED_PROXIES: int = env.int("TRUSTED_PROXIES", default=0, validate=validate.Range(min=0))  # of X-Forwarded-For
ATTEMPT_WINDOW = timedelta(minutes=env.int("ATTEMPT_WINDOW_MINUTES", default=15, validate=validate.Range(min=1)))
SIGN_IN_FAILURE_LIMIT: int = env.int("SIGN_IN_FAILURE_LIMIT", default=10)  # for one name and address, in a window
ADDRESS_FAILURE_LIMIT: int = env.int("ADDRESS_FAILURE_LIMIT", default=30)  # for one address, whatever the name
NAME_QUARANTINE_DAYS: int = env.int("NAME_QUARANTINE_DAYS", default=365, validate=validate.Range(min=0))
SIGN_UP_LIMIT: int = env.int("SIGN_UP_LIMIT", default=10)  # sign-ups by one address, display names by one person

# Whether operators give a code of their authenticator app before any page of the admin.
OPERATOR_SECOND_FACTOR: bool = env.bool("OPERATOR_SECOND_FACTOR", default=not DEBUG)
OTP_TOTP_ISSUER = "FinClaw"

# --- invitations to groups ---------------------------------------------------------------------------
INVITATION_DAYS = env.int("INVITATION_DAYS", default=14)  # how long one can be accepted
INVITATIONS_PER_DAY = env.int("INVITATIONS_PER_DAY", default=30)  # that a user may send
INVITATIONS_PENDING = env.int("INVITATIONS_PENDING", default=50)  # that a user may have open
INVITATIONS_PENDING_IN_GROUP = env.int("INVITATIONS_PENDING_IN_GROUP", default=20)

# --- language and time -------------------------------------------------------------------------------
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]  # each named in itself
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGE_COOKIE_AGE = 31_536_000
LANGUAGE_COOKIE_SECURE, LANGUAGE_COOKIE_HTTPONLY, LANGUAGE_COOKIE_SAMESITE = HTTPS, True, "Lax"
TIME_ZONE = "UTC"
USE_TZ = True

# --- API ---------------------------------------------------------------------------------------------
REST_FRAMEWORK = api.REST_FRAMEWORK
SPECTACULAR_SETTINGS = api.SPECTACULAR_SETTINGS
TOKEN_TTL = api.TOKEN_TTL

# --- OAuth for assistants ----------------------------------------------------------------------------
OAUTH2_PROVIDER_APPLICATION_MODEL = "oauth2_provider.Application"  # which Django reads where we refer to it
OAUTH2_PROVIDER = {**oauth.OAUTH2_PROVIDER, "OIDC_ISS_ENDPOINT": PUBLIC_URL.rstrip("/")}
SILENCED_SYSTEM_CHECKS = ["oauth2_provider.W008"]  # http leads to the user's own machine alone: finclaw.oauth.redirects

# --- erasure -----------------------------------------------------------------------------------------
ERASURE_SIGNING_KEY: str = env.str("ERASURE_SIGNING_KEY", default="")  # PEM; empty: a key made under DATA_DIR
ERASURE_JOURNAL: str = env.str("ERASURE_JOURNAL", default="")  # empty: under DATA_DIR; replayed after a restore
BACKUP_DAYS: int = env.int("BACKUP_DAYS", default=0, validate=_NOT_NEGATIVE)  # that backups are kept; 0: not stated
LEGAL_PROFILE: str = env.str("LEGAL_PROFILE", default="pipl")  # where a tenant's settings name none

# --- alerts ------------------------------------------------------------------------------------------
# Private networks that webhooks may be sent to, also by plain HTTP, such as 127.0.0.0/8.
WEBHOOK_ALLOWED_NETWORKS: list[str] = env.list("WEBHOOK_ALLOWED_NETWORKS", default=[])
ALERT_WEBHOOK_URL: str = env.str("ALERT_WEBHOOK_URL", default="")  # empty: alerts stay on the operators' Today page

# --- background work ---------------------------------------------------------------------------------
OUTBOX_HANDLERS = "finclaw.jobs.HANDLERS"
OUTBOX_SCHEDULES = "finclaw.schedules.SCHEDULES"
# So many of a worker's MODEL_CONCURRENCY places may wait for webhooks' receivers, each for ten seconds at most, and for
# the processes that check and read files, which compute beside it.
OUTBOX_TOPIC_PLACES = {
    "webhooks.deliver": env.int("WEBHOOK_PLACES", default=8, validate=_POSITIVE),
    "media.scan": 1,
    "media.extract": 1,
}
OUTBOX_LINGER_SECONDS: float = env.float("OUTBOX_LINGER_SECONDS", default=4.0)  # jobs due by then are waited for
# How long after a worker's death its jobs are freed; a live worker renews its leases four times in this span.
OUTBOX_LEASE_SECONDS: float = env.float("OUTBOX_LEASE_SECONDS", default=4.0, validate=_POSITIVE)
OUTBOX_MAX_ATTEMPTS = env.int("OUTBOX_MAX_ATTEMPTS", default=5)
# A worker's death uses up no attempt of its job, until the job was claimed so often: then it may be what kills them.
OUTBOX_MOST_CLAIMS = env.int("OUTBOX_MOST_CLAIMS", default=20, validate=_POSITIVE)
OUTBOX_RETRY_SECONDS = env.float("OUTBOX_RETRY_SECONDS", default=2.0)  # doubled at each attempt
OUTBOX_COUNT_SECONDS = env.int("OUTBOX_COUNT_SECONDS", default=1)  # how long a count of the queue is cached
OUTBOX_COLD_LIMIT = env.int("OUTBOX_COLD_LIMIT", default=100_000)  # waiting rows above which low priorities are dropped
# Processor seconds that a worker spends on what one message said, before its job ends as a dead letter.
LEARNING_DEADLINE_SECONDS: float = env.float("LEARNING_DEADLINE_SECONDS", default=10.0)
# The Unix niceness of background work, 0 to 19: answers that users wait for on the same machine come first.
WORKER_NICENESS: int = env.int("WORKER_NICENESS", default=10, validate=validate.Range(min=0, max=19))
REDIS_URL: str = env.str("REDIS_URL", default="")  # empty: workers look for work in PostgreSQL
Q_CLUSTER = {
    "name": "finclaw",
    "orm": "default",
    "broker_class": f"foundation.outbox.{'redis_broker.RedisBroker' if REDIS_URL else 'broker.ListedFunctionsBroker'}",
    "scheduler": False,  # the broker keeps the time: django-q2's own scheduler runs whatever a row names
    "workers": env.int("WORKERS", default=2),
    "timeout": 600,
    "retry": 660,
    "max_attempts": 1,
    "save_limit": 250,
    "label": "Background work",
}

# --- models ------------------------------------------------------------------------------------------
OPENAI_BASE_URL: str = env.str("OPENAI_BASE_URL", default="")  # empty: the offline model
OPENAI_API_KEY: str = env.str("OPENAI_API_KEY", default="")
MODEL_LARGE: str = env.str("MODEL_LARGE", default="gpt-4.1")
MODEL_SMALL: str = env.str("MODEL_SMALL", default="gpt-4.1-mini")
# How long a whole answer may take, its retries included; and how long its server may be silent, before the first token
# and between two.
MODEL_TIMEOUT_SECONDS: float = env.float("MODEL_TIMEOUT_SECONDS", default=60.0, validate=_POSITIVE)
MODEL_FIRST_TOKEN_TIMEOUT_SECONDS: float = env.float(
    "MODEL_FIRST_TOKEN_TIMEOUT_SECONDS", default=15.0, validate=_POSITIVE
)
# Fields of the server's own in every request, as JSON: {"thinking": {"type": "disabled"}}.
MODEL_EXTRA_BODY = cast("dict[str, Any]", env.json("MODEL_EXTRA_BODY", default={}, validate=require_object))
MODEL_MAX_RETRIES: int = env.int("MODEL_MAX_RETRIES", default=2)
# Calls in flight in one process: of its background work, and of its turns.
MODEL_CONCURRENCY: int = env.int("MODEL_CONCURRENCY", default=32, validate=_POSITIVE)
MODEL_TURN_CONCURRENCY: int = env.int("MODEL_TURN_CONCURRENCY", default=256, validate=_POSITIVE)
# What the provider allows for each model, all processes together; 0: any number. Without MODEL_PROCESSES it is divided
# by WEB_WORKERS + WORKERS.
MODEL_REQUESTS_PER_MINUTE: int = env.int("MODEL_REQUESTS_PER_MINUTE", default=0, validate=_NOT_NEGATIVE)
MODEL_TOKENS_PER_MINUTE: int = env.int("MODEL_TOKENS_PER_MINUTE", default=0, validate=_NOT_NEGATIVE)
MODEL_PROCESSES: int = env.int("MODEL_PROCESSES", default=0, validate=_NOT_NEGATIVE)
# Consecutive failures of the server after which a model is not called for a while; 0: it is always called.
MODEL_CIRCUIT_FAILURES: int = env.int("MODEL_CIRCUIT_FAILURES", default=5, validate=_NOT_NEGATIVE)
MODEL_MAX_OUTPUT_TOKENS: int = env.int("MODEL_MAX_OUTPUT_TOKENS", default=1_500)
MODEL_SEES_IMAGES: bool = env.bool("MODEL_SEES_IMAGES", default=False)  # whether MODEL_LARGE takes `image_url`
MODEL_CALLS_TOOLS: bool = env.bool("MODEL_CALLS_TOOLS", default=False)  # whether MODEL_LARGE takes `tools`
# The most model calls and tokens of one turn, the small model's reading and all tool rounds included; beyond it the
# turn still answers, with fewer look-ups.
TURN_MODEL_CALLS: int = env.int("TURN_MODEL_CALLS", default=6, validate=validate.Range(min=1))
TURN_TOKENS: int = env.int("TURN_TOKENS", default=120_000, validate=validate.Range(min=1))
# Whether MODEL_SMALL answers small talk and short follow-ups; MODEL_LARGE then answers everything else.
MODEL_ROUTING: bool = env.bool("MODEL_ROUTING", default=True)
# How long a turn waits for what the small model reads in its message, from the moment that the search begins.
UNDERSTANDING_DEADLINE_MS: int = env.int("UNDERSTANDING_DEADLINE_MS", default=700, validate=validate.Range(min=0))
MODEL_CONTEXT_WINDOW: int = env.int("MODEL_CONTEXT_WINDOW", default=32_000)
# What a million tokens cost, by model: {"gpt-4.1": {"input": 2, "cached_input": 0.5, "output": 8}}.
MODEL_PRICES = cast("dict[str, Any]", env.json("MODEL_PRICES", default={}, validate=require_object))
MODEL_CURRENCY: str = env.str("MODEL_CURRENCY", default="USD")  # of the prices and the ceiling
# What an organisation's models may cost in a month, where its own settings do not say; empty: whatever they cost.
_ceiling: str = env.str("MODEL_MONTHLY_CEILING", default="", validate=require_amount_or_nothing)
MODEL_MONTHLY_CEILING: float | None = float(_ceiling) if _ceiling.strip() else None
MODEL_OFFLINE_PERCENT: int = env.int("MODEL_OFFLINE_PERCENT", default=120, validate=validate.Range(min=100))  # of it
MODEL_USAGE_FLUSH_SECONDS: float = env.float("MODEL_USAGE_FLUSH_SECONDS", default=3.0, validate=_NOT_NEGATIVE)
MODEL_USAGE_DAYS: int = env.int("MODEL_USAGE_DAYS", default=400, validate=_POSITIVE)  # that usage is kept
TRUNCATION_POLICY: str = env.str(
    "TRUNCATION_POLICY",
    default="fixed_priority",
    validate=validate.OneOf(["fixed_priority", "constraint_optimization"]),
)

EMBEDDER: str = env.str("EMBEDDER", default="e5", validate=validate.OneOf(["e5", "light"]))  # the embedded model
EMBEDDINGS_BASE_URL: str = env.str("EMBEDDINGS_BASE_URL", default="")  # empty: the embedded model
EMBEDDINGS_API_KEY: str = env.str("EMBEDDINGS_API_KEY", default="")
EMBEDDINGS_MODEL: str = env.str("EMBEDDINGS_MODEL", default="text-embedding-3-small")
EMBEDDINGS_TIMEOUT_SECONDS: float = env.float("EMBEDDINGS_TIMEOUT_SECONDS", default=10.0)

# An optional store of vectors beside PostgreSQL: a server by its URL, or a folder (":memory:") of this process alone.
QDRANT_URL: str = env.str("QDRANT_URL", default="")
QDRANT_API_KEY: str = env.str("QDRANT_API_KEY", default="")
QDRANT_PATH: str = env.str("QDRANT_PATH", default="")
QDRANT_PREFIX: str = env.str("QDRANT_PREFIX", default="finclaw")  # of the names of collections
# Memory in Qdrant: not at all, written alone, or written and searched.
MEMORY_PROJECTION: str = env.str(
    "MEMORY_PROJECTION", default="off", validate=validate.OneOf(["off", "written", "searched"])
)
QDRANT_SEARCH_TIMEOUT_MS: int = env.int("QDRANT_SEARCH_TIMEOUT_MS", default=300, validate=_POSITIVE)
QDRANT_TIMEOUT_SECONDS: float = env.float("QDRANT_TIMEOUT_SECONDS", default=5.0, validate=_POSITIVE)

# --- memory and knowledge ----------------------------------------------------------------------------
COGNITIVE_ENABLED: bool = env.bool("COGNITIVE_ENABLED", default=True)
END_WAIT_SECONDS: float = env.float("END_WAIT_SECONDS", default=60.0)  # for the next message, without a model
HISTORIAN_REWRITE_MAX_RETRY: int = env.int("HISTORIAN_REWRITE_MAX_RETRY", default=2)
RETRIEVAL_STRATEGY: str = env.str("RETRIEVAL_STRATEGY", default="score")  # score | rrf | lexical | vector
RETRIEVAL_TIMEOUT_MS: int = env.int("RETRIEVAL_TIMEOUT_MS", default=2_000)  # one search
RECALL_TIMEOUT_MS: int = env.int("RECALL_TIMEOUT_MS", default=3_000)  # all searches of one turn together
RETRIEVAL_CANDIDATES: int = env.int("RETRIEVAL_CANDIDATES", default=15)
RETRIEVAL_TOP_K: int = env.int("RETRIEVAL_TOP_K", default=8)
COGNITIVE_AUTO_TOP_K: int = env.int("COGNITIVE_AUTO_TOP_K", default=3)  # events in a turn
COGNITIVE_TOOL_TOP_K: int = env.int("COGNITIVE_TOOL_TOP_K", default=12)  # events in a search by a tool
TOOLS_TIMEOUT_SECONDS: float = env.float("TOOLS_TIMEOUT_SECONDS", default=30.0)  # for all look-ups
LEARNING_NEAR_DUPLICATE: float = env.float("LEARNING_NEAR_DUPLICATE", default=0.92)  # cosine; below it words decide
LEARNING_REVIEW_BELOW: float = env.float("LEARNING_REVIEW_BELOW", default=0.35)  # confidence; waits for the user
LEARNING_STYLE_SWITCH = "personas.configuration.writes_back"  # waits for confirmation before a reply style is learned
LEARNING_KNOWN_ITEMS: int = env.int("LEARNING_KNOWN_ITEMS", default=30)  # memories a model's analysis is shown
LEARNING_MODEL_WAIT_SECONDS: float = env.float("LEARNING_MODEL_WAIT_SECONDS", default=3.0)  # for more of the same chat
# How long the stream of an answer stays open for what the message taught.
LEARNED_WAIT_SECONDS: float = env.float("LEARNED_WAIT_SECONDS", default=2.0, validate=validate.Range(min=0))
PROFILE_REVISIONS_KEPT: int = env.int(
    "PROFILE_REVISIONS_KEPT", default=5, validate=validate.Range(min=0)
)  # former versions kept of a portrait
PORTRAIT_REMAKE_SECONDS: float = env.float("PORTRAIT_REMAKE_SECONDS", default=5.0)  # after its sources changed
PROFILE_MAX_CHARS: int = env.int("PROFILE_MAX_CHARS", default=4_000)  # of a portrait in every prompt
SESSION_TTL_HOURS: int = env.int("SESSION_TTL_HOURS", default=24 * 30)
SESSION_REST_MINUTES: int = env.int("SESSION_REST_MINUTES", default=30, validate=validate.Range(min=1))
TEMPORARY_SESSION_TTL_HOURS: int = env.int("TEMPORARY_SESSION_TTL_HOURS", default=24)
MAX_MESSAGE_CHARS: int = env.int("MAX_MESSAGE_CHARS", default=8_000)
PERSONA_FILE: str = env.str("PERSONA_FILE", default="")  # empty: personas/defaults/persona.yaml
DRIFT_THRESHOLDS_FILE: str = env.str("DRIFT_THRESHOLDS_FILE", default="")  # empty: those in drift/defaults
DRIFT_LEXICON_FILE: str = env.str("DRIFT_LEXICON_FILE", default="")
KNOWLEDGE_STORE: str = env.str("KNOWLEDGE_STORE", default="knowledge.stores.postgres.PostgresStore")
KNOWLEDGE_TIMEOUT_MS: int = env.int("KNOWLEDGE_TIMEOUT_MS", default=500)  # after which a turn goes on without knowledge
KNOWLEDGE_VECTOR_STORE: str = env.str(
    "KNOWLEDGE_VECTOR_STORE", default="knowledge.stores.postgres_vectors.PostgresVectorStore"
)
KNOWLEDGE_VECTOR_TIMEOUT_MS: int = env.int("KNOWLEDGE_VECTOR_TIMEOUT_MS", default=300)  # then by words alone
KNOWLEDGE_GRAPH: str = env.str("KNOWLEDGE_GRAPH", default="knowledge.stores.empty_store.EmptyGraph")
KNOWLEDGE_GRAPH_TIMEOUT_MS: int = env.int("KNOWLEDGE_GRAPH_TIMEOUT_MS", default=300)  # then without what is related
NEO4J_URL: str = env.str("NEO4J_URL", default="")
NEO4J_USER: str = env.str("NEO4J_USER", default="neo4j")
NEO4J_PASSWORD: str = env.str("NEO4J_PASSWORD", default="")
NEO4J_DATABASE: str = env.str("NEO4J_DATABASE", default="")  # empty: the server's own

# --- research ----------------------------------------------------------------------------------------
FORBIDDEN_EXECUTION_FIELDS: list[str] = env.list("FORBIDDEN_EXECUTION_FIELDS", default=[]) or [
    "order_id", "client_order_id", "order_type", "side+quantity", "side+size", "limit_price", "stop_price",
    "time_in_force", "leverage", "set_leverage", "account", "account_id", "account_number", "broker_account",
    "api_key", "api_secret", "private_key", "seed_phrase", "password", "signature", "signed_transaction",
    "wallet_address", "withdrawal_address",
    "订单号", "委托号", "委托价", "委托价格", "限价", "委托数量", "买卖方向+数量", "杠杆倍数", "资金账号", "证券账户",
    "交易密码", "密钥", "私钥", "助记词", "签名", "提现地址",
]  # fmt: skip
"""Fields that no request and no result may contain, for all users alike; ``a+b`` is refused only if both occur."""
COLD_START_TIP_HOURS: int = env.int("COLD_START_TIP_HOURS", default=24)  # at most one tip in that time

# --- exports -----------------------------------------------------------------------------------------
EXPORT_DIR: Path = DATA_DIR / "exports"
EXPORT_LINK_HOURS: int = env.int(
    "EXPORT_LINK_HOURS", default=168, validate=validate.Range(1, 168)
)  # rows stay seven days
EXPORT_KEEP: int = env.int(
    "EXPORT_KEEP", default=3, validate=validate.Range(min=1)
)  # ready exports a user has at a time

# --- imports -----------------------------------------------------------------------------------------
IMPORT_DIR: Path = DATA_DIR / "imports"
MAX_IMPORT_BYTES: int = 1_000_000 * env.int("MAX_IMPORT_MEGABYTES", default=200, validate=_POSITIVE)
WEB_IMPORT_SECONDS: float = env.float("WEB_IMPORT_SECONDS", default=600.0, validate=_POSITIVE)  # to send such a file

# --- files of users ----------------------------------------------------------------------------------
MEDIA_DIR: Path = DATA_DIR / "media"
STORAGES = media.storages_for(MEDIA_DIR)
MEDIA_STORAGE = media.MEDIA_STORAGE
MEDIA_KEY: str = env.str("MEDIA_KEY", default="") or local_secret(DATA_DIR / "media_key")  # encrypts users' keys
MEDIA_FORMER_KEYS = media.MEDIA_FORMER_KEYS
MEDIA_MAX_BYTES, MEDIA_MAX_PIXELS, MEDIA_MAX_PAGES = (
    media.MEDIA_MAX_BYTES, media.MEDIA_MAX_PIXELS, media.MEDIA_MAX_PAGES,
)  # fmt: skip
MEDIA_QUOTA_BYTES, MEDIA_QUOTA_FILES = media.MEDIA_QUOTA_BYTES, media.MEDIA_QUOTA_FILES
MEDIA_CLAMAV, MEDIA_CLAMAV_SECONDS = media.MEDIA_CLAMAV, media.MEDIA_CLAMAV_SECONDS
MEDIA_READ_PAGES, MEDIA_READ_CHARACTERS = media.MEDIA_READ_PAGES, media.MEDIA_READ_CHARACTERS
MEDIA_READ_SECONDS, MEDIA_READ_AGAIN_SECONDS = media.MEDIA_READ_SECONDS, media.MEDIA_READ_AGAIN_SECONDS
MEDIA_SPEECH_READER = media.MEDIA_SPEECH_READER
EXPORTED_FILES = "media.export.exported_files"  # what an export holds besides rows

# Where a request's body may be longer than MAX_BODY_BYTES, as a file, and how long the file may be.
UPLOAD_PATHS = {
    "/api/imports": MAX_IMPORT_BYTES,
    "/settings/import/": MAX_IMPORT_BYTES,
    "/api/media": MEDIA_MAX_BYTES,
}

# --- logs, metrics and traces ------------------------------------------------------------------------
LOG_JSON: bool = env.bool("LOG_JSON", default=False)
LOGGING = logging_settings(json=LOG_JSON, level=env.str("LOG_LEVEL", default="INFO"))
LOGGING_CONFIG = "logging.config.dictConfig"
METRICS_TOKEN: str = env.str("METRICS_TOKEN", default="") or local_secret(DATA_DIR / "metrics_token")
# Empty: no traces. Their other variables are OpenTelemetry's own, read by its SDK.
OTEL_EXPORTER_OTLP_ENDPOINT: str = env.str("OTEL_EXPORTER_OTLP_ENDPOINT", default="")
