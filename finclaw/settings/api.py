"""Settings of the API: REST framework, OpenAPI description, access tokens."""

from __future__ import annotations

from datetime import timedelta

from finclaw.settings.environment import env

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "finclaw.api.authentication.TokenAuthentication",
        "finclaw.api.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["finclaw.api.parsers.StorableJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PAGINATION_CLASS": "finclaw.api.pagination.CursorPagination",
    "DEFAULT_SCHEMA_CLASS": "finclaw.api.schema.AutoSchema",
    "DEFAULT_THROTTLE_CLASSES": [
        "finclaw.api.throttling.AnonymousThrottle",
        "finclaw.api.throttling.UserThrottle",
    ],
    "DEFAULT_THROTTLE_RATES": {
        "anon": env.str("RATE_LIMIT_ANONYMOUS", default="60/min"),
        "user": env.str("RATE_LIMIT_USER", default="1200/min"),
        "media": env.str("RATE_LIMIT_MEDIA", default="120/hour"),
        "registration": env.str("RATE_LIMIT_REGISTRATION", default="60/hour"),
    },
    "EXCEPTION_HANDLER": "finclaw.api.errors.exception_handler",
    "PAGE_SIZE": 50,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "FinClaw",
    "DESCRIPTION": "Governed long-term memory for AI assistants.",
    "VERSION": "0.1.0",
    "SERVE_PUBLIC": True,
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "finclaw.api.schema.describe_document",
    ],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "ENUM_NAME_OVERRIDES": {
        "UserRole": "foundation.accounts.models.User.Role",
        "MessageRole": "memory.models.ConversationEvent.Role",
        "MemoryType": "memory.models.MemoryItem.MemoryType",
        "MemoryState": "memory.models.MemoryItem.State",
        "JobState": "foundation.outbox.models.OutboxMessage.State",
        "ExportState": "consent.models.DataExport.State",
        "ErasureState": "consent.models.erasure_states.ErasureState",
        "ProposalState": "memory.models.EvolutionProposal.State",
        "KnowledgeKind": "knowledge.models.KnowledgeEntry.Kind",
        "KnowledgeRelationKind": "knowledge.models.KnowledgeRelation.Kind",
        "OrgTierEnum": "foundation.accounts.models.Tenant.OrgTier",
        "MediaKind": "media.models.MediaFile.Kind",
        "SecurityStatus": "media.models.MediaFile.SecurityStatus",
        "BookmarkState": "knowledge.bookmarks.BookmarkState",
        "PersonaMode": "personas.types.MODES",
        "ResearchRoute": "memory.models.Route",
        "TaskState": "memory.models.ResearchTask.State",
        "LongTaskKind": "finclaw.models.LongTaskKind",
        "ThreadState": "memory.models.Thread.State",
        "WatchQuestionState": "memory.models.WatchQuestion.State",
        "PersonaDocumentKind": "finclaw.api.personas.DOCUMENT_KINDS",
    },
}
TOKEN_TTL = timedelta(days=env.int("TOKEN_DAYS", default=90))
