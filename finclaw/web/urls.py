"""The pages' addresses. Those that search ask a model first, so they hold no transaction meanwhile."""

from __future__ import annotations

from django.db.transaction import non_atomic_requests
from django.urls import path

from finclaw.web.views import (
    accounts,
    chat,
    erasures,
    events,
    exports,
    forgetting,
    memories,
    onboarding,
    privacy,
    proposals,
    review,
    settings,
    turns,
)

app_name = "web"
urlpatterns = [
    path("", accounts.Welcome.as_view(), name="welcome"),
    path("sign-up/", accounts.SignUp.as_view(), name="sign_up"),
    path("sign-in/", accounts.SignIn.as_view(), name="sign_in"),
    path("sign-out/", accounts.SignOut.as_view(), name="sign_out"),
    path("recover/", accounts.Recover.as_view(), name="recover"),
    path("onboarding/", onboarding.Onboarding.as_view(), name="onboarding"),
    path("chat/", chat.Chat.as_view(), name="chat"),
    path("chat/new/", chat.ChatNew.as_view(), name="chat_new"),
    path("chat/<uuid:session_id>/", chat.ChatSession.as_view(), name="chat_session"),
    path("chat/<uuid:session_id>/send/", turns.chat_send, name="chat_send"),
    path(
        "chat/<uuid:session_id>/learned/<uuid:message_id>/<int:attempt>/",
        chat.ChatLearned.as_view(),
        name="chat_learned",
    ),
    path("chat/<uuid:session_id>/end/", chat.ChatEnd.as_view(), name="chat_end"),
    path("chat/<uuid:target>/forget/", forgetting.ForgetSession.as_view(), name="forget_session"),
    path("memories/", non_atomic_requests(memories.Memories.as_view()), name="memories"),
    path("memories/over-time/", non_atomic_requests(memories.OverTime.as_view()), name="over_time"),
    path("memories/unsure/", review.Unsure.as_view(), name="unsure"),
    path("memories/<uuid:memory_id>/", memories.Memory.as_view(), name="memory"),
    path("memories/<uuid:memory_id>/confirm/", memories.MemoryConfirm.as_view(), name="memory_confirm"),
    path("memories/<uuid:memory_id>/correct/", memories.MemoryCorrect.as_view(), name="memory_correct"),
    path("memories/<uuid:memory_id>/accept/", review.Accept.as_view(), name="memory_accept"),
    path("memories/<uuid:memory_id>/reject/", review.Reject.as_view(), name="memory_reject"),
    path("memories/<uuid:memory_id>/undo/", review.MemoryUndo.as_view(), name="memory_undo"),
    path("memories/<uuid:target>/forget/", forgetting.ForgetMemory.as_view(), name="forget_memory"),
    path("events/", non_atomic_requests(events.Events.as_view()), name="events"),
    # An event's id ends in a number, so none ends like this.
    path("events/<path:target>/forget/", forgetting.ForgetEvent.as_view(), name="forget_event"),
    path("events/<path:event_id>/", events.Event.as_view(), name="event"),
    path("privacy/", privacy.Privacy.as_view(), name="privacy"),
    path("privacy/scopes/", privacy.PrivacyScopes.as_view(), name="privacy_scopes"),
    path("privacy/withdraw/", privacy.PrivacyWithdraw.as_view(), name="privacy_withdraw"),
    path(
        "privacy/proposals/<uuid:proposal_id>/<slug:answer>/",
        proposals.ProposalAnswer.as_view(),
        name="proposal_answer",
    ),
    path("privacy/copy/", exports.Exports.as_view(), name="exports"),
    path("privacy/erasures/", erasures.Erasures.as_view(), name="erasures"),
    path("privacy/erasures/<uuid:tombstone_id>/", erasures.Erasure.as_view(), name="erasure"),
    path("privacy/erasures/<uuid:tombstone_id>/proof/", erasures.ErasureProof.as_view(), name="erasure_proof"),
    path("privacy/forget/profile/", forgetting.ForgetProfile.as_view(), name="forget_profile"),
    path("privacy/forget/learned/", forgetting.ForgetLearned.as_view(), name="forget_learned"),
    path("privacy/forget/account/", forgetting.ForgetAccount.as_view(), name="forget_account"),
    path("certificate/<uuid:tombstone_id>/", erasures.Certificate.as_view(), name="certificate"),
    path("certificate/<uuid:tombstone_id>/proof/", erasures.CertificateProof.as_view(), name="certificate_proof"),
    path("settings/", settings.Settings.as_view(), name="settings"),
    path("settings/keys/", settings.Tokens.as_view(), name="tokens"),
    path("settings/keys/new/", settings.TokenCreate.as_view(), name="token_create"),
    path("settings/keys/<uuid:token_id>/revoke/", settings.TokenRevoke.as_view(), name="token_revoke"),
    path("settings/signed-in/", settings.WebSessions.as_view(), name="web_sessions"),
]
