"""A dead letter is tried again by somebody who may, after a question, under their name."""

from __future__ import annotations

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.models import OutboxMessage
from foundation.outbox.services import enqueue
from tests.support.operators import sign_in_operator

LIST = reverse("admin:outbox_outboxmessage_changelist")


def _selection(*jobs: OutboxMessage, **more: str) -> dict[str, object]:
    return {"action": "retry", "_selected_action": [str(job.pk) for job in jobs], **more}


def _state(job: OutboxMessage, owner: User) -> tuple[str, int]:
    with acting_as(owner.pk):
        row = OutboxMessage.objects.get(pk=job.pk)
    return row.state, row.attempts


def test_it_is_asked_first_and_nothing_has_happened_yet(
    as_operator: Client, alice: User, dead_letter: OutboxMessage
) -> None:
    page = as_operator.post(LIST, _selection(dead_letter))

    assert page.status_code == 200
    assert str(dead_letter.pk) in page.content.decode()
    assert _state(dead_letter, alice) == ("failed", 5)
    assert not LogEntry.objects.exists()


def test_confirmed_it_waits_again_and_the_log_names_the_operator(
    as_operator: Client, operator: User, alice: User, dead_letter: OutboxMessage
) -> None:
    answer = as_operator.post(LIST, _selection(dead_letter, confirmed="yes"))

    assert answer.status_code == 302
    assert _state(dead_letter, alice) == ("pending", 0)
    entry = LogEntry.objects.get()
    assert (entry.user, entry.object_id, entry.change_message) == (operator, str(dead_letter.pk), "Retried.")


def test_jobs_that_are_no_dead_letters_are_left_alone(as_operator: Client, alice: User) -> None:
    with acting_as(alice.pk):
        waiting = enqueue("memory.observe", user_id=alice.pk, payload={})

    answer = as_operator.post(LIST, _selection(waiting, confirmed="yes"), follow=True)

    assert "None of the selected jobs is a dead letter." in answer.content.decode()
    assert not LogEntry.objects.exists()


def test_who_may_only_look_cannot_retry(client: Client, alice: User, bob: User, dead_letter: OutboxMessage) -> None:
    bob.is_staff = True
    bob.save()
    bob.user_permissions.add(Permission.objects.get(codename="view_outboxmessage"))
    sign_in_operator(client, bob)

    assert client.get(LIST).context["cl"].result_count == 1
    client.post(LIST, _selection(dead_letter, confirmed="yes"))

    assert _state(dead_letter, alice) == ("failed", 5)
