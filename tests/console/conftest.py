from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib import admin
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from consent.erasure import services
from consent.models import DataExport, ErasureRequest
from consent.models.erasure_requests import PENDING_FOR
from consent.permit import Permit
from consent.services import permit_for
from drift.services import give_feedback
from foundation.accounts.models import ApiToken, Tenant, User
from foundation.accounts.services import issue_token
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.ids import new_id
from foundation.language import ParsedMessage
from foundation.outbox.models import OutboxMessage
from foundation.outbox.services import enqueue
from foundation.outbox.tasks import drain
from knowledge.promoted_entries import PromotedText, add_promoted
from memory.historian.services import end
from memory.models import EvolutionProposal, MemoryItem, Receipt, ReceiptLine
from memory.research.profile_context import save_profile_context
from memory.research.types import CognitionObject
from memory.services.item_decisions import add_stated
from memory.services.sessions import record_messages, start_session
from memory.services.tool_receipts import write_tool_receipts
from memory.types import EndInput, NewMessage, ToolRun
from personas.message_wishes import infer_wishes
from personas.services.documents import write_user_document
from personas.services.states import set_mode
from personas.services.write_back import write_back_wishes
from tests.console.addresses import Rows
from tests.support.cast import PASSWORD, allow, group_with
from tests.support.erasures import ask_to_forget
from tests.support.operators import sign_in_operator
from tests.support.organisation import employ
from tests.support.research import asked, snapshot_made, thread_kept

SECRET = "piano full of krugerrands"


@pytest.fixture
def operator(db: None) -> User:
    """Somebody of the staff who may do everything."""
    return User.objects.create_superuser(username="olivia", password=PASSWORD)


@pytest.fixture
def as_operator(client: Client, operator: User) -> Client:
    sign_in_operator(client, operator)
    return client


@pytest.fixture
def with_a_model(settings: Settings) -> None:
    """A language model is configured, which nobody asks anything."""
    settings.OPENAI_BASE_URL, settings.MODEL_LARGE = "http://127.0.0.1:9/v1", "large"


@pytest.fixture
def alices_rows(alice: User) -> Permit:
    """A row of Alice's in every table that has a page, her words in each that holds words."""
    permit = allow(alice)
    issue_token(alice)
    group_with(alice)
    with acting_as(alice.pk):
        save_profile_context(permit, {"user_focus_reason": SECRET})
        session = start_session(permit, alice, title=SECRET)
        record_messages(permit, session, [NewMessage.of_text("user", SECRET, "Alice")])
        item = add_stated(permit, SECRET)
        write_user_document(permit, alice, SECRET)
        set_mode(permit, session, "strict", notes=SECRET)
        (objection,) = record_messages(
            permit, session, [NewMessage.of_text("user", f"Stop being so poetic! {SECRET}", "Alice")]
        )
        write_back_wishes(permit, objection, infer_wishes(ParsedMessage(objection.text)).signals, mode="idol")
        told = EndInput(str(new_id()), action_summary=SECRET, new_info=f"Alice owns a {SECRET}.", force=True)
        end(permit, alice, session, told)
        receipt = Receipt.objects.create(
            kind="injection", user=alice, session=session, message_id=new_id(), policy_version="1", consent_version=1
        )
        ReceiptLine.objects.create(
            receipt=receipt, user=alice, kind="item", ref_id=item.pk, rank=1, status="accepted",
            decision_reason="relevance", candidate_score=0.7,
        )  # fmt: skip
        run = ToolRun("tool", "cognitive_search_events", "done", 12.34, counts={"found": 2, "taken": 1})
        write_tool_receipts(permit, [run], run_id=receipt.message_id, intent_type="chat", session=session)
        _promote(permit, alice, item)
    drain()
    _research(alice)
    assert ApiToken.objects.exists()
    return permit


def _promote(permit: Permit, user: User, item: MemoryItem) -> None:
    """The memory was agreed to and approved: a proposal, and an entry of the organisation's knowledge."""
    employ(Tenant.objects.create(name="Krugerrand Ltd"), user)
    entry = add_promoted(permit, user, PromotedText(SECRET))
    EvolutionProposal.objects.create(
        user=user, item=item, chain_id=item.chain_id, tenant_id=entry.tenant_id, text=SECRET, state="approved",
        agreed_at=timezone.now(), knowledge_id=entry.pk, consent_version=permit.version,
    )  # fmt: skip


def _research(user: User) -> None:
    """A task that asked with her words, what it made named as a candidate, and two opinions, the other way round."""
    snapshot = snapshot_made(user, SECRET, object=CognitionObject("theme", SECRET))
    asked(user, SECRET, overrides={"user_focus_reason": SECRET})
    drain()
    thread_kept(user, snapshot, title=SECRET)
    for rating in ("thumbs_up", "not_helpful"):
        with acting_as(user.pk):
            give_feedback(permit_for(user), user, f"snapshot:{snapshot.pk}", rating, SECRET)


@pytest.fixture
def dead_letter(alice: User) -> OutboxMessage:
    """A job of Alice's that used up its attempts."""
    with acting_as(alice.pk):
        job = enqueue("memory.observe", user_id=alice.pk, payload={})
        OutboxMessage.objects.filter(pk=job.pk).update(
            state="failed", attempts=5, error_class="ValueError", finished_at=timezone.now()
        )
    return job


@pytest.fixture
def everything(
    alice: User,
    alices_rows: Permit,
    dead_letter: OutboxMessage,
    settings: Settings,
    tmp_path: Path,
) -> Rows:
    """Something of Alice's behind every page, with an erasure that could be sent on; the keys of up to two rows."""
    settings.ERASURE_JOURNAL = str(tmp_path / "journal.jsonl")
    tombstone = ask_to_forget(alice, timezone.now())
    services.escalate_erasure(tombstone.pk, alice.pk, reason="ResidueFound")
    with acting_as(alice.pk):
        DataExport.objects.create(user=alice, source="web")
        ErasureRequest.objects.create(
            user_id=alice.pk, scope="profile", reference="T-1", asked_by=new_id(), asked_at=timezone.now(),
            expires_at=timezone.now() + PENDING_FOR,
        )  # fmt: skip
    with in_role(OPERATOR_ROLE):
        return {model: [str(row.pk) for row in model._default_manager.all()[:2]] for model in admin.site._registry}
