"""The shapes of what the API takes and answers: made from its OpenAPI document by ``make client``."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class AccountOutput(TypedDict):
    user_id: str
    """The id of the user whose it is; in a path `me` names the signed-in user."""
    username: str
    """The user name."""
    recovery_codes: list[str]
    """Shown once: with one of them the person chooses a password."""


ActionEnum: TypeAlias = Literal['added', 'superseded', 'retired', 'confirmed', 'corrected', 'quarantined', 'accepted', 'rejected', 'merged', 'resolved', 'calibrated', 'nudged', 'fused', 'outdated', 'undone']
"""
* `added` - Learned
* `superseded` - Replaced by a newer statement
* `retired` - Found no longer true
* `confirmed` - Confirmed
* `corrected` - Corrected
* `quarantined` - Set aside until you decide
* `accepted` - Accepted
* `rejected` - Rejected
* `merged` - Merged with what says the same
* `resolved` - A contradiction was settled
* `calibrated` - Became more or less sure
* `nudged` - Became a little more or less sure
* `fused` - Held back after it was called wrong
* `outdated` - Marked as out of date
* `undone` - A change was undone
"""


ActorEnum: TypeAlias = Literal['person', 'pipeline', 'governor']
"""
* `person` - you
* `pipeline` - learning from conversation
* `governor` - regular upkeep
"""


AddedItemEventEnum: TypeAlias = Literal['ADD', 'UPDATE', 'NONE']
"""
* `ADD` - ADD
* `UPDATE` - UPDATE
* `NONE` - NONE
"""


AddedItemStatusEnum: TypeAlias = Literal['accepted', 'rejected', 'merged']
"""
* `accepted` - accepted
* `rejected` - rejected
* `merged` - merged
"""


AdditionInputMemoryTypeEnum: TypeAlias = Literal['insight', 'preference', 'pattern']
"""
* `insight` - insight
* `preference` - preference
* `pattern` - pattern
"""


BlankEnum: TypeAlias = Literal['']


class BlockPartOutput(TypedDict):
    kind: str
    """Which kind of thing it is."""
    id: str
    """Its id."""
    decision_reason: str
    """Why it was used or left out, as a code."""
    text: str
    """Its words."""
    provenance: str | None
    """Where it came from."""
    epistemic_type: str | None
    """Whether it is a fact, an opinion, a preference, or out of date."""
    confidence: float | None
    """How sure it is, from 0 to 1."""
    occurred_at: str | None
    """When it was said or happened, where that differs from when it was sent."""


class BookmarkInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    knowledge_id: str
    """The id of the entry of what the organisation knows."""


BookmarkState: TypeAlias = Literal['in_force', 'not_in_force', 'gone']
"""
* `in_force` - in force
* `not_in_force` - not in force
* `gone` - gone
"""


CancelReceiptOutputOutcomeEnum: TypeAlias = Literal['cancelled', 'stopping', 'over']
"""
* `cancelled` - cancelled
* `stopping` - stopping
* `over` - over
"""


CandidateOutputStatusEnum: TypeAlias = Literal['accepted', 'rejected']
"""
* `accepted` - Used
* `rejected` - Left out
"""


class CertificateOutput(TypedDict):
    certificate: dict[str, Any]
    """What was erased and what the final check found."""
    signature: str
    """The signature over the certificate, in Base64."""
    public_key_id: str
    """The id of the key that it was signed with."""


ChangeOutputEventEnum: TypeAlias = Literal['ADD', 'UPDATE', 'SUPERSEDE', 'MERGE', 'NONE']
"""
* `ADD` - ADD
* `UPDATE` - UPDATE
* `SUPERSEDE` - SUPERSEDE
* `MERGE` - MERGE
* `NONE` - NONE
"""


class ChangedOutput(TypedDict):
    before: str
    """The inference as it was; empty for a new one."""
    after: str
    """The inference as it is; empty for one that went."""


class ChatCompletionOutput(TypedDict):
    id: str
    """Its id."""
    object: str
    """`chat.completion`."""
    created: int
    """When it was made, in seconds since 1970."""
    model: str
    """The model as it was asked for."""
    choices: list[dict[str, Any]]
    """The one answer, its `message` and `finish_reason`."""
    usage: NotRequired[dict[str, Any]]
    """Its tokens; absent where an answer is repeated and nobody knows them any more."""


CodeEnum: TypeAlias = Literal['answer_stands', 'boundary_refused', 'consent_outdated', 'consent_scope_missing', 'context_length_exceeded', 'csrf_failed', 'entry_changed', 'erasure_in_progress', 'financial_confirmation_required', 'idempotency_conflict', 'import_refused', 'import_under_way', 'internal_error', 'invalid_credentials', 'kept_in_thread', 'kind_withheld', 'learning_stopped', 'legal_profile_unknown', 'malformed_json', 'media_not_read_again', 'media_not_safe', 'media_quota_reached', 'memory_unavailable', 'method_not_allowed', 'model_not_found', 'model_unavailable', 'not_authenticated', 'not_found', 'nothing_to_undo', 'orders_assistant', 'overloaded', 'payload_too_large', 'permission_denied', 'persona_modes_off', 'persona_write_back_off', 'profile_consent_required', 'proposal_closed', 'qdrant_unavailable', 'rate_limited', 'reply_pending', 'research_stopped', 'sensitive_input', 'server_stopping', 'service_unavailable', 'session_archived', 'thread_closed', 'token_expired', 'token_invalid', 'token_revoked', 'unsupported_media_type', 'validation_error', 'vector_unavailable', 'writes_refused']
"""
* `answer_stands` - answer_stands
* `boundary_refused` - boundary_refused
* `consent_outdated` - consent_outdated
* `consent_scope_missing` - consent_scope_missing
* `context_length_exceeded` - context_length_exceeded
* `csrf_failed` - csrf_failed
* `entry_changed` - entry_changed
* `erasure_in_progress` - erasure_in_progress
* `financial_confirmation_required` - financial_confirmation_required
* `idempotency_conflict` - idempotency_conflict
* `import_refused` - import_refused
* `import_under_way` - import_under_way
* `internal_error` - internal_error
* `invalid_credentials` - invalid_credentials
* `kept_in_thread` - kept_in_thread
* `kind_withheld` - kind_withheld
* `learning_stopped` - learning_stopped
* `legal_profile_unknown` - legal_profile_unknown
* `malformed_json` - malformed_json
* `media_not_read_again` - media_not_read_again
* `media_not_safe` - media_not_safe
* `media_quota_reached` - media_quota_reached
* `memory_unavailable` - memory_unavailable
* `method_not_allowed` - method_not_allowed
* `model_not_found` - model_not_found
* `model_unavailable` - model_unavailable
* `not_authenticated` - not_authenticated
* `not_found` - not_found
* `nothing_to_undo` - nothing_to_undo
* `orders_assistant` - orders_assistant
* `overloaded` - overloaded
* `payload_too_large` - payload_too_large
* `permission_denied` - permission_denied
* `persona_modes_off` - persona_modes_off
* `persona_write_back_off` - persona_write_back_off
* `profile_consent_required` - profile_consent_required
* `proposal_closed` - proposal_closed
* `qdrant_unavailable` - qdrant_unavailable
* `rate_limited` - rate_limited
* `reply_pending` - reply_pending
* `research_stopped` - research_stopped
* `sensitive_input` - sensitive_input
* `server_stopping` - server_stopping
* `service_unavailable` - service_unavailable
* `session_archived` - session_archived
* `thread_closed` - thread_closed
* `token_expired` - token_expired
* `token_invalid` - token_invalid
* `token_revoked` - token_revoked
* `unsupported_media_type` - unsupported_media_type
* `validation_error` - validation_error
* `vector_unavailable` - vector_unavailable
* `writes_refused` - writes_refused
"""


class CodeInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    code: str
    """The code of an invitation link."""


CognitionObjectInputKindEnum: TypeAlias = Literal['asset', 'theme', 'event']
"""
* `asset` - Asset
* `theme` - Theme
* `event` - Event
"""


class CognitionObjectOutput(TypedDict):
    """
    The object under its one name. ``id`` is the same for all of its names; ``alias`` is what you called it, empty
    where that is its name.
    """

    kind: str
    """Which kind of object it is."""
    name: str
    """Its one name."""
    id: str
    """
    Its id.

    ``<kind>:<key>``, of an asset its ticker.
    """
    alias: str
    """What you called it; empty where that is its name."""


class ConsentAck(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    consent_id: str
    """The id of the consent that the user was shown."""


ConsentOutputSourceEnum: TypeAlias = Literal['web', 'api', 'command', 'operator', 'tenant']
"""
* `web` - Web page
* `api` - API
* `command` - Command line
* `operator` - An operator, on the person's behalf
* `tenant` - The organisation whose application serves the person
"""


class ContextBlockInput(TypedDict):
    """The same in a body."""

    query: str
    """What the prompt is about."""
    tokens: NotRequired[int]
    """The most that the text may take, by estimate; never more than a turn would be given."""
    session_id: NotRequired[str]
    """A conversation: what it still shows of itself is left out."""


class CredentialsInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    username: str
    """The user name."""
    password: str
    """The password; it is neither stored nor logged."""
    name: NotRequired[str]
    """What the token is for, shown in the list of tokens."""


DecisionEnum: TypeAlias = Literal['agree', 'decline', 'withdraw']
"""
* `agree` - agree
* `decline` - decline
* `withdraw` - withdraw
"""


class DecisionInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    decision: DecisionEnum
    """
    ``withdraw`` takes back what became knowledge already.

    * `agree` - agree
    * `decline` - decline
    * `withdraw` - withdraw
    """


DecisionReasonEnum: TypeAlias = Literal['relevance', 'recency', 'confidence', 'budget_exceeded', 'blocked', 'stated', 'outdated', 'conflict', 'superseded', 'duplicate', 'standing', 'looked_up', 'attached']
"""
* `relevance` - fits what was asked
* `recency` - recent
* `confidence` - you told me so
* `budget_exceeded` - no room
* `blocked` - blocked for safety
* `stated` - you set it yourself
* `outdated` - out of date
* `conflict` - your organisation's knowledge says otherwise
* `superseded` - no longer holds
* `duplicate` - a memory says it already
* `standing` - stands in every answer
* `looked_up` - looked up for this answer
* `attached` - you sent it with the message
"""


class DeletionReceiptOutput(TypedDict):
    """The deletion receipt."""

    receipt_id: str
    """The same as `tombstone_id`: a deletion receipt leads to its erasure, not to `/api/receipts`."""
    tombstone_id: str
    """The id of the erasure, for `GET /api/erasures/{tombstone_id}`."""
    item_count: int
    """How many memories, events, portraits and threads go."""
    estimated_completion: str
    """When it will probably be complete."""
    certificate_url: str
    """
    Opens the certificate without signing in, also when the account is gone: to be kept like a key.

    Opens the certificate without signing in, also when the account is gone: to be kept like a key.
    """


DeliveryOutputEventEnum: TypeAlias = Literal['memory.learned', 'memory.changed', 'memory.forgotten', 'erasure.completed', 'export.ready', 'task.done', 'ping']
"""
* `memory.learned` - a memory was learned
* `memory.changed` - a memory changed
* `memory.forgotten` - a memory was forgotten
* `erasure.completed` - an erasure was completed
* `export.ready` - a copy of your data is ready
* `task.done` - a long task ended
* `ping` - a test
"""


DeliveryOutputStateEnum: TypeAlias = Literal['pending', 'delivered', 'failed', 'cancelled']
"""
* `pending` - Waiting
* `delivered` - Delivered
* `failed` - Given up
* `cancelled` - Cancelled
"""


class DocumentInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    body: str
    """Empty: it goes, with its versions."""


class EffectsOutput(TypedDict):
    profile_contexts_deleted: int
    """How many statements for all conversations were deleted."""
    thread_contexts_blocked: int
    """How many statements for threads are no longer used."""
    training_candidates_revoked: int
    """How many training candidates were taken back."""
    queued_work_cancelled: int
    """How many jobs were cancelled."""
    purge_due_at: str | None
    """By when what the withdrawn scopes kept is deleted; null where nothing is."""


InputItem: TypeAlias = str


class EmbeddingsOutput(TypedDict):
    object: str
    """`list`."""
    model: str
    """The model that made the vectors."""
    data: list[dict[str, Any]]
    """One vector for each text, in their order."""
    usage: dict[str, Any]
    """The tokens of the texts, by estimate."""


EncodingFormatEnum: TypeAlias = Literal['float', 'base64']
"""
* `float` - float
* `base64` - base64
"""


class EndBody(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    request_id: str
    """The id that the caller gave the turn; with `end_seq` it names the event."""
    end_seq: NotRequired[int]
    """Which of the events of one turn it is, from 1."""
    action_summary: NotRequired[str]
    """What the turn came to, in words."""
    new_info: NotRequired[str]
    """What is new in it."""
    summary: NotRequired[str]
    """Legacy: stands in for action_summary."""
    force: NotRequired[bool]
    """End though a reply is on its way, and free the conversation for the next message."""
    occurred_at: NotRequired[str | None]
    """When it was said or happened, where that differs from when it was sent."""
    message_ids: NotRequired[list[str]]
    """The ids of the messages it was told in."""
    sender_id: NotRequired[str | None]
    """The id of who told it."""
    location: NotRequired[str]
    """Where the user is, in their words."""
    time_zone: NotRequired[str]
    """The zone of `occurred_at`; the conversation's unless said."""


EndOutputReasonEnum: TypeAlias = Literal['empty', 'cognitive_disabled', 'consent_scope_missing', 'temporary_session']
"""
* `empty` - empty
* `cognitive_disabled` - cognitive_disabled
* `consent_scope_missing` - consent_scope_missing
* `temporary_session` - temporary_session
"""


class EndUserInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    user_id: str
    """The id the person has with you."""
    display_name: NotRequired[str]
    """The name that is shown; empty for the user name."""
    time_zone: NotRequired[str]
    """A name of the IANA time zone database, such as `Asia/Shanghai`."""


class EndUserOutput(TypedDict):
    """One of your people: your id for them, ours, and the name that confirms an erasure."""

    user_id: str
    """Your id for the person."""
    id: str
    """Our id for the person."""
    username: str
    """The user name."""
    display_name: str
    """The name that is shown; empty for the user name."""
    time_zone: str
    """A name of the IANA time zone database, such as `Asia/Shanghai`."""
    created_at: str
    """When it was made."""


class EndUserPage(TypedDict):
    results: list[EndUserOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


EntityTypeEnum: TypeAlias = Literal['user', 'group']
"""
* `user` - Person
* `group` - Group
"""


EpistemicTypeEnum: TypeAlias = Literal['fact', 'opinion', 'preference', 'outdated']
"""
* `fact` - Fact
* `opinion` - Opinion
* `preference` - Preference
* `outdated` - Outdated
"""


class ErasurePreviewOutput(TypedDict):
    """What an erasure would take now: rows that go, and sentences removed from texts that stay."""

    memories: int
    """Counting earlier versions."""
    events: list[str]
    """The words of those that go."""
    rewritten_events: list[str]
    """The words of those that stay without what tells it."""
    portrait_lines: int
    """Lines of portraits that go."""
    messages: int
    """Messages of yours that lose all their words."""
    message_sentences: int
    """Sentences taken out of other messages of yours."""
    answers: int
    """Answers that lose all their words."""
    answer_sentences: int
    """Sentences taken out of other answers."""
    research: int
    """Pieces of research, with what came of them."""
    prompts: int
    """Pieces of research that a thread keeps and that lose their prompt."""


ErasureState: TypeAlias = Literal['requested', 'verified', 'tombstoned', 'queued', 'processing', 'completed', 'failed', 'retry_pending', 'escalated']
"""
* `requested` - Asked for
* `verified` - Confirmed to be yours
* `tombstoned` - Invisible
* `queued` - Waiting for its turn
* `processing` - Being erased
* `completed` - Erased and verified
* `failed` - Failed
* `retry_pending` - Waiting for another try
* `escalated` - With an operator
"""


class ErrorBody(TypedDict):
    """Every error. ``details`` maps refused fields to sentences, or explains the code."""

    code: CodeEnum
    """
    Which error it is; programs go by this.

    * `answer_stands` - answer_stands
    * `boundary_refused` - boundary_refused
    * `consent_outdated` - consent_outdated
    * `consent_scope_missing` - consent_scope_missing
    * `context_length_exceeded` - context_length_exceeded
    * `csrf_failed` - csrf_failed
    * `entry_changed` - entry_changed
    * `erasure_in_progress` - erasure_in_progress
    * `financial_confirmation_required` - financial_confirmation_required
    * `idempotency_conflict` - idempotency_conflict
    * `import_refused` - import_refused
    * `import_under_way` - import_under_way
    * `internal_error` - internal_error
    * `invalid_credentials` - invalid_credentials
    * `kept_in_thread` - kept_in_thread
    * `kind_withheld` - kind_withheld
    * `learning_stopped` - learning_stopped
    * `legal_profile_unknown` - legal_profile_unknown
    * `malformed_json` - malformed_json
    * `media_not_read_again` - media_not_read_again
    * `media_not_safe` - media_not_safe
    * `media_quota_reached` - media_quota_reached
    * `memory_unavailable` - memory_unavailable
    * `method_not_allowed` - method_not_allowed
    * `model_not_found` - model_not_found
    * `model_unavailable` - model_unavailable
    * `not_authenticated` - not_authenticated
    * `not_found` - not_found
    * `nothing_to_undo` - nothing_to_undo
    * `orders_assistant` - orders_assistant
    * `overloaded` - overloaded
    * `payload_too_large` - payload_too_large
    * `permission_denied` - permission_denied
    * `persona_modes_off` - persona_modes_off
    * `persona_write_back_off` - persona_write_back_off
    * `profile_consent_required` - profile_consent_required
    * `proposal_closed` - proposal_closed
    * `qdrant_unavailable` - qdrant_unavailable
    * `rate_limited` - rate_limited
    * `reply_pending` - reply_pending
    * `research_stopped` - research_stopped
    * `sensitive_input` - sensitive_input
    * `server_stopping` - server_stopping
    * `service_unavailable` - service_unavailable
    * `session_archived` - session_archived
    * `thread_closed` - thread_closed
    * `token_expired` - token_expired
    * `token_invalid` - token_invalid
    * `token_revoked` - token_revoked
    * `unsupported_media_type` - unsupported_media_type
    * `validation_error` - validation_error
    * `vector_unavailable` - vector_unavailable
    * `writes_refused` - writes_refused
    """
    message: str
    """What is wrong, for a person, in the language of the request."""
    details: dict[str, Any]
    """For refused fields a list of sentences each; else what explains the code. Never the caller's words."""


class EventSearchInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    query: str
    """What is asked, in the user's words."""
    target_user_id: NotRequired[str | None]
    """Only what this user told: your own id."""
    target_group_id: NotRequired[str | None]
    """Only what was told in this group."""
    top_k: NotRequired[int]
    """How many results are answered at most."""
    time_from: NotRequired[str | None]
    """What happened at this time or later."""
    time_to: NotRequired[str | None]
    """What happened before this time."""
    min_score: NotRequired[float]
    """Leave out what scores less. Scores order the results of one question; what does not bear on it never comes."""


class EventSourceOutput(TypedDict):
    """A sentence that an event was made of, and the message it is from."""

    message: str
    """The id of the message."""
    quote: str
    """The sentence."""


EventsEnum: TypeAlias = Literal['memory.learned', 'memory.changed', 'memory.forgotten', 'erasure.completed', 'export.ready', 'task.done']
"""
* `memory.learned` - a memory was learned
* `memory.changed` - a memory changed
* `memory.forgotten` - a memory was forgotten
* `erasure.completed` - an erasure was completed
* `export.ready` - a copy of your data is ready
* `task.done` - a long task ended
"""


class EvidenceInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    agreed_at: str
    """When the person agreed."""
    statement: NotRequired[str]
    """What the person saw and agreed to; or give `reference`."""
    reference: NotRequired[str]
    """Where your own record of it stands; or give `statement`."""


class EvidenceOutput(TypedDict):
    agreed_at: str
    """When the person agreed."""
    statement: str
    """What the person saw and agreed to; empty where a reference stands for it."""
    reference: str
    """Where the organisation's own record of it stands; empty for none."""
    recorded_at: str
    """When it was recorded here."""


class ExplainOutput(TypedDict):
    semantic: float
    """How near it is in meaning, from 0 to 1."""
    lexical: float
    """How well its words fit, from 0 to 1."""
    recency: float
    """How recent it is, from 0 to 1."""
    confidence_effective: float
    """How sure it is after its decay, from 0 to 1."""
    provenance: float
    """How much its origin counts, from 0 to 1."""
    frequency: float
    """How often it was of use, from 0 to 1."""


ExportState: TypeAlias = Literal['pending', 'building', 'ready', 'failed', 'expired', 'cancelled']
"""
* `pending` - Waiting
* `building` - Being built
* `ready` - Ready
* `failed` - Failed
* `expired` - Expired
* `cancelled` - Cancelled
"""


FinishReasonEnum: TypeAlias = Literal['stop', 'length']
"""
* `stop` - stop
* `length` - length
"""


class FollowUpOutput(TypedDict):
    """A question that the assistant asks of its own accord: one that a thread of the user's leaves open."""

    question_id: str
    """The id of the watch question."""
    thread_id: str
    """The id of the thread; null for none."""
    about: str
    """What the thread is about."""
    text: str
    """Its words."""


class FollowingThreadOutput(TypedDict):
    thread_id: str
    """The id of the thread; null for none."""
    title: str
    """The title."""


class GroupInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    name: str
    """The name."""


class GroupNameOutput(TypedDict):
    group_id: str
    """The id of the group; null outside of groups."""
    name: str
    """The name."""


HoldsEnum: TypeAlias = Literal['newer', 'older', 'both']
"""
* `newer` - newer
* `older` - older
* `both` - both
"""


ImportOutputStateEnum: TypeAlias = Literal['pending', 'checking', 'storing', 'done', 'refused', 'failed', 'undone', 'cancelled']
"""
* `pending` - Waiting
* `checking` - Being checked
* `storing` - Being brought in
* `done` - Brought in
* `refused` - Refused
* `failed` - Failed
* `undone` - Undone
* `cancelled` - Cancelled
"""


class InputItemsOutput(TypedDict):
    object: str
    """`list`."""
    data: list[dict[str, Any]]
    """The message that was answered."""
    first_id: str | None
    """The id of the first item; null for none."""
    last_id: str | None
    """The id of the last item; null for none."""
    has_more: bool
    """Whether there are more, which is never so."""


class IntentOutput(TypedDict):
    action_required: bool
    """Whether something is to be done besides answering."""
    intent_type: str
    """What the message asks for."""
    confidence: float
    """How sure it is, from 0 to 1."""
    extracted_entities: dict[str, list[str]]
    """What the message names, by kind."""
    context_hints: list[str]
    """Which parts of memory bear on it."""


class InvitationReceived(TypedDict):
    invitation_id: str
    """The id of the invitation."""
    group_name: str
    """The name of the group."""
    inviter_name: str
    """The name of who invites."""
    created_at: str
    """When it was made."""
    expires_at: str
    """When it ends by itself; null where it does not."""


class InvitationReceivedPage(TypedDict):
    results: list[InvitationReceived]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


InvitationSentStateEnum: TypeAlias = Literal['pending', 'accepted', 'expired']
"""
* `pending` - pending
* `accepted` - accepted
* `expired` - expired
"""


JobState: TypeAlias = Literal['pending', 'processing', 'done', 'failed', 'cancelled']
"""
* `pending` - Waiting
* `processing` - Running
* `done` - Done
* `failed` - Failed
* `cancelled` - Cancelled
"""


KeptOutputReasonEnum: TypeAlias = Literal['access', 'stated', 'learned', 'research', 'order', 'choice', 'figures', 'work', 'proof']
"""
* `access` - access
* `stated` - stated
* `learned` - learned
* `research` - research
* `order` - order
* `choice` - choice
* `figures` - figures
* `work` - work
* `proof` - proof
"""


KnowledgeKind: TypeAlias = Literal['rule', 'role_rule', 'tone', 'platform_tone', 'fact']
"""
* `rule` - Rule
* `role_rule` - How to speak to a role
* `tone` - Tone
* `platform_tone` - Tone of a platform
* `fact` - Fact
"""


KnowledgeLineOutputOutcomeEnum: TypeAlias = Literal['added', 'changed', 'same', 'refused']
"""
* `added` - added
* `changed` - changed
* `same` - the same
* `refused` - refused
"""


KnowledgeOutputStateEnum: TypeAlias = Literal['in_force', 'not_yet', 'ended']
"""
* `in_force` - in force
* `not_yet` - not yet in force
* `ended` - ended
"""


KnowledgeRelationKind: TypeAlias = Literal['pairs_with', 'part_of', 'requires', 'excludes']
"""
* `pairs_with` - goes with
* `part_of` - is part of
* `requires` - requires
* `excludes` - excludes
"""


class KnowledgeRelationOutput(TypedDict):
    relation_id: str
    """The id of the relation between two nodes."""
    from_node: str
    """The first node: ``linen-jacket``, the ``graph_node_id`` of the entries about it."""
    kind: KnowledgeRelationKind
    """
    ``part_of``: what holds for the second node holds for the first; ``requires``: the first needs the second; ``pairs_with`` and ``excludes`` have no direction.

    * `pairs_with` - goes with
    * `part_of` - is part of
    * `requires` - requires
    * `excludes` - excludes
    """
    to_node: str
    """The second node."""
    updated_at: str
    """When it last changed."""


class KnowledgeRelationPage(TypedDict):
    results: list[KnowledgeRelationOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


KnowledgeRelationVersionOutputChangeEnum: TypeAlias = Literal['created', 'changed', 'withdrawn']
"""
* `created` - written
* `changed` - changed
* `withdrawn` - withdrawn
"""


class KnowledgeUndo(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    version: int
    """The version that was read: a change since is answered 409 ``entry_changed``."""


KnowledgeVersionOutputChangeEnum: TypeAlias = Literal['created', 'changed', 'withdrawn', 'undone', 'imported']
"""
* `created` - written
* `changed` - changed
* `withdrawn` - withdrawn
* `undone` - undone
* `imported` - imported
"""


LanguagePreferenceEnum: TypeAlias = Literal['en', 'zh']
"""
* `en` - English
* `zh` - 中文
"""


LearnedChangeOutputEventEnum: TypeAlias = Literal['noted', 'changed', 'asked', 'retracted', 'preference']
"""
* `noted` - noted
* `changed` - changed
* `asked` - asked
* `retracted` - retracted
* `preference` - preference
"""


LearnedOutputStatusEnum: TypeAlias = Literal['pending', 'done', 'none']
"""
* `pending` - pending
* `done` - done
* `none` - none
"""


class LearningOfMessageOutput(TypedDict):
    """What tells when a message is learned from."""

    job_id: str | None
    """The job that reads the message, for `GET /api/jobs/{job_id}`; null where none was queued."""
    url: str
    """Where to ask what the message taught."""


class LeftOutOutput(TypedDict):
    kind: str
    """Which kind of thing it is."""
    id: str
    """Its id."""
    decision_reason: str
    """Why it was used or left out, as a code."""


LineSourceOutputKindEnum: TypeAlias = Literal['item', 'event']
"""
* `item` - item
* `event` - event
"""


LongTaskKind: TypeAlias = Literal['research', 'export', 'import']
"""
* `research` - Research
* `export` - A copy of your data
* `import` - Bringing chats in
"""


class LookaheadOutput(TypedDict):
    text: str
    """Its words."""
    dated_at: str
    """When it became known."""


class MaskedFragment(TypedDict):
    field: str
    """The field of the request."""
    kind: str
    """What kind of thing was masked."""


MediaKind: TypeAlias = Literal['image', 'document', 'audio', 'text']
"""
* `image` - Picture
* `document` - Document
* `audio` - Recording
* `text` - Text
"""


class MediaUploadInput(TypedDict):
    file: str
    """The file; its name is kept without folders, with the ending of what it is."""


class MemberInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    username: str
    """The user name."""


class MemberOutput(TypedDict):
    user_id: str
    """The id of the user whose it is; in a path `me` names the signed-in user."""
    username: str
    """The user name."""
    display_name: str
    """The name that is shown; empty for the user name."""
    is_owner: bool
    """Whether they own the group."""
    joined_at: str
    """When they became a member."""


class MemoryChangeOutput(TypedDict):
    change_id: str
    """The id of the change."""
    memory_id: str
    """The version that was changed, or that was written."""
    action: ActionEnum
    """
    What was done.

    * `added` - Learned
    * `superseded` - Replaced by a newer statement
    * `retired` - Found no longer true
    * `confirmed` - Confirmed
    * `corrected` - Corrected
    * `quarantined` - Set aside until you decide
    * `accepted` - Accepted
    * `rejected` - Rejected
    * `merged` - Merged with what says the same
    * `resolved` - A contradiction was settled
    * `calibrated` - Became more or less sure
    * `nudged` - Became a little more or less sure
    * `fused` - Held back after it was called wrong
    * `outdated` - Marked as out of date
    * `undone` - A change was undone
    """
    actor: ActorEnum
    """
    Who did it.

    * `person` - you
    * `pipeline` - learning from conversation
    * `governor` - regular upkeep
    """
    rule: str
    """The name of the rule that made it."""
    inputs: dict[str, Any]
    """What the rule went by: ids and numbers."""
    at: str
    """When."""
    undone_at: str | None
    """When it was undone; null where it was not."""


MemoryState: TypeAlias = Literal['active', 'quarantined', 'superseded', 'invalid']
"""
* `active` - In use
* `quarantined` - Not sure
* `superseded` - Replaced
* `invalid` - No longer true
"""


MemoryType: TypeAlias = Literal['observation', 'preference', 'pattern', 'insight', 'summary', 'persona_preference', 'agent_experience']
"""
* `observation` - Observation
* `preference` - Preference
* `pattern` - Habit
* `insight` - Insight
* `summary` - Summary
* `persona_preference` - How I should speak
* `agent_experience` - Experience
"""


MessageRole: TypeAlias = Literal['user', 'assistant']
"""
* `user` - Person
* `assistant` - Assistant
"""


class MessageSearchInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    query: str
    """What is asked, in the user's words."""
    top_k: NotRequired[int]
    """How many results are answered at most."""
    min_score: NotRequired[float]
    """Leave out what scores less. Scores order the results of one question; what does not bear on it never comes."""


MissingEnum: TypeAlias = Literal['acknowledgement', 'profile_consent']
"""
* `acknowledgement` - acknowledgement
* `profile_consent` - profile_consent
"""


ModeSourceEnum: TypeAlias = Literal['default', 'user', 'rule']
"""
* `default` - default
* `user` - user
* `rule` - rule
"""


class ModelOutput(TypedDict):
    id: str
    """Its id."""
    object: str
    """`model`."""
    created: int
    """`0`: nobody notes when a model was added."""
    owned_by: str
    """`finclaw`."""


class ModelsOutput(TypedDict):
    object: str
    """`list`."""
    data: list[ModelOutput]
    """The models that a request may name."""


class NoteOutput(TypedDict):
    text: str
    """What it means for the user."""
    expires_at: str
    """When it ends by itself; null where it does not."""


class NoticeOutput(TypedDict):
    version: int
    """The version of the notice."""
    sentences: list[str]
    """The notice, sentence by sentence."""
    acknowledged_at: str | None
    """Null until this version is."""


NullEnum: TypeAlias = None


class OnboardingOutput(TypedDict):
    complete: bool
    """Whether no step is missing."""
    missing: list[MissingEnum]
    """The steps that are missing, in order."""


class OpenAIErrorFields(TypedDict):
    message: str
    """What is wrong, for a person, in the language of the request."""
    type: str
    """Which sort of error it is, as OpenAI sorts them."""
    param: str | None
    """The field that was refused; null where none was."""
    code: CodeEnum
    """
    Which error it is; programs go by this.

    * `answer_stands` - answer_stands
    * `boundary_refused` - boundary_refused
    * `consent_outdated` - consent_outdated
    * `consent_scope_missing` - consent_scope_missing
    * `context_length_exceeded` - context_length_exceeded
    * `csrf_failed` - csrf_failed
    * `entry_changed` - entry_changed
    * `erasure_in_progress` - erasure_in_progress
    * `financial_confirmation_required` - financial_confirmation_required
    * `idempotency_conflict` - idempotency_conflict
    * `import_refused` - import_refused
    * `import_under_way` - import_under_way
    * `internal_error` - internal_error
    * `invalid_credentials` - invalid_credentials
    * `kept_in_thread` - kept_in_thread
    * `kind_withheld` - kind_withheld
    * `learning_stopped` - learning_stopped
    * `legal_profile_unknown` - legal_profile_unknown
    * `malformed_json` - malformed_json
    * `media_not_read_again` - media_not_read_again
    * `media_not_safe` - media_not_safe
    * `media_quota_reached` - media_quota_reached
    * `memory_unavailable` - memory_unavailable
    * `method_not_allowed` - method_not_allowed
    * `model_not_found` - model_not_found
    * `model_unavailable` - model_unavailable
    * `not_authenticated` - not_authenticated
    * `not_found` - not_found
    * `nothing_to_undo` - nothing_to_undo
    * `orders_assistant` - orders_assistant
    * `overloaded` - overloaded
    * `payload_too_large` - payload_too_large
    * `permission_denied` - permission_denied
    * `persona_modes_off` - persona_modes_off
    * `persona_write_back_off` - persona_write_back_off
    * `profile_consent_required` - profile_consent_required
    * `proposal_closed` - proposal_closed
    * `qdrant_unavailable` - qdrant_unavailable
    * `rate_limited` - rate_limited
    * `reply_pending` - reply_pending
    * `research_stopped` - research_stopped
    * `sensitive_input` - sensitive_input
    * `server_stopping` - server_stopping
    * `service_unavailable` - service_unavailable
    * `session_archived` - session_archived
    * `thread_closed` - thread_closed
    * `token_expired` - token_expired
    * `token_invalid` - token_invalid
    * `token_revoked` - token_revoked
    * `unsupported_media_type` - unsupported_media_type
    * `validation_error` - validation_error
    * `vector_unavailable` - vector_unavailable
    * `writes_refused` - writes_refused
    """
    details: NotRequired[dict[str, Any]]
    """For refused fields a list of sentences each; else what explains the code."""


OrgTierEnum: TypeAlias = Literal['brand_hq', 'regional_agent', 'franchise_store']
"""
* `brand_hq` - Brand headquarters
* `regional_agent` - Regional agent
* `franchise_store` - Franchise store
"""


class PartialOutput(TypedDict):
    part: str
    """Which part of the research it is."""
    statements: list[str]
    """The sentences."""


class PastConsentOutput(TypedDict):
    granted_at: str
    """When this consent was first given."""
    revoked_at: str | None
    """When everything was withdrawn; null while something is allowed."""
    allowed: list[str]
    """The switches that were on."""


class PatchedBodyInput(TypedDict):
    """Markdown: second-level headings are sections, every other line stands by itself."""

    body: NotRequired[str]
    """The text as Markdown."""


class PatchedCorrectionInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    content: NotRequired[str]
    """What is right."""
    reason: NotRequired[str]
    """Why, as a code or in words."""
    metadata: NotRequired[dict[str, Any]]
    """What to keep beside it; as before unless said."""


class PatchedEventCorrectionInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    canonical_text: NotRequired[str]
    """The event in one sentence that can be read alone."""


RefreshCondition: TypeAlias = str


class PatchedTitleInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    title: NotRequired[str]
    """The title."""


class PatchedUserInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    display_name: NotRequired[str]
    """The name that is shown; empty for the user name."""
    time_zone: NotRequired[str]
    """A name of the IANA time zone database, such as `Asia/Shanghai`."""
    asks_follow_ups: NotRequired[bool]
    """Whether the assistant asks questions of its own accord."""
    acknowledged_notice: NotRequired[int]
    """The version of the ``notice`` that was read."""


class PatchedWebhookChange(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    url: NotRequired[str]
    """Begins with https://, and leads into no private network."""
    events: NotRequired[list[EventsEnum]]
    """What it is told."""
    is_active: NotRequired[bool]
    """Whether it is told anything."""


PersonaDocumentKind: TypeAlias = Literal['soul', 'identity', 'user']
"""
* `soul` - soul
* `identity` - identity
* `user` - user
"""


PersonaMode: TypeAlias = Literal['rational', 'idol', 'hybrid', 'strict']
"""
* `rational` - rational
* `idol` - idol
* `hybrid` - hybrid
* `strict` - strict
"""


PerspectiveEnum: TypeAlias = Literal['sender', 'group']
"""
* `sender` - Person
* `group` - Group
"""


PlatformsEnum: TypeAlias = Literal['web', 'api', 'openai']
"""
* `web` - the web pages
* `api` - a program, through FinClaw's API
* `openai` - a program, through OpenAI's protocol
"""


PreferenceOutputSourceEnum: TypeAlias = Literal['explicit', 'repeated', 'confirmed', 'waiting']
"""
* `explicit` - explicit
* `repeated` - repeated
* `confirmed` - confirmed
* `waiting` - waiting
"""


class ProfileSearchInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    query: str
    """What is asked, in the user's words."""
    entity_type: NotRequired[EntityTypeEnum | NullEnum | None]
    """
    Only portraits of users, or of groups.

    * `user` - Person
    * `group` - Group
    """
    entity_id: NotRequired[str | None]
    """Only this portrait."""
    top_k: NotRequired[int]
    """How many results are answered at most."""
    min_score: NotRequired[float]
    """Leave out what scores less. Scores order the results of one question; what does not bear on it never comes."""


ProposalState: TypeAlias = Literal['candidate', 'agreed', 'declined', 'approved', 'rejected', 'withdrawn']
"""
* `candidate` - Waits for its person
* `agreed` - Waits for an operator
* `declined` - Declined by its person
* `approved` - Became knowledge
* `rejected` - Turned down by an operator
* `withdrawn` - Taken back
"""


ProvenanceEnum: TypeAlias = Literal['observation', 'analysis', 'confirmed_by_user']
"""
* `` -
* `observation` - observation
* `analysis` - analysis
* `confirmed_by_user` - confirmed_by_user
"""


ProvenanceOutputKindEnum: TypeAlias = Literal['observation', 'analysis', 'confirmed_by_user']
"""
* `observation` - mentioned in passing
* `analysis` - seen several times
* `confirmed_by_user` - told or confirmed by you
"""


RatingEnum: TypeAlias = Literal['thumbs_up', 'thumbs_down', 'helpful', 'not_helpful', 'agree', 'disagree']
"""
* `thumbs_up` - Thumbs up
* `thumbs_down` - Thumbs down
* `helpful` - Helpful
* `not_helpful` - Not helpful
* `agree` - Agree
* `disagree` - Disagree
"""


ReceiptOutputKindEnum: TypeAlias = Literal['retrieval', 'injection']
"""
* `retrieval` - Retrieval
* `injection` - Injection
"""


class RefreshOutput(TypedDict):
    refresh_id: str
    """The id of the refresh."""
    thread_id: str
    """The id of the thread; null for none."""
    task_id: str
    """The id of the research task."""
    snapshot_id: str
    """The id of the snapshot."""
    thesis_before: str
    """The thesis before it."""
    thesis_after: str
    """The thesis after it."""
    change_summary: str
    """What has changed, in words."""
    changed_inferences: list[ChangedOutput]
    """What has changed, inference by inference."""
    as_of: str | None
    """Nothing that became known later was used; null where all was."""
    created_at: str
    """When it was made."""


class RefreshPage(TypedDict):
    results: list[RefreshOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


RequestTypeEnum: TypeAlias = Literal['group', 'private']
"""
* `group` - Group
* `private` - Private
"""


ResearchDepthEnum: TypeAlias = Literal['quick', 'standard', 'deep']
"""
* `quick` - Quick
* `standard` - Standard
* `deep` - Deep
"""


ResearchRoute: TypeAlias = Literal['snapshot', 'thread_refresh', 'risk_challenge', 'pre_execution', 'evidence_audit', 'narrative_mapper', 'event_impact_reader']
"""
* `snapshot` - Snapshot
* `thread_refresh` - Refresh a thread
* `risk_challenge` - Challenge the risks
* `pre_execution` - Check before acting
* `evidence_audit` - Audit the evidence
* `narrative_mapper` - Map the narratives
* `event_impact_reader` - Read an event's impact
"""


class ResponseInput(TypedDict):
    """A response as OpenAI's clients ask for it; ``input`` is a text or a list of items."""

    model: str
    """`finclaw` chooses by the message which model answers; or the id of one of them."""
    stream: NotRequired[bool]
    """Whether the answer comes in pieces."""
    input: list[dict[str, Any]]
    """A text, or a list of messages, function calls and their outputs."""
    instructions: NotRequired[str]
    """Instructions of the program, for this answer alone."""
    previous_response_id: NotRequired[str]
    """The response that the input goes on from."""
    conversation: NotRequired[str]
    """The id of the conversation that the input belongs to."""
    text: NotRequired[dict[str, Any]]
    """The `format` of the answer, and its `verbosity`."""
    reasoning: NotRequired[dict[str, Any]]
    """How much the model thinks, as its `effort`."""
    max_output_tokens: NotRequired[int]
    """The longest answer in tokens, at most that of the installation."""
    temperature: NotRequired[Any]
    """Goes to the model as it is."""
    top_p: NotRequired[Any]
    """Goes to the model as it is."""
    top_k: NotRequired[Any]
    """Goes to the model as it is."""
    min_p: NotRequired[Any]
    """Goes to the model as it is."""
    stop: NotRequired[Any]
    """Goes to the model as it is."""
    seed: NotRequired[Any]
    """Goes to the model as it is."""
    presence_penalty: NotRequired[Any]
    """Goes to the model as it is."""
    frequency_penalty: NotRequired[Any]
    """Goes to the model as it is."""
    repetition_penalty: NotRequired[Any]
    """Goes to the model as it is."""
    logit_bias: NotRequired[Any]
    """Goes to the model as it is."""
    reasoning_effort: NotRequired[Any]
    """Goes to the model as it is."""
    verbosity: NotRequired[Any]
    """Goes to the model as it is."""
    response_format: NotRequired[Any]
    """Goes to the model as it is."""
    tools: NotRequired[Any]
    """Goes to the model as it is."""
    tool_choice: NotRequired[Any]
    """Goes to the model as it is."""
    parallel_tool_calls: NotRequired[Any]
    """Goes to the model as it is."""
    user: NotRequired[Any]
    """A label, which changes nothing."""
    safety_identifier: NotRequired[Any]
    """A label, which changes nothing."""
    metadata: NotRequired[Any]
    """A label, which changes nothing."""
    store: NotRequired[Any]
    """A label, which changes nothing."""
    prompt_cache_key: NotRequired[Any]
    """A label, which changes nothing."""
    prompt_cache_retention: NotRequired[Any]
    """A label, which changes nothing."""
    include: NotRequired[Any]
    """A label, which changes nothing."""
    truncation: NotRequired[Any]
    """A label, which changes nothing."""
    service_tier: NotRequired[Any]
    """A label, which changes nothing."""
    stream_options: NotRequired[Any]
    """A label, which changes nothing."""


class ResponseOutput(TypedDict):
    id: str
    """Its id."""
    object: str
    """`response`."""
    created_at: int
    """When it was made, in seconds since 1970."""
    status: str
    """How far it is, such as `completed` or `incomplete`."""
    model: str
    """The model as it was asked for."""
    output: list[dict[str, Any]]
    """What was said, and the functions that are called."""
    conversation: dict[str, Any] | None
    """The conversation that it stands in, by its `id`; null in an answer that is repeated."""
    previous_response_id: str | None
    """The response that its input went on from."""
    incomplete_details: dict[str, Any] | None
    """Why it is incomplete; null where it is not."""
    error: dict[str, Any] | None
    """Why it failed; null where it did not."""
    usage: dict[str, Any] | None
    """Its tokens; null where nobody knows them any more."""


ResultOutputKindEnum: TypeAlias = Literal['snapshot', 'refresh', 'checkpoint', 'report']
"""
* `snapshot` - Snapshot
* `refresh` - Refresh
* `checkpoint` - Checkpoint
* `report` - Report
"""


RevisionOutputChangeEnum: TypeAlias = Literal['learned', 'edited', 'rolled_back']
"""
* `learned` - learned
* `edited` - edited by you
* `rolled_back` - taken back to an earlier version
"""


RiskPromptPreferenceEnum: TypeAlias = Literal['balanced', 'counter_first', 'risk_first']
"""
* `balanced` - Balanced
* `counter_first` - Counter-arguments first
* `risk_first` - Risks first
"""


class RollbackInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    revision: NotRequired[int | None]
    """The version before, unless named."""


ScopeEnum: TypeAlias = Literal['item', 'event', 'session', 'thread', 'task', 'portrait', 'import', 'media', 'profile', 'memories', 'account']
"""
* `item` - One memory
* `event` - One event
* `session` - One conversation
* `thread` - One thread
* `task` - One piece of research
* `portrait` - One portrait
* `import` - One import
* `media` - One file
* `profile` - What I said about myself
* `memories` - Everything learned
* `account` - The account
"""


ScopesEnum: TypeAlias = Literal['memories:read', 'memories:write', 'memories:forget', 'converse']
"""
* `memories:read` - memories:read
* `memories:write` - memories:write
* `memories:forget` - memories:forget
* `converse` - converse
"""


SecurityStatus: TypeAlias = Literal['pending', 'safe', 'unsafe', 'failed']
"""
* `pending` - Being checked
* `safe` - Safe
* `unsafe` - Refused
* `failed` - Not checked
"""


class ServiceTokenInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    tenant_id: str
    """The id of the organisation; null for a user without one."""
    name: str
    """What the token is for."""


class ServiceTokenIssued(TypedDict):
    id: str
    """Its id."""
    tenant_id: str | None
    """The id of the organisation; null for a user without one."""
    name: str
    """The name."""
    created_at: str
    """When it was made."""
    expires_at: str | None
    """When it ends by itself; null where it does not."""
    last_used_at: str | None
    """When it was last used; null for never."""
    token: str
    """Shown once."""


class ServiceTokenOutput(TypedDict):
    id: str
    """Its id."""
    tenant_id: str | None
    """The id of the organisation; null for a user without one."""
    name: str
    """The name."""
    created_at: str
    """When it was made."""
    expires_at: str | None
    """When it ends by itself; null where it does not."""
    last_used_at: str | None
    """When it was last used; null for never."""


class ServiceTokenPage(TypedDict):
    results: list[ServiceTokenOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class SessionInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    group_id: NotRequired[str | None]
    """The id of the group; null outside of groups."""
    thread_id: NotRequired[str | None]
    """The thread whose context the conversation begins with."""
    persona_mode: NotRequired[PersonaMode | NullEnum | None]
    """
    In which mode the assistant speaks; the user's own unless said.

    * `rational` - rational
    * `idol` - idol
    * `hybrid` - hybrid
    * `strict` - strict
    """
    title: NotRequired[str]
    """The title."""
    time_zone: NotRequired[str]
    """A name of the IANA time zone database, such as `Asia/Shanghai`."""
    location: NotRequired[str]
    """Where the user is, in their words."""
    remember: NotRequired[bool]
    """Whether messages may be learned from."""


class SettleInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    holds: HoldsEnum
    """
    Which of the two statements is true.

    * `newer` - newer
    * `older` - older
    * `both` - both
    """


class SlicesOutput(TypedDict):
    loaded: list[str]
    """The slices that would be given."""
    skipped_missing: list[str]
    """The slices of which nothing is known."""
    blocked_by_consent: list[str]
    """The slices that consent keeps back."""
    read_from: dict[str, list[Literal['task', 'thread', 'profile', 'default', 'rows']]]
    """By slice, from which scopes it is read, the nearest first."""


class SourceOutput(TypedDict):
    kind: str
    """Which kind of thing it is."""
    id: str
    """Its id."""


SourcesEnum: TypeAlias = Literal['redact', 'keep']
"""
* `redact` - remove their words
* `keep` - keep them, and never learn from them again
"""


StandingEnum: TypeAlias = Literal['in_force', 'waiting', 'left_out', 'undone', 'past']
"""
* `in_force` - in_force
* `waiting` - waiting
* `left_out` - left_out
* `undone` - undone
* `past` - past
"""


class StateInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    mode: PersonaMode
    """
    How the assistant speaks.

    * `rational` - rational
    * `idol` - idol
    * `hybrid` - hybrid
    * `strict` - strict
    """
    ttl_turns: NotRequired[int | None]
    """How many of your messages it lasts; as your operators set it unless said."""
    notes: NotRequired[str]
    """What you want to note with the mode, in your words."""


class StateOutput(TypedDict):
    mode: PersonaMode
    """
    How the assistant speaks.

    * `rational` - rational
    * `idol` - idol
    * `hybrid` - hybrid
    * `strict` - strict
    """
    mode_source: ModeSourceEnum
    """
    Who chose the mode.

    * `default` - default
    * `user` - user
    * `rule` - rule
    """
    since: str | None
    """``null`` for the default."""
    ttl_turns: int
    """What is left of it; 0 for the default, which does not end."""
    notes: str
    """What you asked for and for how long, as noted from your message, or what you wrote with a mode."""


class StatedInput(TypedDict):
    """``null`` or an empty text states nothing; a field left out stays unchanged."""

    language_preference: NotRequired[LanguagePreferenceEnum | NullEnum | None]
    """
    The language of answers; null for that of the question.

    * `en` - English
    * `zh` - 中文
    """
    research_depth: NotRequired[ResearchDepthEnum | NullEnum | None]
    """
    How deep research goes.

    * `quick` - Quick
    * `standard` - Standard
    * `deep` - Deep
    """
    risk_prompt_preference: NotRequired[RiskPromptPreferenceEnum | NullEnum | None]
    """
    How research weighs risks.

    * `balanced` - Balanced
    * `counter_first` - Counter-arguments first
    * `risk_first` - Risks first
    """
    user_focus_reason: NotRequired[str | None]
    """Why the user looks at it, in their words."""
    research_style: NotRequired[str | None]
    """How the user likes to do research, in their words."""
    user_stated_position_context: NotRequired[str | None]
    """What the user says they hold, in their words; needs `confirm_financial`."""
    time_horizon: NotRequired[str | None]
    """For how long the user plans, in their words; needs `confirm_financial`."""
    constraints: NotRequired[str | None]
    """What the user must not or will not do, in their words; needs `confirm_financial`."""


class StatementOutput(TypedDict):
    """One sentence, when its content became known, and its sources."""

    text: str
    """Its words."""
    dated_at: str | None
    """When it became known."""
    sources: list[SourceOutput]
    """The sentences and messages it was made of."""


class StepOutput(TypedDict):
    state: ErasureState
    """
    The state.

    * `requested` - Asked for
    * `verified` - Confirmed to be yours
    * `tombstoned` - Invisible
    * `queued` - Waiting for its turn
    * `processing` - Being erased
    * `completed` - Erased and verified
    * `failed` - Failed
    * `retry_pending` - Waiting for another try
    * `escalated` - With an operator
    """
    at: str
    """When."""


class StreamOptionsInput(TypedDict):
    include_usage: NotRequired[bool]
    """Whether a stream tells its tokens."""


class SummaryBlockOutput(TypedDict):
    """A summary of messages ``from_seq`` to ``to_seq``; ``made_by`` a model, or ``extractive`` for quotations."""

    from_seq: int
    """The first message it sums up."""
    to_seq: int
    """The last message it sums up."""
    text: str
    """Its words."""
    made_by: str
    """The model that wrote it, or `extractive`."""
    created_at: str
    """When it was made."""


class SuppliedInput(TypedDict):
    """Fields stated for the thread; ``text`` is another place for what is new."""

    language_preference: NotRequired[LanguagePreferenceEnum | NullEnum | None]
    """
    The language of answers; null for that of the question.

    * `en` - English
    * `zh` - 中文
    """
    research_depth: NotRequired[ResearchDepthEnum | NullEnum | None]
    """
    How deep research goes.

    * `quick` - Quick
    * `standard` - Standard
    * `deep` - Deep
    """
    risk_prompt_preference: NotRequired[RiskPromptPreferenceEnum | NullEnum | None]
    """
    How research weighs risks.

    * `balanced` - Balanced
    * `counter_first` - Counter-arguments first
    * `risk_first` - Risks first
    """
    user_focus_reason: NotRequired[str | None]
    """Why the user looks at it, in their words."""
    research_style: NotRequired[str | None]
    """How the user likes to do research, in their words."""
    user_stated_position_context: NotRequired[str | None]
    """What the user says they hold, in their words; needs `confirm_financial`."""
    time_horizon: NotRequired[str | None]
    """For how long the user plans, in their words; needs `confirm_financial`."""
    constraints: NotRequired[str | None]
    """What the user must not or will not do, in their words; needs `confirm_financial`."""
    text: NotRequired[str]
    """Its words."""


class TaskContextOutput(TypedDict):
    """The slices of memory the task was given, and the tokens they take in a prompt, by estimate."""

    slices_loaded: list[str]
    """The slices that were given."""
    slices_skipped_missing: list[str]
    """The slices of which nothing is known."""
    slices_blocked_by_consent: list[str]
    """The slices that consent keeps back."""
    slices_read_from: dict[str, list[Literal['task', 'thread', 'profile', 'default', 'rows']]]
    """By slice, from which scopes it was read, the nearest first."""
    total_memory_tokens_estimated: int
    """The tokens they take in a prompt."""


TaskEventEventEnum: TypeAlias = Literal['progress', 'done', 'error']
"""
* `progress` - progress
* `done` - done
* `error` - error
"""


class TaskInput(TypedDict):
    """With ``as_of`` only what was known then is used; later evidence is reported and left out."""

    route: ResearchRoute
    """
    Which kind of research it is.

    * `snapshot` - Snapshot
    * `thread_refresh` - Refresh a thread
    * `risk_challenge` - Challenge the risks
    * `pre_execution` - Check before acting
    * `evidence_audit` - Audit the evidence
    * `narrative_mapper` - Map the narratives
    * `event_impact_reader` - Read an event's impact
    """
    prompt: str
    """What is to be researched, in the user's words."""
    user_context_overrides: NotRequired[StatedInput]
    """What to state for this task alone."""
    thread_id: NotRequired[str | None]
    """The thread whose context is used."""
    as_of: NotRequired[str | None]
    """Use nothing that became known later."""


class TaskPreviewInput(TypedDict):
    """Without a ``route`` one is proposed by the prompt's words."""

    route: NotRequired[ResearchRoute]
    """
    Which kind of research it is.

    * `snapshot` - Snapshot
    * `thread_refresh` - Refresh a thread
    * `risk_challenge` - Challenge the risks
    * `pre_execution` - Check before acting
    * `evidence_audit` - Audit the evidence
    * `narrative_mapper` - Map the narratives
    * `event_impact_reader` - Read an event's impact
    """
    prompt: str
    """What is to be researched, in the user's words."""
    user_context_overrides: NotRequired[StatedInput]
    """What to state for this task alone."""
    thread_id: NotRequired[str | None]
    """The thread whose context is used."""
    as_of: NotRequired[str | None]
    """Use nothing that became known later."""


class TaskPreviewOutput(TypedDict):
    route: ResearchRoute
    """
    Which kind of research it is.

    * `snapshot` - Snapshot
    * `thread_refresh` - Refresh a thread
    * `risk_challenge` - Challenge the risks
    * `pre_execution` - Check before acting
    * `evidence_audit` - Audit the evidence
    * `narrative_mapper` - Map the narratives
    * `event_impact_reader` - Read an event's impact
    """
    slices: SlicesOutput
    """The slices of memory it would be given."""
    advisors: list[str]
    """The points of view that are heard, in order."""


TaskState: TypeAlias = Literal['pending', 'running', 'completed', 'failed', 'cancelled']
"""
* `pending` - Waiting
* `running` - Running
* `completed` - Done
* `failed` - Failed
* `cancelled` - Cancelled
"""


class TaskStatusOutput(TypedDict):
    task_id: str
    """The id of the long task."""
    kind: LongTaskKind
    """
    Which kind of thing it is.

    * `research` - Research
    * `export` - A copy of your data
    * `import` - Bringing chats in
    """
    state: TaskState
    """
    How far it is, or what has become of it.

    * `pending` - Waiting
    * `running` - Running
    * `completed` - Done
    * `failed` - Failed
    * `cancelled` - Cancelled
    """
    progress: int
    """Per cent."""
    step: str
    """What it is at, as a key of its kind's; empty unless it runs."""
    is_stopping: bool
    """Whether it is cancelled before its next step."""
    is_unseen: bool
    """Whether it ended and its user has not seen that on a page yet."""
    error_code: str
    """Why it failed; empty unless it did."""
    created_at: str
    """When it was made."""
    ended_at: str | None
    """When it came to its end; null while it goes on."""
    expires_at: str | None
    """When what it made is gone; null for never."""


class TaskStatusPage(TypedDict):
    results: list[TaskStatusOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class TenantInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    name: str
    """The name."""


class TenantOutput(TypedDict):
    tenant_id: str
    """The id of the organisation; null for a user without one."""
    name: str
    """The name."""
    created_at: str
    """When it was made."""


class TenantPage(TypedDict):
    results: list[TenantOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


TextStateEnum: TypeAlias = Literal['waiting', 'read', 'unread']
"""
* `waiting` - Being read
* `read` - Read
* `unread` - Not read
"""


ThreadState: TypeAlias = Literal['open', 'closed']
"""
* `open` - Open
* `closed` - Closed
"""


TipEnum: TypeAlias = Literal['set_preferences', 'personalization_off']
"""
* `set_preferences` - set_preferences
* `personalization_off` - personalization_off
"""


class TokenIssued(TypedDict):
    token: str
    """The token: it is shown this once."""
    expires_at: str | None
    """When it ends by itself; null where it does not."""


ToolReceiptOutputKindEnum: TypeAlias = Literal['tool', 'skill', 'step']
"""
* `tool` - Tool
* `skill` - Skill
* `step` - Step of research
"""


ToolReceiptOutputOutcomeEnum: TypeAlias = Literal['done', 'by_rule', 'refused', 'failed']
"""
* `done` - Done
* `by_rule` - Done by rule, without the model
* `refused` - Refused
* `failed` - Failed
"""


TrainingCandidateOutputStatusEnum: TypeAlias = Literal['pending', 'accepted', 'rejected']
"""
* `pending` - Waits for a review
* `accepted` - Accepted
* `rejected` - Turned down
"""


TypeEnum: TypeAlias = Literal['audio', 'document', 'image', 'text']
"""
* `audio` - audio
* `document` - document
* `image` - image
* `text` - text
"""


class UnderstoodOutput(TypedDict):
    found_by_words: int
    """Messages that a search finds by their words."""
    found_by_meaning: int
    """Those of them that were read and learned from as well."""


UnsearchedBecauseEnum: TypeAlias = Literal['boundary', 'answered_by_rule', 'consent_missing', 'memory_unavailable', 'personalization_off']
"""
* `boundary` - a request to act, which is refused
* `answered_by_rule` - a rule answered it
* `consent_missing` - remembering is not allowed
* `memory_unavailable` - memory could not be read in time
* `personalization_off` - personalization is switched off
"""


class UsageOutput(TypedDict):
    prompt_tokens: int
    """Tokens that the models read."""
    completion_tokens: int
    """Tokens that the models wrote."""


UsedMemoryOutputKindEnum: TypeAlias = Literal['item', 'event', 'profile', 'context', 'turn', 'document']
"""
* `item` - item
* `event` - event
* `profile` - profile
* `context` - context
* `turn` - turn
* `document` - document
"""


UserRole: TypeAlias = Literal['owner', 'admin', 'editor', 'viewer']
"""
* `owner` - Owner
* `admin` - Admin
* `editor` - Editor
* `viewer` - Viewer
"""


WatchQuestionState: TypeAlias = Literal['open', 'resolved', 'reopened']
"""
* `open` - Open
* `resolved` - Resolved
* `reopened` - Reopened
"""


class WebhookInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    url: str
    """Begins with https://, and leads into no private network."""
    events: list[EventsEnum]
    """What it is told."""


class WebhookOutput(TypedDict):
    webhook_id: str
    """The id of the webhook."""
    url: str
    """Where requests are sent."""
    events: list[str]
    """What it is told."""
    is_active: bool
    """Whether it is told anything."""
    failures: int
    """How many attempts failed in a row."""
    paused_until: str | None
    """Nothing is sent before this time; null where nothing is held back."""
    created_at: str
    """When it was made."""


class WebhookPage(TypedDict):
    results: list[WebhookOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class WebhookWithSecretOutput(TypedDict):
    webhook_id: str
    """The id of the webhook."""
    url: str
    """Where requests are sent."""
    events: list[str]
    """What it is told."""
    is_active: bool
    """Whether it is told anything."""
    failures: int
    """How many attempts failed in a row."""
    paused_until: str | None
    """Nothing is sent before this time; null where nothing is held back."""
    created_at: str
    """When it was made."""
    secret: str
    """The secret that signs its requests: it is shown this once."""


WhyEnum: TypeAlias = Literal['itself', 'together']
"""
* `itself` - itself
* `together` - together
"""


WithdrawalStatusEnum: TypeAlias = Literal['none', 'revoked']
"""
* `none` - Consent holds
* `revoked` - Consent taken back
"""


WithheldKindsEnum: TypeAlias = Literal['observation', 'preference', 'pattern', 'insight', 'summary', 'persona_preference', 'agent_experience', 'event', 'profile', 'turn']
"""
* `observation` - observation
* `preference` - preference
* `pattern` - pattern
* `insight` - insight
* `summary` - summary
* `persona_preference` - persona_preference
* `agent_experience` - agent_experience
* `event` - event
* `profile` - profile
* `turn` - turn
"""


class ProgramListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class BookmarkListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class ContextBlockRetrieveParametersQuery(TypedDict):
    query: str
    session_id: NotRequired[str]
    tokens: NotRequired[int]


class ErasureListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class ErasureCertificateParametersQuery(TypedDict):
    secret: NotRequired[str]


class ErasurePreviewParametersQuery(TypedDict):
    scope: Literal['item', 'event', 'session']
    sources: NotRequired[Literal['redact', 'keep']]
    target_id: str


class EventListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class EventDeleteParametersQuery(TypedDict):
    sources: NotRequired[Literal['redact', 'keep']]


class ExportListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class FeedbackListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class GroupListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class GroupInvitationListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class ImportListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class ImportCreateParametersQuery(TypedDict):
    program: NotRequired[Literal['chatgpt', 'claude', 'mem0', 'zep', 'letta', 'hindsight', 'finclaw']]


class InvitationListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class KnowledgeListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    external_id: NotRequired[str]
    graph_node_id: NotRequired[str]
    kind: NotRequired[Literal['rule', 'role_rule', 'tone', 'platform_tone', 'fact']]
    page_size: NotRequired[int]
    q: NotRequired[str]
    state: NotRequired[Literal['in_force', 'not_yet', 'ended', 'all']]
    subject: NotRequired[str]


class KnowledgeWithdrawParametersQuery(TypedDict):
    version: int


class KnowledgeHistoryParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class KnowledgeImportParametersQuery(TypedDict):
    dry_run: NotRequired[bool]


class KnowledgeRelationListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    kind: NotRequired[Literal['pairs_with', 'part_of', 'requires', 'excludes']]
    node: NotRequired[str]
    page_size: NotRequired[int]


class KnowledgeRelationHistoryParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class MediaListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class MemoryListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    epistemic_type: NotRequired[Literal['fact', 'opinion', 'preference', 'outdated']]
    include_invalid: NotRequired[bool]
    known_at: NotRequired[str]
    memory_type: NotRequired[Literal['observation', 'preference', 'pattern', 'insight', 'summary', 'persona_preference', 'agent_experience']]
    metadata: NotRequired[str]
    page_size: NotRequired[int]
    q: NotRequired[str]
    state: NotRequired[Literal['active', 'quarantined', 'superseded', 'invalid']]
    valid_at: NotRequired[str]


class MemoryRetrieveParametersQuery(TypedDict):
    known_at: NotRequired[str]


class MemoryDeleteParametersQuery(TypedDict):
    sources: NotRequired[Literal['redact', 'keep']]


class ProposalListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class MessageRetryParametersQuery(TypedDict):
    stream: NotRequired[bool]


class PersonaPreferenceDeleteParametersQuery(TypedDict):
    sources: NotRequired[Literal['redact', 'keep']]


class ServiceTokenListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]
    tenant_id: NotRequired[str | None]


class TenantListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class EndUserListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class SessionListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class MessageListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class MessageSendParametersQuery(TypedDict):
    stream: NotRequired[bool]


class TaskListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class TaskRetrieveParametersQuery(TypedDict):
    stream: NotRequired[bool]


class LongTaskListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class ThreadListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class ThreadRefreshesParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class TrainingCandidateListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class ContextClearParametersQuery(TypedDict):
    field: NotRequired[list[Literal['constraints', 'language_preference', 'research_depth', 'research_style', 'risk_prompt_preference', 'time_horizon', 'user_focus_reason', 'user_stated_position_context']]]


class ConsentWithdrawParametersQuery(TypedDict):
    scope: NotRequired[list[Literal['memory_learning_allowed', 'save_to_profile', 'save_to_thread', 'training_use_allowed']]]


class ConsentHistoryParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class WebhookListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class WebhookDeliveryListParametersQuery(TypedDict):
    cursor: NotRequired[str]
    page_size: NotRequired[int]


class AccountInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    username: str
    """The user name."""
    display_name: NotRequired[str]
    """The name that is shown; empty for the user name."""
    tenant_id: NotRequired[str | None]
    """The organisation the person belongs to; null for none."""
    role: NotRequired[UserRole]
    """
    What the person may do.

    * `owner` - Owner
    * `admin` - Admin
    * `editor` - Editor
    * `viewer` - Viewer
    """


class AddedItem(TypedDict):
    """A statement that was kept, or was kept before."""

    memory_id: str
    """The id of the memory; every version has its own."""
    memory: str
    """The words of the memory; null where they are no longer kept."""
    event: AddedItemEventEnum
    """
    Whether it was added, joined to a memory, or nothing was to be written.

    * `ADD` - ADD
    * `UPDATE` - UPDATE
    * `NONE` - NONE
    """
    change_id: str | None
    """The id of the change in the memory's history; null where there was none."""
    written_at: str | None
    """When it was written; null where nothing was."""
    status: AddedItemStatusEnum | NullEnum | None
    """
    `rejected` where the same was kept before.

    * `accepted` - accepted
    * `rejected` - rejected
    * `merged` - merged
    """


class AddedMessage(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    role: MessageRole
    """
    Who speaks, `user` or `assistant`.

    * `user` - Person
    * `assistant` - Assistant
    """
    content: str
    """The words, whole."""
    name: NotRequired[str]
    """The name of who speaks."""
    timestamp: NotRequired[str | None]
    """When it was said; now unless said."""


class AddedOutput(TypedDict):
    """The answer of a write that masks sensitive input in a text; absent where nothing was."""

    masked: NotRequired[list[MaskedFragment]]
    """What was masked in the stored text, as it must not be kept; absent where nothing was."""
    results: list[AddedItem]
    """What was found, in order."""


class AdditionInput(TypedDict):
    """``messages`` or ``text``. With ``infer`` off each is kept word for word, so they must be the user's own."""

    messages: NotRequired[list[AddedMessage]]
    """The conversation to learn from; or give `text`."""
    text: NotRequired[str]
    """One message of the user's; or give `messages`."""
    infer: NotRequired[bool]
    """Whether memories are learned from it, or each message is kept word for word."""
    session_id: NotRequired[str | None]
    """The conversation to add to; a new one unless said."""
    group_id: NotRequired[str | None]
    """The group it took place in."""
    metadata: NotRequired[dict[str, Any]]
    """What to keep beside statements that are kept word for word."""
    memory_type: NotRequired[AdditionInputMemoryTypeEnum]
    """
    What a statement kept word for word is; else an insight.

    * `insight` - insight
    * `preference` - preference
    * `pattern` - pattern
    """


class BlockInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    type: TypeEnum
    """
    What the block holds.

    * `audio` - audio
    * `document` - document
    * `image` - image
    * `text` - text
    """
    text: NotRequired[str]
    """Its words."""
    media_id: NotRequired[str]
    """The id of an uploaded file."""
    text_fallback: NotRequired[str]
    """Words that stand for a file where it cannot be read."""


class BookmarkedEntryOutput(TypedDict):
    kind: KnowledgeKind
    """
    Whether it is a rule, a tone or a fact.

    * `rule` - Rule
    * `role_rule` - How to speak to a role
    * `tone` - Tone
    * `platform_tone` - Tone of a platform
    * `fact` - Fact
    """
    subject: str
    """Whom or what it is about."""
    text: str
    """What it says."""
    source: str
    """Where it is written, or who decided it; ``promoted`` for what a member shared without their name."""
    version: int
    """How often it was written, from 1."""
    valid_from: str
    """From when it holds."""
    valid_to: str | None
    """Until when it holds; null for no end."""
    updated_at: str
    """When it last changed."""


class CancelReceiptOutput(TypedDict):
    """What a request to cancel came to."""

    task_id: str
    """The id of the long task."""
    kind: LongTaskKind
    """
    Which kind of thing it is.

    * `research` - Research
    * `export` - A copy of your data
    * `import` - Bringing chats in
    """
    outcome: CancelReceiptOutputOutcomeEnum
    """
    `cancelled` at once, `stopping` before its next step, or `over` where it had ended.

    * `cancelled` - cancelled
    * `stopping` - stopping
    * `over` - over
    """
    state: TaskState
    """
    The task's, as it is now.

    * `pending` - Waiting
    * `running` - Running
    * `completed` - Done
    * `failed` - Failed
    * `cancelled` - Cancelled
    """
    cancelled_at: str | None
    """When the task ended; null while it runs."""


class CandidateOutput(TypedDict):
    kind: str
    """Which kind of thing it is."""
    id: str
    """Its id."""
    rank: int
    """Its place among the candidates, from 1."""
    status: CandidateOutputStatusEnum
    """
    Whether it was used or left out.

    * `accepted` - Used
    * `rejected` - Left out
    """
    decision_reason: DecisionReasonEnum
    """
    Why it was used or left out, as a code.

    * `relevance` - fits what was asked
    * `recency` - recent
    * `confidence` - you told me so
    * `budget_exceeded` - no room
    * `blocked` - blocked for safety
    * `stated` - you set it yourself
    * `outdated` - out of date
    * `conflict` - your organisation's knowledge says otherwise
    * `superseded` - no longer holds
    * `duplicate` - a memory says it already
    * `standing` - stands in every answer
    * `looked_up` - looked up for this answer
    * `attached` - you sent it with the message
    """
    context_position: int | None
    """Its place in the prompt, from 0; null where it was left out."""
    utilized: bool | None
    """Whether the answer made use of it; null where that is not known."""
    user_feedback_signal: str
    """How the user took the answer that used it: `positive`, `negative`, or neither."""


class ChangeOutput(TypedDict):
    memory_id: str
    """The id of the memory; every version has its own."""
    memory: str | None
    """null where it is no longer kept."""
    event: ChangeOutputEventEnum
    """
    What became of it.

    * `ADD` - ADD
    * `UPDATE` - UPDATE
    * `SUPERSEDE` - SUPERSEDE
    * `MERGE` - MERGE
    * `NONE` - NONE
    """


class ChatCompletionInput(TypedDict):
    """A chat completion as OpenAI's clients ask for it."""

    model: str
    """`finclaw` chooses by the message which model answers; or the id of one of them."""
    stream: NotRequired[bool]
    """Whether the answer comes in pieces."""
    messages: list[dict[str, Any]]
    """The conversation as the program knows it, the message last."""
    stream_options: NotRequired[StreamOptionsInput]
    """With `include_usage` a stream tells its tokens."""
    max_tokens: NotRequired[int]
    """The longest answer in tokens, at most that of the installation."""
    max_completion_tokens: NotRequired[int]
    """The longest answer in tokens, at most that of the installation."""
    n: NotRequired[int]
    """How many answers are wanted, which is one."""
    temperature: NotRequired[Any]
    """Goes to the model as it is."""
    top_p: NotRequired[Any]
    """Goes to the model as it is."""
    top_k: NotRequired[Any]
    """Goes to the model as it is."""
    min_p: NotRequired[Any]
    """Goes to the model as it is."""
    stop: NotRequired[Any]
    """Goes to the model as it is."""
    seed: NotRequired[Any]
    """Goes to the model as it is."""
    presence_penalty: NotRequired[Any]
    """Goes to the model as it is."""
    frequency_penalty: NotRequired[Any]
    """Goes to the model as it is."""
    repetition_penalty: NotRequired[Any]
    """Goes to the model as it is."""
    logit_bias: NotRequired[Any]
    """Goes to the model as it is."""
    reasoning_effort: NotRequired[Any]
    """Goes to the model as it is."""
    verbosity: NotRequired[Any]
    """Goes to the model as it is."""
    response_format: NotRequired[Any]
    """Goes to the model as it is."""
    tools: NotRequired[Any]
    """Goes to the model as it is."""
    tool_choice: NotRequired[Any]
    """Goes to the model as it is."""
    parallel_tool_calls: NotRequired[Any]
    """Goes to the model as it is."""
    user: NotRequired[Any]
    """A label, which changes nothing."""
    safety_identifier: NotRequired[Any]
    """A label, which changes nothing."""
    metadata: NotRequired[Any]
    """A label, which changes nothing."""
    store: NotRequired[Any]
    """A label, which changes nothing."""
    prompt_cache_key: NotRequired[Any]
    """A label, which changes nothing."""
    prompt_cache_retention: NotRequired[Any]
    """A label, which changes nothing."""


class CheckpointOutput(TypedDict):
    checkpoint_id: str
    """The id of the checkpoint."""
    task_id: str
    """The id of the research task."""
    thread_id: str | None
    """The id of the thread; null for none."""
    decision: str
    """What is to be decided."""
    conditions: list[StatementOutput]
    """What must hold for the decision to be right."""
    risks: list[StatementOutput]
    """What may go wrong."""
    invalidators: list[StatementOutput]
    """What would make the thesis wrong."""
    told: list[StatementOutput]
    """What the user had told before."""
    data_quality_note: str
    """How good the material was."""
    model_id: str
    """The model that wrote it; empty where none did."""
    as_of: str | None
    """Nothing that became known later was used; null where all was."""
    created_at: str
    """When it was made."""


class CognitionObjectInput(TypedDict):
    """What a piece of research is about, in your words; a ticker, a company's name and its Chinese one are the same."""

    kind: CognitionObjectInputKindEnum
    """
    Which kind of object it is.

    * `asset` - Asset
    * `theme` - Theme
    * `event` - Event
    """
    name: str
    """What you call it."""


class ConsentOutput(TypedDict):
    consent_id: str
    """The id of the consent; it stays the same from version to version until everything is withdrawn."""
    version: int
    """Which version it is, from 1."""
    save_to_thread: bool
    """Whether what was stated is kept with threads."""
    save_to_profile: bool
    """Whether what was stated is kept for all conversations."""
    training_use_allowed: bool
    """Whether research may be set aside as a training example."""
    memory_learning_allowed: bool
    """Whether memories are learned from conversations and used in them."""
    granted_at: str
    """When this consent was first given."""
    changed_at: str
    """When this version was made."""
    revoked_at: str | None
    """When everything was withdrawn; null while something is allowed."""
    source: ConsentOutputSourceEnum
    """
    Where the decision was made.

    * `web` - Web page
    * `api` - API
    * `command` - Command line
    * `operator` - An operator, on the person's behalf
    * `tenant` - The organisation whose application serves the person
    """


class ConsentPage(TypedDict):
    results: list[ConsentOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class ContextBlockOutput(TypedDict):
    text: str
    """Escaped and tagged as in our own prompts: information, never instructions."""
    tokens: int
    """Of the text, by estimate."""
    parts: list[BlockPartOutput]
    """What the text holds, in its order."""
    left_out: list[LeftOutOutput]
    """What was found and left out."""
    withheld: str
    """Why memory was not searched; empty where it was."""
    degraded: list[str]
    """What was unavailable, by codes such as `vector_unavailable`; empty where nothing was."""


class ContextOutput(TypedDict):
    """Fields that were never stated, or lack consent, are ``null``."""

    language_preference: LanguagePreferenceEnum | NullEnum | None
    """
    The language of answers; null for that of the question.

    * `en` - English
    * `zh` - 中文
    """
    research_depth: ResearchDepthEnum | NullEnum | None
    """
    How deep research goes.

    * `quick` - Quick
    * `standard` - Standard
    * `deep` - Deep
    """
    risk_prompt_preference: RiskPromptPreferenceEnum | NullEnum | None
    """
    How research weighs risks.

    * `balanced` - Balanced
    * `counter_first` - Counter-arguments first
    * `risk_first` - Risks first
    """
    user_focus_reason: str | None
    """Why the user looks at it, in their words."""
    research_style: str | None
    """How the user likes to do research, in their words."""
    user_stated_position_context: str | None
    """What the user says they hold, in their words; needs `confirm_financial`."""
    time_horizon: str | None
    """For how long the user plans, in their words; needs `confirm_financial`."""
    constraints: str | None
    """What the user must not or will not do, in their words; needs `confirm_financial`."""
    training_excluded: bool | None
    """Whether no training example may draw on it: you took that consent back."""
    updated_at: str | None
    """When it last changed."""


class CorrectedEventOutput(TypedDict):
    """The answer of a write that masks sensitive input in a text; absent where nothing was."""

    event_id: str
    """The id of the event, `request_id:end_seq`."""
    request_id: str
    """The id that the caller gave the turn; with `end_seq` it names the event."""
    end_seq: int
    """Which of the events of one turn it is, from 1."""
    part: int
    """Which part of an event of several sentences it is, from 1; 0 where it has one."""
    perspective: PerspectiveEnum
    """
    Whether the sender tells it, or it is told of a group.

    * `sender` - Person
    * `group` - Group
    """
    canonical_text: str
    """The event in one sentence that can be read alone."""
    did_what: str
    """What was done."""
    new_info: str
    """What is new in it."""
    has_new_info: bool
    """Whether something in it is new."""
    timestamp_utc: str
    """When it happened, in UTC."""
    timestamp_local: str
    """When it happened, as the clock there showed it."""
    timezone: str
    """The time zone of `timestamp_local`."""
    speaks_of_start: str | None
    """From when what it tells of goes on; null where it names no time."""
    speaks_of_end: str | None
    """Until when what it tells of goes on; null where it names no time."""
    location_abs: str
    """Where it happened, as a place that can be understood alone."""
    request_type: RequestTypeEnum
    """
    Whether it was told in a group or in private.

    * `group` - Group
    * `private` - Private
    """
    user_id: str
    """The id of the user whose it is; in a path `me` names the signed-in user."""
    group_id: str | None
    """The id of the group; null outside of groups."""
    session_id: str
    """The id of the conversation."""
    sender_id: str
    """The id of who told it."""
    message_ids: list[str]
    """The ids of the messages it was told in."""
    sources: list[EventSourceOutput]
    """The sentences and messages it was made of."""
    schema_version: str
    """The version of the shape it is stored in."""
    created_at: str
    """When it was made."""
    masked: NotRequired[list[MaskedFragment]]
    """What was masked in the stored text, as it must not be kept; absent where nothing was."""


class DeliveryOutput(TypedDict):
    delivery_id: str
    """The ``webhook-id`` of every attempt."""
    event: DeliveryOutputEventEnum
    """
    What it was told.

    * `memory.learned` - a memory was learned
    * `memory.changed` - a memory changed
    * `memory.forgotten` - a memory was forgotten
    * `erasure.completed` - an erasure was completed
    * `export.ready` - a copy of your data is ready
    * `task.done` - a long task ended
    * `ping` - a test
    """
    subject_id: str
    """The id of what the event speaks of."""
    state: DeliveryOutputStateEnum
    """
    How far it is, or what has become of it.

    * `pending` - Waiting
    * `delivered` - Delivered
    * `failed` - Given up
    * `cancelled` - Cancelled
    """
    attempts: int
    """How often it was sent."""
    status_code: int | None
    """What the address answered last; null where it did not."""
    failure: str
    """Why the last attempt failed; empty where none did."""
    next_attempt_at: str | None
    """When it is sent again; null where it is not."""
    created_at: str
    """When it was made."""
    finished_at: str | None
    """When it came to its end; null before."""


class DeliveryPage(TypedDict):
    results: list[DeliveryOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class DocumentOutput(TypedDict):
    """``version`` 0 is the text shipped with FinClaw, or an unwritten one."""

    kind: PersonaDocumentKind
    """
    Which kind of thing it is.

    * `soul` - soul
    * `identity` - identity
    * `user` - user
    """
    body: str
    """The text as Markdown."""
    version: int
    """Which version it is, from 1."""
    updated_at: str | None
    """When it last changed."""


class DocumentsOutput(TypedDict):
    soul: DocumentOutput
    """What the assistant is."""
    identity: DocumentOutput
    """Who the assistant is to this organisation."""
    user: DocumentOutput
    """How the user wants to be served, in their words."""


class EmbeddingsInput(TypedDict):
    """``input`` is one text or a list of texts; numbers of tokens are not taken."""

    model: str
    """`finclaw`, or the id of the model that memories are found with."""
    input: list[InputItem]
    """One text, or a list of texts."""
    encoding_format: NotRequired[EncodingFormatEnum]
    """
    Whether a vector is numbers, or their bytes in base64.

    * `float` - float
    * `base64` - base64
    """
    dimensions: NotRequired[int]
    """How many dimensions the vectors have; of another model than there is it is refused."""
    user: NotRequired[str]
    """A label; of a service token, whom the request is for."""


class EndOutput(TypedDict):
    """The answer of a write that masks sensitive input in a text; absent where nothing was."""

    masked: NotRequired[list[MaskedFragment]]
    """What was masked in the stored text, as it must not be kept; absent where nothing was."""
    event_id: str | None
    """The id that the event will have; null where none comes of it."""
    queued: bool
    """Whether an event is being written."""
    reason: EndOutputReasonEnum | NullEnum | None
    """
    Why nothing is written; null where something is.

    * `empty` - empty
    * `cognitive_disabled` - cognitive_disabled
    * `consent_scope_missing` - consent_scope_missing
    * `temporary_session` - temporary_session
    """
    job_id: str | None
    """The job that writes the event; null where nothing is written."""


class EndUserConsentInput(TypedDict):
    """What the person agreed to, and the evidence: the ``statement`` they saw, or a ``reference`` to your record."""

    save_to_thread: NotRequired[bool]
    """Whether what was stated is kept with threads."""
    save_to_profile: NotRequired[bool]
    """Whether what was stated is kept for all conversations."""
    training_use_allowed: NotRequired[bool]
    """Whether research may be set aside as a training example."""
    memory_learning_allowed: NotRequired[bool]
    """Whether memories are learned from conversations and used in them."""
    evidence: EvidenceInput
    """How it is known that the person agreed."""


class EndUserConsentOutput(TypedDict):
    consent: ConsentOutput | None
    """The consent that holds; null where the user never decided."""
    evidence: EvidenceOutput | None
    """The evidence recorded last; null for none."""


class ErasureInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    confirm: str
    """Your user name."""
    scope: ScopeEnum
    """
    What is forgotten.

    * `item` - One memory
    * `event` - One event
    * `session` - One conversation
    * `thread` - One thread
    * `task` - One piece of research
    * `portrait` - One portrait
    * `import` - One import
    * `media` - One file
    * `profile` - What I said about myself
    * `memories` - Everything learned
    * `account` - The account
    """
    target_id: NotRequired[str]
    """The id of what is forgotten; for `profile`, `memories` and `account` none."""
    sources: NotRequired[SourcesEnum]
    """
    Whether what tells of it is removed from messages, or they are kept as they are.

    * `redact` - remove their words
    * `keep` - keep them, and never learn from them again
    """


class EventOutput(TypedDict):
    event_id: str
    """The id of the event, `request_id:end_seq`."""
    request_id: str
    """The id that the caller gave the turn; with `end_seq` it names the event."""
    end_seq: int
    """Which of the events of one turn it is, from 1."""
    part: int
    """Which part of an event of several sentences it is, from 1; 0 where it has one."""
    perspective: PerspectiveEnum
    """
    Whether the sender tells it, or it is told of a group.

    * `sender` - Person
    * `group` - Group
    """
    canonical_text: str
    """The event in one sentence that can be read alone."""
    did_what: str
    """What was done."""
    new_info: str
    """What is new in it."""
    has_new_info: bool
    """Whether something in it is new."""
    timestamp_utc: str
    """When it happened, in UTC."""
    timestamp_local: str
    """When it happened, as the clock there showed it."""
    timezone: str
    """The time zone of `timestamp_local`."""
    speaks_of_start: str | None
    """From when what it tells of goes on; null where it names no time."""
    speaks_of_end: str | None
    """Until when what it tells of goes on; null where it names no time."""
    location_abs: str
    """Where it happened, as a place that can be understood alone."""
    request_type: RequestTypeEnum
    """
    Whether it was told in a group or in private.

    * `group` - Group
    * `private` - Private
    """
    user_id: str
    """The id of the user whose it is; in a path `me` names the signed-in user."""
    group_id: str | None
    """The id of the group; null outside of groups."""
    session_id: str
    """The id of the conversation."""
    sender_id: str
    """The id of who told it."""
    message_ids: list[str]
    """The ids of the messages it was told in."""
    sources: list[EventSourceOutput]
    """The sentences and messages it was made of."""
    schema_version: str
    """The version of the shape it is stored in."""
    created_at: str
    """When it was made."""


class EventPage(TypedDict):
    results: list[EventOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class EventPartsOutput(TypedDict):
    """An event: its first part, and under ``parts`` all of them."""

    event_id: str
    """The id of the event, `request_id:end_seq`."""
    request_id: str
    """The id that the caller gave the turn; with `end_seq` it names the event."""
    end_seq: int
    """Which of the events of one turn it is, from 1."""
    part: int
    """Which part of an event of several sentences it is, from 1; 0 where it has one."""
    perspective: PerspectiveEnum
    """
    Whether the sender tells it, or it is told of a group.

    * `sender` - Person
    * `group` - Group
    """
    canonical_text: str
    """The event in one sentence that can be read alone."""
    did_what: str
    """What was done."""
    new_info: str
    """What is new in it."""
    has_new_info: bool
    """Whether something in it is new."""
    timestamp_utc: str
    """When it happened, in UTC."""
    timestamp_local: str
    """When it happened, as the clock there showed it."""
    timezone: str
    """The time zone of `timestamp_local`."""
    speaks_of_start: str | None
    """From when what it tells of goes on; null where it names no time."""
    speaks_of_end: str | None
    """Until when what it tells of goes on; null where it names no time."""
    location_abs: str
    """Where it happened, as a place that can be understood alone."""
    request_type: RequestTypeEnum
    """
    Whether it was told in a group or in private.

    * `group` - Group
    * `private` - Private
    """
    user_id: str
    """The id of the user whose it is; in a path `me` names the signed-in user."""
    group_id: str | None
    """The id of the group; null outside of groups."""
    session_id: str
    """The id of the conversation."""
    sender_id: str
    """The id of who told it."""
    message_ids: list[str]
    """The ids of the messages it was told in."""
    sources: list[EventSourceOutput]
    """The sentences and messages it was made of."""
    schema_version: str
    """The version of the shape it is stored in."""
    created_at: str
    """When it was made."""
    parts: list[EventOutput]
    """All parts, in order."""


class ExportOutput(TypedDict):
    export_id: str
    """The id of the export."""
    state: ExportState
    """
    How far it is, or what has become of it.

    * `pending` - Waiting
    * `building` - Being built
    * `ready` - Ready
    * `failed` - Failed
    * `expired` - Expired
    * `cancelled` - Cancelled
    """
    progress: int
    """Per cent."""
    size: int | None
    """In bytes."""
    sha256: str
    """Of the archive; empty until it is ready."""
    expires_at: str | None
    """When it ends by itself; null where it does not."""
    download_url: str | None
    """Opens the archive without signing in until it expires; null until it is ready."""


class ExportPage(TypedDict):
    results: list[ExportOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class FeedbackInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    rating: RatingEnum
    """
    Whether the memory serves you.

    * `thumbs_up` - Thumbs up
    * `thumbs_down` - Thumbs down
    * `helpful` - Helpful
    * `not_helpful` - Not helpful
    * `agree` - Agree
    * `disagree` - Disagree
    """
    comment: NotRequired[str]
    """Read by nobody yet, and not kept."""


class FiltersInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    memory_type: NotRequired[MemoryType]
    """
    Which kind of memory it is.

    * `observation` - Observation
    * `preference` - Preference
    * `pattern` - Habit
    * `insight` - Insight
    * `summary` - Summary
    * `persona_preference` - How I should speak
    * `agent_experience` - Experience
    """
    epistemic_type: NotRequired[EpistemicTypeEnum]
    """
    Whether it is a fact, an opinion, a preference, or out of date.

    * `fact` - Fact
    * `opinion` - Opinion
    * `preference` - Preference
    * `outdated` - Outdated
    """
    category: NotRequired[str]
    """What it is about, in one word."""
    group_id: NotRequired[str]
    """Only what was told in this group."""


class FoundEventOutput(TypedDict):
    event_id: str
    """The id of the event, `request_id:end_seq`."""
    request_id: str
    """The id that the caller gave the turn; with `end_seq` it names the event."""
    end_seq: int
    """Which of the events of one turn it is, from 1."""
    part: int
    """Which part of an event of several sentences it is, from 1; 0 where it has one."""
    perspective: PerspectiveEnum
    """
    Whether the sender tells it, or it is told of a group.

    * `sender` - Person
    * `group` - Group
    """
    canonical_text: str
    """The event in one sentence that can be read alone."""
    did_what: str
    """What was done."""
    new_info: str
    """What is new in it."""
    has_new_info: bool
    """Whether something in it is new."""
    timestamp_utc: str
    """When it happened, in UTC."""
    timestamp_local: str
    """When it happened, as the clock there showed it."""
    timezone: str
    """The time zone of `timestamp_local`."""
    speaks_of_start: str | None
    """From when what it tells of goes on; null where it names no time."""
    speaks_of_end: str | None
    """Until when what it tells of goes on; null where it names no time."""
    location_abs: str
    """Where it happened, as a place that can be understood alone."""
    request_type: RequestTypeEnum
    """
    Whether it was told in a group or in private.

    * `group` - Group
    * `private` - Private
    """
    user_id: str
    """The id of the user whose it is; in a path `me` names the signed-in user."""
    group_id: str | None
    """The id of the group; null outside of groups."""
    session_id: str
    """The id of the conversation."""
    sender_id: str
    """The id of who told it."""
    message_ids: list[str]
    """The ids of the messages it was told in."""
    sources: list[EventSourceOutput]
    """The sentences and messages it was made of."""
    schema_version: str
    """The version of the shape it is stored in."""
    created_at: str
    """When it was made."""
    score: float
    """How well it answers, from 0; it orders the results of one question."""


class FoundEventsOutput(TypedDict):
    results: list[FoundEventOutput]
    """What was found, in order."""
    degraded: list[str]
    """What was unavailable, by codes such as `vector_unavailable`; empty where nothing was."""


class FoundMessageOutput(TypedDict):
    message_id: str
    """The id of the message."""
    session_id: str
    """The id of the conversation."""
    user_id: str
    """The id of the user whose it is; in a path `me` names the signed-in user."""
    seq: int
    """Its place in the conversation, from 1."""
    role: MessageRole
    """
    Who speaks, `user` or `assistant`.

    * `user` - Person
    * `assistant` - Assistant
    """
    speaker: str
    """The name of who speaks."""
    content: str
    """The words, whole."""
    content_blocks: list[dict[str, Any]]
    """A block of type ``redacted`` stands where sentences were forgotten; it has no words."""
    occurred_at: str
    """When it was said or happened, where that differs from when it was sent."""
    created_at: str
    """When it was made."""
    title: str
    """The conversation's."""
    score: float
    """How well it answers, from 0; it orders the results of one question."""


class FoundMessagesOutput(TypedDict):
    results: list[FoundMessageOutput]
    """What was found, in order."""
    degraded: list[str]
    """What was unavailable, by codes such as `vector_unavailable`; empty where nothing was."""


class GivenFeedbackOutput(TypedDict):
    """``seen_at`` is when an operator read it, ``note`` what they wrote about it."""

    feedback_id: str
    """The id of the feedback."""
    related_object_ref: str
    """What was rated: its kind and its id."""
    rating: RatingEnum
    """
    How it was rated.

    * `thumbs_up` - Thumbs up
    * `thumbs_down` - Thumbs down
    * `helpful` - Helpful
    * `not_helpful` - Not helpful
    * `agree` - Agree
    * `disagree` - Disagree
    """
    comment: str
    """What the user adds, in their words."""
    created_at: str
    """When it was made."""
    seen_at: str | None
    """When an operator read it; null before."""
    note: str
    """What an operator wrote about it."""


class GivenFeedbackPage(TypedDict):
    results: list[GivenFeedbackOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class GroupOutput(TypedDict):
    group_id: str
    """The id of the group; null outside of groups."""
    name: str
    """The name."""
    created_at: str
    """When it was made."""
    members: list[MemberOutput]
    """The present members, owners among them."""


class GroupPage(TypedDict):
    results: list[GroupOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class ImportOutput(TypedDict):
    import_id: str
    """The id of the import."""
    state: ImportOutputStateEnum
    """
    How far it is, or what has become of it.

    * `pending` - Waiting
    * `checking` - Being checked
    * `storing` - Being brought in
    * `done` - Brought in
    * `refused` - Refused
    * `failed` - Failed
    * `undone` - Undone
    * `cancelled` - Cancelled
    """
    assistant: str
    """The assistant that the file is from; empty until it is known."""
    size: int
    """In bytes."""
    conversations: int
    """How many conversations the file holds."""
    messages: int
    """How many messages the file holds."""
    read: int
    """Conversations so far, statements apart."""
    recorded: int
    """Messages and statements added."""
    known: int
    """Messages and statements that were there before."""
    left_out: int
    """Messages and statements that hold what must not be kept."""
    reason: str
    """Why it was refused, with the line; empty otherwise."""
    past_consents: list[PastConsentOutput]
    """What an archive records of its own: told, never applied."""
    understood: UnderstoodOutput
    """How far learning has come."""
    created_at: str
    """When it was made."""
    finished_at: str | None
    """When it came to its end; null before."""


class ImportPage(TypedDict):
    results: list[ImportOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class InvitationSent(TypedDict):
    """
    ``username`` is as you typed it, empty for a link, whose ``code`` admits one person while it is ``pending``. A
    declined invitation stays ``pending`` until it expires.
    """

    invitation_id: str
    """The id of the invitation."""
    group_id: str
    """The id of the group; null outside of groups."""
    username: str
    """The user name."""
    state: InvitationSentStateEnum
    """
    How far it is, or what has become of it.

    * `pending` - pending
    * `accepted` - accepted
    * `expired` - expired
    """
    code: str
    """The code that admits one person; empty unless it is a link that waits."""
    created_at: str
    """When it was made."""
    expires_at: str
    """When it ends by itself; null where it does not."""


class InvitationSentPage(TypedDict):
    results: list[InvitationSent]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class JobOutput(TypedDict):
    job_id: str
    """The id of the job in the background, for `GET /api/jobs/{job_id}`."""
    state: JobState
    """
    How far it is, or what has become of it.

    * `pending` - Waiting
    * `processing` - Running
    * `done` - Done
    * `failed` - Failed
    * `cancelled` - Cancelled
    """
    progress: float
    """0 until it is done, then 1."""
    results: list[ChangeOutput]
    """What was found, in order."""


class KeptOutput(TypedDict):
    place: str
    """The table."""
    rows: int
    """How many rows."""
    reason: KeptOutputReasonEnum
    """
    Why they are kept.

    * `access` - access
    * `stated` - stated
    * `learned` - learned
    * `research` - research
    * `order` - order
    * `choice` - choice
    * `figures` - figures
    * `work` - work
    * `proof` - proof
    """


class KnowledgeInput(TypedDict):
    """The fields of an entry that its writers choose, none of them required."""

    kind: NotRequired[KnowledgeKind]
    """
    A rule goes before memories of the same subject and slot; a role_rule says how to speak to some roles, a tone how the organisation speaks, a platform_tone how it does on some platforms; a fact is found by its words.

    * `rule` - Rule
    * `role_rule` - How to speak to a role
    * `tone` - Tone
    * `platform_tone` - Tone of a platform
    * `fact` - Fact
    """
    subject: NotRequired[str]
    """Whom or what it is about, as memories word it."""
    slot: NotRequired[str]
    """What of it a rule settles: ``reply_style``."""
    source: NotRequired[str]
    """Where it is written, or who decided it."""
    external_id: NotRequired[str]
    """Your own id of it, by which imports find it."""
    graph_node_id: NotRequired[str]
    """The node of the organisation's graph that it is about: ``linen-jacket``; empty for none."""
    org_tiers: NotRequired[list[OrgTierEnum]]
    """For which tiers it holds; empty for all."""
    roles: NotRequired[list[UserRole]]
    """For which roles it holds; empty for all."""
    platforms: NotRequired[list[PlatformsEnum]]
    """On which platforms it holds; empty for all."""
    valid_from: NotRequired[str]
    """From when it holds; now unless said."""
    valid_to: NotRequired[str | None]
    """Until when it holds; null for no end."""
    text: str
    """What it says."""


class KnowledgeLineOutput(TypedDict):
    line: int
    """Where the entry begins in the file."""
    outcome: KnowledgeLineOutputOutcomeEnum
    """
    What becomes of it.

    * `added` - added
    * `changed` - changed
    * `same` - the same
    * `refused` - refused
    """
    external_id: str
    """Your own id of it; empty for none."""
    knowledge_id: str | None
    """The id of its entry; null where none is stored."""
    reason: str
    """Why it is refused; empty where it is not."""


class KnowledgeOutput(TypedDict):
    knowledge_id: str
    """The id of the entry of what the organisation knows."""
    kind: KnowledgeKind
    """
    A rule goes before memories of the same subject and slot; a role_rule says how to speak to some roles, a tone how the organisation speaks, a platform_tone how it does on some platforms; a fact is found by its words.

    * `rule` - Rule
    * `role_rule` - How to speak to a role
    * `tone` - Tone
    * `platform_tone` - Tone of a platform
    * `fact` - Fact
    """
    subject: str
    """Whom or what it is about."""
    slot: str
    """For a rule that overrules memories: what of the subject it settles, such as reply_style."""
    text: str
    """What it says."""
    source: str
    """Where it is written, or who decided it."""
    external_id: str
    """The organisation's own id of it: an import with the same one changes this entry."""
    graph_node_id: str
    """The node of the organisation's graph that it is about: ``linen-jacket``; empty for none."""
    org_tiers: list[OrgTierEnum]
    """Where it holds: brand_hq, regional_agent, franchise_store, separated by commas. Empty: all."""
    roles: list[UserRole]
    """For whom it holds: owner, admin, editor, viewer, separated by commas. Empty: all."""
    platforms: list[PlatformsEnum]
    """On which platforms it holds: web, api, openai, separated by commas. Empty: all."""
    valid_from: str
    """From when it holds."""
    valid_to: str | None
    """Until when it holds; null for no end."""
    state: KnowledgeOutputStateEnum
    """
    Whether it holds now.

    * `in_force` - in force
    * `not_yet` - not yet in force
    * `ended` - ended
    """
    version: int
    """How often it was written, from 1."""
    is_shared: bool
    """Whether a member shared it, without their name."""
    created_at: str
    """When it was made."""
    updated_at: str
    """When it last changed."""


class KnowledgePage(TypedDict):
    results: list[KnowledgeOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class KnowledgeRelationInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    from_node: str
    """The first node: ``linen-jacket``, the ``graph_node_id`` of the entries about it."""
    kind: KnowledgeRelationKind
    """
    ``part_of``: what holds for the second node holds for the first; ``requires``: the first needs the second; ``pairs_with`` and ``excludes`` have no direction.

    * `pairs_with` - goes with
    * `part_of` - is part of
    * `requires` - requires
    * `excludes` - excludes
    """
    to_node: str
    """The second node."""


class KnowledgeRelationVersionOutput(TypedDict):
    relation_id: str
    """The id of the relation between two nodes."""
    change: KnowledgeRelationVersionOutputChangeEnum
    """
    What made this version.

    * `created` - written
    * `changed` - changed
    * `withdrawn` - withdrawn
    """
    changed_at: str
    """When this version was made."""
    changed_by: str
    """The member who did; empty for an operator, and for who has left."""
    from_node: str
    """The first node: ``linen-jacket``, the ``graph_node_id`` of the entries about it."""
    kind: KnowledgeRelationKind
    """
    ``part_of``: what holds for the second node holds for the first; ``requires``: the first needs the second; ``pairs_with`` and ``excludes`` have no direction.

    * `pairs_with` - goes with
    * `part_of` - is part of
    * `requires` - requires
    * `excludes` - excludes
    """
    to_node: str
    """The second node."""


class KnowledgeRelationVersionPage(TypedDict):
    results: list[KnowledgeRelationVersionOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class KnowledgeVersionOutput(TypedDict):
    version: int
    """The number of this version, from 1."""
    change: KnowledgeVersionOutputChangeEnum
    """
    What made this version.

    * `created` - written
    * `changed` - changed
    * `withdrawn` - withdrawn
    * `undone` - undone
    * `imported` - imported
    """
    changed_at: str
    """When this version was made."""
    changed_by: str
    """The member who did; empty for an operator, and for who has left."""
    kind: KnowledgeKind
    """
    A rule goes before memories of the same subject and slot; a role_rule says how to speak to some roles, a tone how the organisation speaks, a platform_tone how it does on some platforms; a fact is found by its words.

    * `rule` - Rule
    * `role_rule` - How to speak to a role
    * `tone` - Tone
    * `platform_tone` - Tone of a platform
    * `fact` - Fact
    """
    subject: str
    """Whom or what it was about."""
    slot: str
    """What of the subject it settled."""
    text: str
    """What it said."""
    source: str
    """Where it is written, or who decided it."""
    external_id: str
    """Your own id of it then; empty for none."""
    graph_node_id: str
    """The node that it was about."""
    org_tiers: list[str]
    """For which tiers it held; empty for all."""
    roles: list[str]
    """For which roles it held; empty for all."""
    platforms: list[str]
    """On which platforms it held; empty for all."""
    valid_from: str
    """From when it held."""
    valid_to: str | None
    """Until when it held."""


class KnowledgeVersionPage(TypedDict):
    results: list[KnowledgeVersionOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class LearnedChangeOutput(TypedDict):
    event: LearnedChangeOutputEventEnum
    """
    ``asked`` waits for …/confirm or …/reject of the memory; with a ``former_content``, which it perhaps replaces, for …/settle.

    * `noted` - noted
    * `changed` - changed
    * `asked` - asked
    * `retracted` - retracted
    * `preference` - preference
    """
    memory_id: str
    """The id of the memory; every version has its own."""
    content: str
    """The words, whole."""
    former_content: str | None
    """What stood there before, while it is kept."""
    certainty: float
    """From 0 to 1."""
    standing: StandingEnum
    """
    What has become of it: ``left_out`` after a no, ``past`` since something newer was said.

    * `in_force` - in_force
    * `waiting` - waiting
    * `left_out` - left_out
    * `undone` - undone
    * `past` - past
    """
    undo: str | None
    """Where to POST to take it back; null where that is over."""


class LearnedOutput(TypedDict):
    message_id: str
    """Your message."""
    status: LearnedOutputStatusEnum
    """
    ``pending`` while it is still read; ``none`` where nothing is ever learned from it.

    * `pending` - pending
    * `done` - done
    * `none` - none
    """
    learned: list[LearnedChangeOutput]
    """What the message taught, in order."""


class LearningOutput(TypedDict):
    """The job that learns, and what was masked in the messages."""

    masked: NotRequired[list[MaskedFragment]]
    """What was masked in the stored text, as it must not be kept; absent where nothing was."""
    job_id: str
    """The id of the job in the background, for `GET /api/jobs/{job_id}`."""
    state: JobState
    """
    How far it is, or what has become of it.

    * `pending` - Waiting
    * `processing` - Running
    * `done` - Done
    * `failed` - Failed
    * `cancelled` - Cancelled
    """
    progress: float
    """0 until it is done, then 1."""
    results: list[ChangeOutput]
    """What was found, in order."""


class LeftOutLine(TypedDict):
    """``itself``: the line gives orders or holds code. ``together``: only all lines together do."""

    line: int
    """Its number, from 1."""
    why: WhyEnum
    """
    Why it is never read to a model.

    * `itself` - itself
    * `together` - together
    """


class LineSourceOutput(TypedDict):
    """A memory or an event behind a line, and the messages in which it was said."""

    kind: LineSourceOutputKindEnum
    """
    Which kind of thing it is.

    * `item` - item
    * `event` - event
    """
    id: str
    """Of a memory its id, of an event its event_id."""
    said_at: str
    """When it was said."""
    provenance: ProvenanceEnum | BlankEnum
    """
    Where it came from.

    * `` -
    * `observation` - observation
    * `analysis` - analysis
    * `confirmed_by_user` - confirmed_by_user
    """
    confidence: float | None
    """How sure a memory is, from 0 to 1; null for an event."""
    message_ids: list[str]
    """The ids of the messages it was told in."""
    session_id: str | None
    """The id of the conversation."""


class MediaOutput(TypedDict):
    media_id: str
    """The id of an uploaded file."""
    name: str
    """The name under which it is shown."""
    kind: MediaKind
    """
    Whether it is a picture, a document, a recording or text.

    * `image` - Picture
    * `document` - Document
    * `audio` - Recording
    * `text` - Text
    """
    media_type: str
    """What it is by its content; of a cleaned picture, what is kept."""
    size: int
    """How many bytes were sent."""
    sha256: str
    """The SHA-256 of what was sent, in hexadecimal."""
    security_status: SecurityStatus
    """
    `pending` until it was checked; only a `safe` file is part of a message or given out.

    * `pending` - Being checked
    * `safe` - Safe
    * `unsafe` - Refused
    * `failed` - Not checked
    """
    security_reason: str
    """Why it is `unsafe` or `failed`, a code of docs/media.md; empty otherwise."""
    width: int | None
    """In pixels, of a picture."""
    height: int | None
    """In pixels, of a picture."""
    pages: int | None
    """How many a PDF has."""
    has_thumbnail: bool
    """Whether there is a small picture of it."""
    text_state: TextStateEnum
    """
    `waiting` until a safe file was read, then `read` or `unread`.

    * `waiting` - Being read
    * `read` - Read
    * `unread` - Not read
    """
    unread_reason: str
    """Why it is `unread`, a code of docs/media.md; empty otherwise."""
    text_is_cut: bool
    """Whether more stands in it than was read."""
    can_be_read_again: bool
    """Whether its reading took too long, the first time."""
    in_use: bool
    """Whether a message has it as a part."""
    created_at: str
    """When it was made."""


class MediaPage(TypedDict):
    results: list[MediaOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class MemorySearchInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    query: str
    """What is asked, in the user's words."""
    top_k: NotRequired[int]
    """How many results are answered at most."""
    filters: NotRequired[FiltersInput]
    """Which memories are searched."""
    valid_at: NotRequired[str | None]
    """What was true of the world at this time."""
    known_at: NotRequired[str | None]
    """As it was recorded at this time."""
    explain: NotRequired[bool]
    """Whether to say how each score came about."""
    min_score: NotRequired[float]
    """Leave out what scores less. Scores order the results of one question; what does not bear on it never comes."""


class MessageInput(TypedDict):
    """``content``, or ``content_blocks``: not both."""

    content: NotRequired[str]
    """The message as text; or give `content_blocks`."""
    content_blocks: NotRequired[list[BlockInput]]
    """The message in parts; or give `content`."""


class MessageOutput(TypedDict):
    message_id: str
    """The id of the message."""
    session_id: str
    """The id of the conversation."""
    user_id: str
    """The id of the user whose it is; in a path `me` names the signed-in user."""
    seq: int
    """Its place in the conversation, from 1."""
    role: MessageRole
    """
    Who speaks, `user` or `assistant`.

    * `user` - Person
    * `assistant` - Assistant
    """
    speaker: str
    """The name of who speaks."""
    content: str
    """The words, whole."""
    content_blocks: list[dict[str, Any]]
    """A block of type ``redacted`` stands where sentences were forgotten; it has no words."""
    occurred_at: str
    """When it was said or happened, where that differs from when it was sent."""
    created_at: str
    """When it was made."""


class MessagePage(TypedDict):
    results: list[MessageOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class ModeInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    mode: PersonaMode
    """
    How the assistant speaks.

    * `rational` - rational
    * `idol` - idol
    * `hybrid` - hybrid
    * `strict` - strict
    """


class ObjectFeedbackInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    related_object_ref: str
    """``snapshot:``, ``thread:``, ``refresh:``, ``checkpoint:``, ``report:``, ``memory:``, ``message:``, ``event:`` or ``profile:``, and its id; of a report its task's."""
    rating: RatingEnum
    """
    How you rate it.

    * `thumbs_up` - Thumbs up
    * `thumbs_down` - Thumbs down
    * `helpful` - Helpful
    * `not_helpful` - Not helpful
    * `agree` - Agree
    * `disagree` - Disagree
    """
    comment: NotRequired[str]
    """What the user adds, in their words."""


class ObjectFeedbackOutput(TypedDict):
    feedback_id: str
    """The id of the feedback."""
    related_object_ref: str
    """What was rated: its kind and its id."""
    rating: RatingEnum
    """
    How it was rated.

    * `thumbs_up` - Thumbs up
    * `thumbs_down` - Thumbs down
    * `helpful` - Helpful
    * `not_helpful` - Not helpful
    * `agree` - Agree
    * `disagree` - Disagree
    """
    comment: str
    """What the user adds, in their words."""
    created_at: str
    """When it was made."""


class OpenAIErrorBody(TypedDict):
    """Every error of these addresses."""

    error: OpenAIErrorFields
    """What is wrong."""


class OrganisationContextOutput(TypedDict):
    """Empty where there is none, and where you did not consent to be known as a person."""

    organisation: str
    """The name of the organisation."""
    org_tier: OrgTierEnum | BlankEnum
    """
    Which tier the organisation has.

    * `brand_hq` - Brand headquarters
    * `regional_agent` - Regional agent
    * `franchise_store` - Franchise store
    """
    role: UserRole | BlankEnum
    """
    The user's role in it.

    * `owner` - Owner
    * `admin` - Admin
    * `editor` - Editor
    * `viewer` - Viewer
    """
    group: str
    """The name of the group."""


class PatchedContextInput(TypedDict):
    """``null`` or an empty text clears a field; a field left out stays unchanged."""

    language_preference: NotRequired[LanguagePreferenceEnum | NullEnum | None]
    """
    The language of answers; null for that of the question.

    * `en` - English
    * `zh` - 中文
    """
    research_depth: NotRequired[ResearchDepthEnum | NullEnum | None]
    """
    How deep research goes.

    * `quick` - Quick
    * `standard` - Standard
    * `deep` - Deep
    """
    risk_prompt_preference: NotRequired[RiskPromptPreferenceEnum | NullEnum | None]
    """
    How research weighs risks.

    * `balanced` - Balanced
    * `counter_first` - Counter-arguments first
    * `risk_first` - Risks first
    """
    user_focus_reason: NotRequired[str | None]
    """Why the user looks at it, in their words."""
    research_style: NotRequired[str | None]
    """How the user likes to do research, in their words."""
    user_stated_position_context: NotRequired[str | None]
    """What the user says they hold, in their words; needs `confirm_financial`."""
    time_horizon: NotRequired[str | None]
    """For how long the user plans, in their words; needs `confirm_financial`."""
    constraints: NotRequired[str | None]
    """What the user must not or will not do, in their words; needs `confirm_financial`."""
    confirm_financial: NotRequired[bool]
    """Whether the user confirmed that what they state about money may be used."""


class PatchedKnowledgeChange(TypedDict):
    """The fields of an entry that its writers choose, none of them required."""

    kind: NotRequired[KnowledgeKind]
    """
    A rule goes before memories of the same subject and slot; a role_rule says how to speak to some roles, a tone how the organisation speaks, a platform_tone how it does on some platforms; a fact is found by its words.

    * `rule` - Rule
    * `role_rule` - How to speak to a role
    * `tone` - Tone
    * `platform_tone` - Tone of a platform
    * `fact` - Fact
    """
    subject: NotRequired[str]
    """Whom or what it is about, as memories word it."""
    slot: NotRequired[str]
    """What of it a rule settles: ``reply_style``."""
    source: NotRequired[str]
    """Where it is written, or who decided it."""
    external_id: NotRequired[str]
    """Your own id of it, by which imports find it."""
    graph_node_id: NotRequired[str]
    """The node of the organisation's graph that it is about: ``linen-jacket``; empty for none."""
    org_tiers: NotRequired[list[OrgTierEnum]]
    """For which tiers it holds; empty for all."""
    roles: NotRequired[list[UserRole]]
    """For which roles it holds; empty for all."""
    platforms: NotRequired[list[PlatformsEnum]]
    """On which platforms it holds; empty for all."""
    valid_from: NotRequired[str]
    """From when it holds; now unless said."""
    valid_to: NotRequired[str | None]
    """Until when it holds; null for no end."""
    version: NotRequired[int]
    """The version that was read: a change since is answered 409 ``entry_changed``."""
    text: NotRequired[str]
    """What it says."""


class PatchedThreadChangeInput(TypedDict):
    """Closing a thread is final; with ``consent_blocked`` what was stated for it is no longer used."""

    title: NotRequired[str]
    """The title."""
    state: NotRequired[ThreadState]
    """
    `closed` closes it for good.

    * `open` - Open
    * `closed` - Closed
    """
    consent_blocked: NotRequired[bool]
    """Whether what was stated for it is no longer used."""
    refresh_conditions: NotRequired[list[RefreshCondition]]
    """When the thread should be refreshed, in words."""
    cognition_object: NotRequired[CognitionObjectInput]
    """What it is about."""


class PatchedWithheldKindsInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    withheld_kinds: NotRequired[list[WithheldKindsEnum]]
    """The kinds of memory that it neither sees nor writes directly; empty for none. `turn` are the chats that it did not begin, `profile` portraits."""


class PreferenceOutput(TypedDict):
    """``waiting`` is used nowhere before the user confirms it; what was learned is the memory of ``memory_id``."""

    id: str
    """Its id."""
    key: str
    """By which name it is known."""
    value: str
    """What it is set to."""
    text: str
    """Its words."""
    confidence: float
    """How sure it is, from 0 to 1."""
    source: PreferenceOutputSourceEnum
    """
    How it came about.

    * `explicit` - explicit
    * `repeated` - repeated
    * `confirmed` - confirmed
    * `waiting` - waiting
    """
    waiting: bool
    """Whether it waits for a yes."""
    memory_id: str | None
    """The id of the memory; every version has its own."""
    updated_at: str
    """When it last changed."""


class PreferencePage(TypedDict):
    results: list[PreferenceOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class PreferencesInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    language_preference: NotRequired[LanguagePreferenceEnum]
    """
    The language of answers; null for that of the question.

    * `en` - English
    * `zh` - 中文
    """
    research_depth: NotRequired[ResearchDepthEnum]
    """
    How deep research goes.

    * `quick` - Quick
    * `standard` - Standard
    * `deep` - Deep
    """
    risk_prompt_preference: NotRequired[RiskPromptPreferenceEnum]
    """
    How research weighs risks.

    * `balanced` - Balanced
    * `counter_first` - Counter-arguments first
    * `risk_first` - Risks first
    """
    user_focus_reason: NotRequired[str]
    """Why the user looks at it, in their words."""


class PresentedToken(TypedDict):
    """What a program may learn of the token it sends: whose it is, what it allows, and for which address it is."""

    id: str
    """Its id."""
    name: str
    """The name."""
    created_at: str
    """When it was made."""
    expires_at: str | None
    """When it ends by itself; null where it does not."""
    last_used_at: str | None
    """When it was last used; null for never."""
    withheld_kinds: list[WithheldKindsEnum]
    """The kinds of memory that its user keeps from it."""
    user_id: str
    """In whose name the token's requests are made."""
    scopes: list[ScopesEnum]
    """What the token allows."""
    resource: str | None
    """The only address it was issued for; null: any."""


class ProgramOutput(TypedDict):
    program_id: str
    """The id of the connection; it stays when the program is connected again."""
    name: str
    """As the program calls itself."""
    scopes: list[ScopesEnum]
    """What the program may do."""
    withheld_kinds: list[WithheldKindsEnum]
    """The kinds of memory that its user keeps from it."""
    connected_at: str
    """When it was connected last."""
    last_used_at: str | None
    """When it was last used; null for never."""


class ProgramPage(TypedDict):
    results: list[ProgramOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class ProposalOutput(TypedDict):
    proposal_id: str
    """The id of the proposal."""
    memory_id: str
    """The id of the memory; every version has its own."""
    text: str
    """As others would read it: without names and amounts."""
    statistics: dict[str, Any]
    """The value of each threshold it passed."""
    state: ProposalState
    """
    How far it is, or what has become of it.

    * `candidate` - Waits for its person
    * `agreed` - Waits for an operator
    * `declined` - Declined by its person
    * `approved` - Became knowledge
    * `rejected` - Turned down by an operator
    * `withdrawn` - Taken back
    """
    created_at: str
    """When it was made."""
    agreed_at: str | None
    """When the user agreed; null before."""
    reviewed_at: str | None
    """When an operator decided on it; null before."""


class ProposalPage(TypedDict):
    results: list[ProposalOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class ProvenanceOutput(TypedDict):
    """Where a memory came from: its kind, the rule that found it, the source messages, and what changed."""

    kind: ProvenanceOutputKindEnum
    """
    Who it came from.

    * `observation` - mentioned in passing
    * `analysis` - seen several times
    * `confirmed_by_user` - told or confirmed by you
    """
    rule: NotRequired[str]
    """The name of the rule that made it."""
    program: NotRequired[str]
    """The name of the program that it came through."""
    imported_from: NotRequired[str]
    """The program whose export held it."""
    brought_by: NotRequired[str]
    """The import whose archive held it."""
    message_ids: NotRequired[list[str]]
    """The ids of the messages it was told in."""
    change: NotRequired[str]
    """What the last change was."""
    reason: NotRequired[str]
    """Why, as a code or in words."""
    why: NotRequired[str]
    """Why it was changed, as a code."""


class RecommendedOutput(TypedDict):
    skill: ResearchRoute
    """
    The skill; null or empty for none.

    * `snapshot` - Snapshot
    * `thread_refresh` - Refresh a thread
    * `risk_challenge` - Challenge the risks
    * `pre_execution` - Check before acting
    * `evidence_audit` - Audit the evidence
    * `narrative_mapper` - Map the narratives
    * `event_impact_reader` - Read an event's impact
    """
    reason: str
    """Why it is recommended."""
    example: str
    """A prompt to begin with."""


class RefreshInput(TypedDict):
    """``prompt`` is what is new about the thread; without it the same material is gone over again."""

    prompt: NotRequired[str]
    """What is new."""
    user_supplied_context: NotRequired[SuppliedInput]
    """What to state for the thread."""
    confirm_financial: NotRequired[bool]
    """Whether the user confirmed that what they state about money may be used."""


class RefreshTaskOutput(TypedDict):
    """The answer of a write that masks sensitive input in a text; absent where nothing was."""

    masked: NotRequired[list[MaskedFragment]]
    """What was masked in the stored text, as it must not be kept; absent where nothing was."""
    task_id: str
    """The id of the research task."""
    state: TaskState
    """
    How far it is, or what has become of it.

    * `pending` - Waiting
    * `running` - Running
    * `completed` - Done
    * `failed` - Failed
    * `cancelled` - Cancelled
    """


class RevisionOutput(TypedDict):
    revision: int
    """The number of the version, from 1."""
    body: str
    """The text as Markdown."""
    tags: list[str]
    """Words for what it is about."""
    change: RevisionOutputChangeEnum
    """
    What changed it.

    * `learned` - learned
    * `edited` - edited by you
    * `rolled_back` - taken back to an earlier version
    """
    restored_revision: int | None
    """The version that was restored; null for any other change."""
    source_event_id: str
    """The id of the event that last changed it; empty where none did."""
    updated_at: str
    """When it last changed."""


class RevisionPage(TypedDict):
    results: list[RevisionOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class SectionOutput(TypedDict):
    heading: str
    """The heading."""
    statements: list[StatementOutput]
    """The sentences."""


class SessionOutput(TypedDict):
    """A conversation, as the user who asks may see it."""

    session_id: str
    """The id of the conversation."""
    user_id: str
    """The id of the user whose it is; in a path `me` names the signed-in user."""
    group_id: str | None
    """The id of the group; null outside of groups."""
    thread_id: str | None
    """The id of the thread; null for none."""
    title: str
    """The title."""
    remember: bool
    """Whether messages may be learned from."""
    time_zone: str
    """A name of the IANA time zone database, such as `Asia/Shanghai`."""
    location: str
    """Where the user is, in their words."""
    org_context: OrganisationContextOutput
    """The user's organisation and role, or the group."""
    entity_slots: dict[str, list[str]]
    """What was talked about lately, by kind."""
    summary_blocks: list[SummaryBlockOutput]
    """Summaries of the older messages."""
    created_at: str
    """When it was made."""
    last_active_at: str
    """When the last message was sent."""
    expires_at: str
    """When it ends by itself; null where it does not."""
    archived_at: str | None
    """When it was closed for new messages; null while it is open."""


class SessionPage(TypedDict):
    results: list[SessionOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class SnapshotOutput(TypedDict):
    """A thesis with what speaks for and against it."""

    snapshot_id: str
    """The id of the snapshot."""
    task_id: str
    """The id of the research task."""
    thread_id: str | None
    """The id of the thread; null for none."""
    open_threads: list[FollowingThreadOutput]
    """Open threads of the user's about the same object."""
    cognition_object: CognitionObjectOutput
    """What it is about."""
    main_thesis: str
    """The thesis, in one sentence."""
    evidence: list[StatementOutput]
    """What speaks for the thesis."""
    counter_thesis: list[StatementOutput]
    """What speaks against the thesis."""
    invalidators: list[StatementOutput]
    """What would make the thesis wrong."""
    told: list[StatementOutput]
    """What you had told before; nothing else here is of you."""
    watch_questions: list[str]
    """What is to be watched."""
    data_quality_note: str
    """How good the material was."""
    model_id: str
    """The model that wrote it; empty where none did."""
    as_of: str | None
    """Nothing that became known later was used; null where all was."""
    created_at: str
    """When it was made."""


class TaskEvent(TypedDict):
    event: TaskEventEventEnum
    """
    Which event it is.

    * `progress` - progress
    * `done` - done
    * `error` - error
    """
    data: str
    """The task as JSON; of an ``error`` the error's body."""


class TaskResultOutput(TypedDict):
    """What a long task has made: all of it, or what there is so far."""

    task_id: str
    """The id of the long task."""
    kind: LongTaskKind
    """
    Which kind of thing it is.

    * `research` - Research
    * `export` - A copy of your data
    * `import` - Bringing chats in
    """
    state: TaskState
    """
    How far it is, or what has become of it.

    * `pending` - Waiting
    * `running` - Running
    * `completed` - Done
    * `failed` - Failed
    * `cancelled` - Cancelled
    """
    is_whole: bool
    """Whether nothing will be added: it is completed."""
    parts: list[PartialOutput]
    """What its steps have found so far."""
    counts: dict[str, int]
    """How much it made, by what is counted."""
    url: str | None
    """The address of what it made; null while there is none, and after that is gone."""


class ThreadInput(TypedDict):
    """``consent_ack`` is the id of the consent that was shown. Stated fields are kept with ``save_user_context``."""

    title: str
    """The title."""
    save_user_context: bool
    """Whether what the user stated is kept with the thread."""
    consent_ack: ConsentAck
    """The consent that the user was shown."""
    user_focus_reason: NotRequired[str]
    """Why the user looks at it, in their words."""
    research_style: NotRequired[str]
    """How the user likes to do research, in their words."""
    user_stated_position_context: NotRequired[str]
    """What the user says they hold, in their words; needs `confirm_financial`."""
    confirm_financial: NotRequired[bool]
    """Whether the user confirmed that what they state about money may be used."""
    cognition_object: NotRequired[CognitionObjectInput]
    """What it is about."""
    refresh_conditions: NotRequired[list[RefreshCondition] | None]
    """When the thread should be refreshed, in words."""


class TokenOutput(TypedDict):
    id: str
    """Its id."""
    name: str
    """The name."""
    created_at: str
    """When it was made."""
    expires_at: str | None
    """When it ends by itself; null where it does not."""
    last_used_at: str | None
    """When it was last used; null for never."""
    withheld_kinds: list[WithheldKindsEnum]
    """The kinds of memory that its user keeps from it."""


class TokenPage(TypedDict):
    results: list[TokenOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class ToolReceiptOutput(TypedDict):
    """One tool that the model called, skill, or step of research: names, codes and numbers, never words."""

    kind: ToolReceiptOutputKindEnum
    """
    Whether it is a tool, a skill, or a step of research.

    * `tool` - Tool
    * `skill` - Skill
    * `step` - Step of research
    """
    tool: str
    """The name of the tool."""
    skill: str
    """The skill; null or empty for none."""
    outcome: ToolReceiptOutputOutcomeEnum
    """
    How it came out.

    * `done` - Done
    * `by_rule` - Done by rule, without the model
    * `refused` - Refused
    * `failed` - Failed
    """
    error_code: str
    """Why it failed; empty unless it did."""
    duration_ms: float
    """How long it took, in milliseconds."""
    counts: dict[str, int]
    """Of what it found or made, by name."""
    at: str
    """When."""


class TrainingCandidateOutput(TypedDict):
    candidate_id: str
    """The id of the training candidate."""
    object_ref: str
    """``snapshot:``, ``refresh:`` or ``checkpoint:``, and its id."""
    status: TrainingCandidateOutputStatusEnum
    """
    What became of it.

    * `pending` - Waits for a review
    * `accepted` - Accepted
    * `rejected` - Turned down
    """
    withdrawal_status: WithdrawalStatusEnum
    """
    Whether it was taken back.

    * `none` - Consent holds
    * `revoked` - Consent taken back
    """
    consent_version: int
    """The version of the consent under which it was set aside."""
    created_at: str
    """When it was made."""
    reviewed_at: str | None
    """When an operator decided on it; null before."""


class TrainingCandidatePage(TypedDict):
    results: list[TrainingCandidateOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class UsedMemoryOutput(TypedDict):
    kind: UsedMemoryOutputKindEnum
    """
    What it is: a memory, an event, a portrait, a stated context, or an earlier turn.

    * `item` - item
    * `event` - event
    * `profile` - profile
    * `context` - context
    * `turn` - turn
    * `document` - document
    """
    id: str
    """Its id."""
    text: str
    """Its words."""
    decision_reason: str
    """Why it was used or left out, as a code."""
    context_position: int
    """Its place in the prompt, from 0; null where it was left out."""
    provenance: str
    """Where a memory came from; null for anything else."""
    epistemic_type: str
    """Whether a memory is a fact, an opinion, a preference; null for anything else."""
    confidence: float | None
    """How sure it is, from 0 to 1."""


class UserOutput(TypedDict):
    user_id: str
    """The id of the user whose it is; in a path `me` names the signed-in user."""
    username: str
    """The user name."""
    display_name: str
    """The name that is shown; empty for the user name."""
    time_zone: str
    """A name of the IANA time zone database, such as `Asia/Shanghai`."""
    asks_follow_ups: bool
    """Whether the assistant asks questions of its own accord."""
    tenant_id: str | None
    """The id of the organisation; null for a user without one."""
    role: UserRole
    """
    What the user may do.

    * `owner` - Owner
    * `admin` - Admin
    * `editor` - Editor
    * `viewer` - Viewer
    """
    groups: list[GroupNameOutput]
    """The groups the user is a member of."""
    consent: ConsentOutput | None
    """The consent that holds; null where the user never decided."""
    onboarding: OnboardingOutput
    """Which first steps are missing."""
    notice: NoticeOutput
    """What a user must know before the first conversation."""


class WatchQuestionOutput(TypedDict):
    question_id: str
    """The id of the watch question."""
    question: str
    """What is to be watched."""
    state: WatchQuestionState
    """
    How far it is, or what has become of it.

    * `open` - Open
    * `resolved` - Resolved
    * `reopened` - Reopened
    """
    resolved_at: str | None
    """When it was resolved; null while it is open."""
    reopened_at: str | None
    """When it was last opened again; null for never."""
    created_at: str
    """When it was made."""


class WithdrawalOutput(TypedDict):
    consent: ConsentOutput
    """The consent that holds; null where the user never decided."""
    effects: EffectsOutput
    """What the withdrawal did at once."""


class WrittenDocumentOutput(TypedDict):
    """The answer of a write that masks sensitive input in a text; absent where nothing was."""

    masked: NotRequired[list[MaskedFragment]]
    """What was masked in the stored text, as it must not be kept; absent where nothing was."""
    kind: PersonaDocumentKind
    """
    Which kind of thing it is.

    * `soul` - soul
    * `identity` - identity
    * `user` - user
    """
    body: str
    """The text as Markdown."""
    version: int
    """Which version it is, from 1."""
    updated_at: str | None
    """When it last changed."""
    left_out: NotRequired[list[LeftOutLine]]
    """Lines that are kept and never read to a model."""


class BookmarkOutput(TypedDict):
    bookmark_id: str
    """The id of the bookmark."""
    knowledge_id: str
    """The id of the entry of what the organisation knows."""
    state: BookmarkState
    """
    Whether the entry holds now, does not, or is gone or no longer the user's to read.

    * `in_force` - in force
    * `not_in_force` - not in force
    * `gone` - gone
    """
    entry: BookmarkedEntryOutput | None
    """The entry as it stands now; null where it is gone."""
    created_at: str
    """When it was made."""


class BookmarkPage(TypedDict):
    results: list[BookmarkOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class ConsentInput(TypedDict):
    """Refuses unknown fields: a misspelt ``remember`` must not silently mean the opposite."""

    save_to_thread: bool
    """Whether what was stated is kept with threads."""
    save_to_profile: bool
    """Whether what was stated is kept for all conversations."""
    training_use_allowed: bool
    """Whether research may be set aside as a training example."""
    memory_learning_allowed: bool
    """Whether memories are learned from conversations and used in them."""
    preferences: NotRequired[PreferencesInput]
    """What to state for all conversations at once; needs `save_to_profile`."""
    acknowledged_notice: NotRequired[int]
    """The version of the ``notice`` of ``/api/users/me`` that was read; a first decision requires it."""


class CorrectedOutput(TypedDict):
    """The answer of a write that masks sensitive input in a text; absent where nothing was."""

    memory_id: str
    """The id of the memory; every version has its own."""
    item_id: str
    """Deprecated alias of memory_id; ends on 2027-06-01."""
    memory: str
    """The same as content."""
    content: str
    """The statement."""
    user_id: str
    """The id of the user whose it is; in a path `me` names the signed-in user."""
    tenant_id: str | None
    """The id of the organisation; null for a user without one."""
    group_id: str | None
    """The id of the group; null outside of groups."""
    memory_type: MemoryType
    """
    Which kind of memory it is.

    * `observation` - Observation
    * `preference` - Preference
    * `pattern` - Habit
    * `insight` - Insight
    * `summary` - Summary
    * `persona_preference` - How I should speak
    * `agent_experience` - Experience
    """
    epistemic_type: EpistemicTypeEnum
    """
    Whether it is a fact, an opinion, a preference, or out of date.

    * `fact` - Fact
    * `opinion` - Opinion
    * `preference` - Preference
    * `outdated` - Outdated
    """
    category: str
    """What it is about, in one word."""
    attributes: dict[str, Any]
    """What the words were read as, such as subject, slot and value."""
    state: MemoryState
    """
    How far it is, or what has become of it.

    * `active` - In use
    * `quarantined` - Not sure
    * `superseded` - Replaced
    * `invalid` - No longer true
    """
    confidence: float
    """How sure it is, from 0 to 1."""
    provenance: ProvenanceOutput
    """Where it came from."""
    version: int
    """Which version it is, from 1."""
    superseded_by: str | None
    """The id of the version that replaced it; null for the one in force."""
    source_sessions: list[str]
    """The ids of the conversations it was told in."""
    program: str | None
    """Through which program it came, by the name of its token; null for the pages."""
    valid_at: str
    """From when it is true in the world."""
    invalid_at: str | None
    """Until when it was true in the world; null while it is."""
    created_at: str
    """When it was made."""
    updated_at: str
    """When it last changed."""
    superseded_at: str | None
    """When a newer version replaced it; null for the one in force."""
    last_validated_at: str
    """When it was last confirmed, by the user or by use; null for never."""
    masked: NotRequired[list[MaskedFragment]]
    """What was masked in the stored text, as it must not be kept; absent where nothing was."""


class ErasureOutput(TypedDict):
    tombstone_id: str
    """The id of the erasure, for `GET /api/erasures/{tombstone_id}`."""
    scope: ScopeEnum
    """
    What is forgotten.

    * `item` - One memory
    * `event` - One event
    * `session` - One conversation
    * `thread` - One thread
    * `task` - One piece of research
    * `portrait` - One portrait
    * `import` - One import
    * `media` - One file
    * `profile` - What I said about myself
    * `memories` - Everything learned
    * `account` - The account
    """
    state: ErasureState
    """
    How far it is, or what has become of it.

    * `requested` - Asked for
    * `verified` - Confirmed to be yours
    * `tombstoned` - Invisible
    * `queued` - Waiting for its turn
    * `processing` - Being erased
    * `completed` - Erased and verified
    * `failed` - Failed
    * `retry_pending` - Waiting for another try
    * `escalated` - With an operator
    """
    on_request: str
    """The reference of the request on which operators had it erased for you; empty where you did so yourself."""
    requested_at: str
    """When it was asked for."""
    due_at: str
    """By when the law or the operators want it done."""
    completed_at: str | None
    """When it was complete; null before."""
    item_count: int
    """How many memories, events, portraits and threads go."""
    history: list[StepOutput]
    """Every state it had, and when."""
    verification: dict[str, Any] | None
    """What the final check found; null before."""
    kept: list[KeptOutput] | None
    """What was left on purpose, and why; null before it is complete."""


class ErasurePage(TypedDict):
    results: list[ErasureOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class FoundItemOutput(TypedDict):
    memory_id: str
    """The id of the memory; every version has its own."""
    item_id: str
    """Deprecated alias of memory_id; ends on 2027-06-01."""
    memory: str
    """The same as content."""
    content: str
    """The statement."""
    user_id: str
    """The id of the user whose it is; in a path `me` names the signed-in user."""
    tenant_id: str | None
    """The id of the organisation; null for a user without one."""
    group_id: str | None
    """The id of the group; null outside of groups."""
    memory_type: MemoryType
    """
    Which kind of memory it is.

    * `observation` - Observation
    * `preference` - Preference
    * `pattern` - Habit
    * `insight` - Insight
    * `summary` - Summary
    * `persona_preference` - How I should speak
    * `agent_experience` - Experience
    """
    epistemic_type: EpistemicTypeEnum
    """
    Whether it is a fact, an opinion, a preference, or out of date.

    * `fact` - Fact
    * `opinion` - Opinion
    * `preference` - Preference
    * `outdated` - Outdated
    """
    category: str
    """What it is about, in one word."""
    attributes: dict[str, Any]
    """What the words were read as, such as subject, slot and value."""
    state: MemoryState
    """
    How far it is, or what has become of it.

    * `active` - In use
    * `quarantined` - Not sure
    * `superseded` - Replaced
    * `invalid` - No longer true
    """
    confidence: float
    """How sure it is, from 0 to 1."""
    provenance: ProvenanceOutput
    """Where it came from."""
    version: int
    """Which version it is, from 1."""
    superseded_by: str | None
    """The id of the version that replaced it; null for the one in force."""
    source_sessions: list[str]
    """The ids of the conversations it was told in."""
    program: str | None
    """Through which program it came, by the name of its token; null for the pages."""
    valid_at: str
    """From when it is true in the world."""
    invalid_at: str | None
    """Until when it was true in the world; null while it is."""
    created_at: str
    """When it was made."""
    updated_at: str
    """When it last changed."""
    superseded_at: str | None
    """When a newer version replaced it; null for the one in force."""
    last_validated_at: str
    """When it was last confirmed, by the user or by use; null for never."""
    score: float
    """How well it answers, from 0; it orders the results of one question."""
    explain: NotRequired[ExplainOutput]
    """How the score came about; absent unless asked for."""


class FoundItemsOutput(TypedDict):
    results: list[FoundItemOutput]
    """What was found, in order."""
    degraded: list[str]
    """What was unavailable, by codes such as `vector_unavailable`; empty where nothing was."""


class ItemOutput(TypedDict):
    memory_id: str
    """The id of the memory; every version has its own."""
    item_id: str
    """Deprecated alias of memory_id; ends on 2027-06-01."""
    memory: str
    """The same as content."""
    content: str
    """The statement."""
    user_id: str
    """The id of the user whose it is; in a path `me` names the signed-in user."""
    tenant_id: str | None
    """The id of the organisation; null for a user without one."""
    group_id: str | None
    """The id of the group; null outside of groups."""
    memory_type: MemoryType
    """
    Which kind of memory it is.

    * `observation` - Observation
    * `preference` - Preference
    * `pattern` - Habit
    * `insight` - Insight
    * `summary` - Summary
    * `persona_preference` - How I should speak
    * `agent_experience` - Experience
    """
    epistemic_type: EpistemicTypeEnum
    """
    Whether it is a fact, an opinion, a preference, or out of date.

    * `fact` - Fact
    * `opinion` - Opinion
    * `preference` - Preference
    * `outdated` - Outdated
    """
    category: str
    """What it is about, in one word."""
    attributes: dict[str, Any]
    """What the words were read as, such as subject, slot and value."""
    state: MemoryState
    """
    How far it is, or what has become of it.

    * `active` - In use
    * `quarantined` - Not sure
    * `superseded` - Replaced
    * `invalid` - No longer true
    """
    confidence: float
    """How sure it is, from 0 to 1."""
    provenance: ProvenanceOutput
    """Where it came from."""
    version: int
    """Which version it is, from 1."""
    superseded_by: str | None
    """The id of the version that replaced it; null for the one in force."""
    source_sessions: list[str]
    """The ids of the conversations it was told in."""
    program: str | None
    """Through which program it came, by the name of its token; null for the pages."""
    valid_at: str
    """From when it is true in the world."""
    invalid_at: str | None
    """Until when it was true in the world; null while it is."""
    created_at: str
    """When it was made."""
    updated_at: str
    """When it last changed."""
    superseded_at: str | None
    """When a newer version replaced it; null for the one in force."""
    last_validated_at: str
    """When it was last confirmed, by the user or by use; null for never."""


class ItemPage(TypedDict):
    results: list[ItemOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class KnowledgeImportOutput(TypedDict):
    is_written: bool
    """Whether the file was imported; false after a dry run."""
    counts: dict[str, int]
    """How many entries have each outcome."""
    lines: list[KnowledgeLineOutput]
    """Every entry of the file, in its order."""


class LineOutput(TypedDict):
    """A line with its section: who, work, people, money, tastes, answers, plans, health, or a heading of your own."""

    section: str
    """Under which heading it stands."""
    text: str
    """Its words."""
    said_at: str
    """When it was said."""
    stated: bool
    """Written by its person."""
    user_id: str
    """Whose line it is."""
    sources: list[LineSourceOutput]
    """Of your own lines."""


class ProfileOutput(TypedDict):
    entity_type: EntityTypeEnum
    """
    Whether the portrait is of a user or of a group.

    * `user` - Person
    * `group` - Group
    """
    entity_id: str
    """The id of the person or group."""
    name: str
    """The name."""
    tags: list[str]
    """Words for what it is about."""
    body: str
    """The text as Markdown."""
    lines: list[LineOutput]
    """The body line by line, each with where it came from."""
    markdown: str
    """All of it in one file, under its YAML front matter."""
    own_body: str
    """The part of it that is yours to edit."""
    revision: int
    """Of your own part."""
    source_event_id: str
    """The id of the event that last changed it; empty where none did."""
    updated_at: str
    """When it last changed."""


class ReceiptOutput(TypedDict):
    receipt_id: str
    """The id of the receipt of a turn, for `GET /api/receipts/{receipt_id}`."""
    kind: ReceiptOutputKindEnum
    """
    Whether it tells what was searched, or what stood before the model.

    * `retrieval` - Retrieval
    * `injection` - Injection
    """
    session_id: str | None
    """The id of the conversation."""
    message_id: str
    """The id of the answer that the receipt explains."""
    created_at: str
    """When it was made."""
    candidates: list[CandidateOutput]
    """Everything that was considered, and what became of it."""
    degraded: list[str]
    """What was unavailable, by codes such as `vector_unavailable`; empty where nothing was."""
    budget: dict[str, int]
    """Tokens given to each part of the prompt."""
    budget_exceeded: bool
    """Whether something was left out for want of room."""
    unsearched_because: UnsearchedBecauseEnum | BlankEnum
    """
    Why memory was not searched; empty where it was.

    * `boundary` - a request to act, which is refused
    * `answered_by_rule` - a rule answered it
    * `consent_missing` - remembering is not allowed
    * `memory_unavailable` - memory could not be read in time
    * `personalization_off` - personalization is switched off
    """
    answered_by: str
    """The model that answered; empty for an answer by rule."""
    prompt_version: str
    """The version of the guides by which the model was told how to answer; empty where none was asked."""
    experiments: dict[str, str]
    """The variant by which the answer was made, by the id of each experiment the user takes part in."""
    knowledge_ids: list[str]
    """The entries of what the organisation knows that the answer was given; some may be gone since."""
    tools: list[ToolReceiptOutput]
    """The tools and the skill that ran for the answer, in order."""


class RecommendationsOutput(TypedDict):
    results: list[RecommendedOutput]
    """What was found, in order."""


class ResultOutput(TypedDict):
    """
    What a task made. Snapshots and checkpoints have their own addresses, refreshes are among their thread's; a
    report is included whole.
    """

    kind: ResultOutputKindEnum
    """
    What it is.

    * `snapshot` - Snapshot
    * `refresh` - Refresh
    * `checkpoint` - Checkpoint
    * `report` - Report
    """
    id: str
    """The object's; a report has its task's."""
    thread_id: str | None
    """The id of the thread; null for none."""
    title: NotRequired[str]
    """The title."""
    sections: NotRequired[list[SectionOutput]]
    """The report, section by section; absent unless it is one."""
    data_quality_note: NotRequired[str]
    """How good the material was."""


class TaskOutput(TypedDict):
    """The answer of a write that masks sensitive input in a text; absent where nothing was."""

    masked: NotRequired[list[MaskedFragment]]
    """What was masked in the stored text, as it must not be kept; absent where nothing was."""
    task_id: str
    """The id of the research task."""
    route: ResearchRoute
    """
    Which kind of research it is.

    * `snapshot` - Snapshot
    * `thread_refresh` - Refresh a thread
    * `risk_challenge` - Challenge the risks
    * `pre_execution` - Check before acting
    * `evidence_audit` - Audit the evidence
    * `narrative_mapper` - Map the narratives
    * `event_impact_reader` - Read an event's impact
    """
    prompt: str
    """Its thread's title where nothing was said."""
    thread_id: str | None
    """The id of the thread; null for none."""
    as_of: str | None
    """Nothing that became known later was used; null where all was."""
    state: TaskState
    """
    How far it is, or what has become of it.

    * `pending` - Waiting
    * `running` - Running
    * `completed` - Done
    * `failed` - Failed
    * `cancelled` - Cancelled
    """
    progress: int
    """Per cent."""
    step: str
    """What it is at: a part of the research."""
    result: ResultOutput | None
    """What the task made; null until then."""
    advisors: list[str]
    """The points of view that are heard, in order."""
    lookahead_warnings: list[LookaheadOutput]
    """Material that was left out, as it became known after `as_of`."""
    tip: TipEnum | NullEnum | None
    """
    A tip about preferences or consent; null for none.

    * `set_preferences` - set_preferences
    * `personalization_off` - personalization_off
    """
    degraded: list[str]
    """What was unavailable, by codes such as `vector_unavailable`; empty where nothing was."""
    error_code: str
    """Why it failed; empty unless it did."""
    created_at: str
    """When it was made."""
    ended_at: str | None
    """When it came to its end; null while it goes on."""
    partial: list[PartialOutput]
    """What its steps have found so far."""
    context: TaskContextOutput
    """The slices of memory it was given."""


class TaskPage(TypedDict):
    results: list[TaskOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class ThreadOutput(TypedDict):
    thread_id: str
    """The id of the thread; null for none."""
    title: str
    """The title."""
    cognition_object: CognitionObjectOutput
    """What it is about."""
    current_thesis: str
    """The thesis as it stands, in one sentence."""
    refresh_conditions: list[str]
    """When the thread should be refreshed, in words."""
    watch_questions: list[WatchQuestionOutput]
    """What is to be watched."""
    state: ThreadState
    """
    How far it is, or what has become of it.

    * `open` - Open
    * `closed` - Closed
    """
    consent_blocked: bool
    """
    Whether something stated for it is no longer used.

    Whether something stated for it is no longer used.
    """
    created_at: str
    """When it was made."""
    updated_at: str
    """When it last changed."""
    closed_at: str | None
    """When it was closed; null while it is open."""


class ThreadPage(TypedDict):
    results: list[ThreadOutput]
    """What was found, in order."""
    next: str | None
    """The address of the next page; null on the last."""
    previous: str | None
    """The address of the page before; null on the first."""


class TurnOutput(TypedDict):
    """The answer of a write that masks sensitive input in a text; absent where nothing was."""

    masked: NotRequired[list[MaskedFragment]]
    """What was masked in the stored text, as it must not be kept; absent where nothing was."""
    message_id: str
    """The id of the answer."""
    user_message_id: str | None
    """The id of the user's message; null where it was forgotten meanwhile."""
    reply: str
    """The answer."""
    intent: IntentOutput
    """What the message was understood to ask for."""
    skill: str | None
    """What was started; its task has the id of the message that asked for it."""
    memories_used: list[UsedMemoryOutput]
    """What of memory stood before the model."""
    degraded: list[str]
    """What was unavailable, by codes such as `vector_unavailable`; empty where nothing was."""
    finish_reason: FinishReasonEnum
    """
    ``length`` where the answer was cut at the model's limit; ``degraded`` holds ``answer_cut`` then.

    * `stop` - stop
    * `length` - length
    """
    usage: UsageOutput | None
    """What it cost in tokens; null where that is no longer known."""
    receipt_id: str
    """The id of the receipt of a turn, for `GET /api/receipts/{receipt_id}`."""
    learning: LearningOfMessageOutput | None
    """What tells when the message is learned from; null where nothing is ever learned from it."""
    follow_up: FollowUpOutput | None
    """At most one; null where none follows."""


class EditedOutput(TypedDict):
    """The portrait after a write."""

    masked: NotRequired[list[MaskedFragment]]
    """What was masked in the stored text, as it must not be kept; absent where nothing was."""
    entity_type: EntityTypeEnum
    """
    Whether the portrait is of a user or of a group.

    * `user` - Person
    * `group` - Group
    """
    entity_id: str
    """The id of the person or group."""
    name: str
    """The name."""
    tags: list[str]
    """Words for what it is about."""
    body: str
    """The text as Markdown."""
    lines: list[LineOutput]
    """The body line by line, each with where it came from."""
    markdown: str
    """All of it in one file, under its YAML front matter."""
    own_body: str
    """The part of it that is yours to edit."""
    revision: int
    """Of your own part."""
    source_event_id: str
    """The id of the event that last changed it; empty where none did."""
    updated_at: str
    """When it last changed."""


class FoundProfileOutput(TypedDict):
    entity_type: EntityTypeEnum
    """
    Whether the portrait is of a user or of a group.

    * `user` - Person
    * `group` - Group
    """
    entity_id: str
    """The id of the person or group."""
    name: str
    """The name."""
    tags: list[str]
    """Words for what it is about."""
    body: str
    """The text as Markdown."""
    lines: list[LineOutput]
    """The body line by line, each with where it came from."""
    markdown: str
    """All of it in one file, under its YAML front matter."""
    own_body: str
    """The part of it that is yours to edit."""
    revision: int
    """Of your own part."""
    source_event_id: str
    """The id of the event that last changed it; empty where none did."""
    updated_at: str
    """When it last changed."""
    score: float
    """How well it answers, from 0; it orders the results of one question."""


class FoundProfilesOutput(TypedDict):
    results: list[FoundProfileOutput]
    """What was found, in order."""
    degraded: list[str]
    """What was unavailable, by codes such as `vector_unavailable`; empty where nothing was."""


class HistoryOutput(TypedDict):
    results: list[ItemOutput]
    """Every version, oldest first."""
    changes: list[MemoryChangeOutput]
    """Every change, oldest first."""


class OneTaskOutput(TypedDict):
    """A task with what only its own address tells."""

    masked: NotRequired[list[MaskedFragment]]
    """What was masked in the stored text, as it must not be kept; absent where nothing was."""
    task_id: str
    """The id of the research task."""
    route: ResearchRoute
    """
    Which kind of research it is.

    * `snapshot` - Snapshot
    * `thread_refresh` - Refresh a thread
    * `risk_challenge` - Challenge the risks
    * `pre_execution` - Check before acting
    * `evidence_audit` - Audit the evidence
    * `narrative_mapper` - Map the narratives
    * `event_impact_reader` - Read an event's impact
    """
    prompt: str
    """Its thread's title where nothing was said."""
    thread_id: str | None
    """The id of the thread; null for none."""
    as_of: str | None
    """Nothing that became known later was used; null where all was."""
    state: TaskState
    """
    How far it is, or what has become of it.

    * `pending` - Waiting
    * `running` - Running
    * `completed` - Done
    * `failed` - Failed
    * `cancelled` - Cancelled
    """
    progress: int
    """Per cent."""
    step: str
    """What it is at: a part of the research."""
    result: ResultOutput | None
    """What the task made; null until then."""
    advisors: list[str]
    """The points of view that are heard, in order."""
    lookahead_warnings: list[LookaheadOutput]
    """Material that was left out, as it became known after `as_of`."""
    tip: TipEnum | NullEnum | None
    """
    A tip about preferences or consent; null for none.

    * `set_preferences` - set_preferences
    * `personalization_off` - personalization_off
    """
    degraded: list[str]
    """What was unavailable, by codes such as `vector_unavailable`; empty where nothing was."""
    error_code: str
    """Why it failed; empty unless it did."""
    created_at: str
    """When it was made."""
    ended_at: str | None
    """When it came to its end; null while it goes on."""
    note: NoteOutput | None
    """What it means for the user, kept for 24 hours; null otherwise."""
    steps: list[ToolReceiptOutput]
    """How each step ran, in order."""
    partial: list[PartialOutput]
    """What its steps have found so far."""
    context: TaskContextOutput
    """The slices of memory it was given."""
