"""The command: everything arrives once, under the right person, and only members see it."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from consent.models import ProfileConsent
from consent.services import grant_consent, withdraw_consent
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.models import OutboxMessage, Priority
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.importing.imported_people import permit_of, username_of
from memory.indexing import services as indexing
from memory.learning.services import OBSERVE_TOPIC
from memory.models import ConversationEvent, MemoryItem, SearchEntry, Session
from memory.retrieval.services import search
from memory.types import SearchQuery

pytestmark = pytest.mark.django_db


def run(path: Path, form: str) -> str:
    """Import and answer what was printed."""
    out, err = StringIO(), StringIO()
    call_command("import_conversations", path, format=form, stdout=out, stderr=err, skip_checks=True)
    assert not err.getvalue()
    return out.getvalue()


def run_with_refusals(path: Path, form: str) -> tuple[str, str]:
    """Import what is partly bad, which ends with status 1."""
    out, err = StringIO(), StringIO()
    with pytest.raises(CommandError) as ended:
        call_command("import_conversations", path, format=form, stdout=out, stderr=err, skip_checks=True)
    assert ended.value.returncode == 1
    return out.getvalue(), err.getvalue()


def person(conversation: str, name: str) -> User:
    return User.objects.get(username=username_of(conversation, name))


def counts_for(user: User) -> tuple[int, int, int]:
    with acting_as(user.pk):
        return Session.objects.count(), ConversationEvent.objects.count(), SearchEntry.objects.count()


def test_two_people_become_a_group_and_each_owns_what_they_said(locomo_file: Path) -> None:
    out = run(locomo_file, "locomo")

    ann, ben = person("garden", "Ann"), person("garden", "Ben")
    assert "5 messages imported" in out
    assert counts_for(ann) == counts_for(ben) == (2, 5, 5)
    with acting_as(ann.pk):
        own = ConversationEvent.objects.filter(user=ann).values_list("external_ref", flat=True)
        assert set(own) == {"D1:1", "D1:3", "D2:2"}
        assert set(SearchEntry.objects.filter(user=ben).values_list("kind", flat=True)) == {"turn"}
        in_order = ConversationEvent.objects.filter(session__title="session_1").order_by("seq")
        assert list(in_order.values_list("speaker", flat=True)) == ["Ann", "Ben", "Ann"]


def test_people_cannot_sign_in_and_their_consent_says_where_it_came_from(locomo_file: Path) -> None:
    run(locomo_file, "locomo")

    ann = person("garden", "Ann")
    with acting_as(ann.pk):
        consent = ProfileConsent.objects.get(user=ann)
    assert not ann.has_usable_password()
    assert (consent.source, consent.scopes) == ("command", frozenset(ConsentScope))


def test_a_second_run_adds_nothing(locomo_file: Path) -> None:
    run(locomo_file, "locomo")
    before = counts_for(person("garden", "Ann")), User.objects.count()

    out = run(locomo_file, "locomo")

    assert "0 messages imported, 5 were there already" in out
    assert (counts_for(person("garden", "Ann")), User.objects.count()) == before


@pytest.mark.parametrize("calls_before_death", [0, 1])
def test_an_interrupted_run_is_made_good_by_the_next(
    locomo_file: Path, monkeypatch: pytest.MonkeyPatch, calls_before_death: int
) -> None:
    whole = indexing.embed
    calls = iter(range(10))

    def dies(texts: Any) -> Any:
        if next(calls) == calls_before_death:
            raise KeyboardInterrupt
        return whole(texts)

    with monkeypatch.context() as patched:
        patched.setattr(indexing, "embed", dies)
        with pytest.raises(KeyboardInterrupt):
            run(locomo_file, "locomo")
    assert counts_for(person("garden", "Ann"))[2] < 5

    run(locomo_file, "locomo")

    assert counts_for(person("garden", "Ann")) == (2, 5, 5)


def test_bad_records_are_reported_and_the_rest_goes_on(tmp_path: Path, locomo_document: list[dict[str, Any]]) -> None:
    del locomo_document[0]["conversation"]["session_1"][1]["text"]
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(locomo_document), encoding="utf-8")

    out, err = run_with_refusals(path, "locomo")

    assert "conversation garden, session_1, turn 2: text" in err
    assert "4 messages imported, 0 were there already, 1 records refused" in out


def test_neighbours_of_either_speaker_lend_their_words(locomo_file: Path) -> None:
    run(locomo_file, "locomo")

    ann = person("garden", "Ann")
    with acting_as(ann.pk):
        first = ConversationEvent.objects.get(external_ref="D1:1")
        terms = SearchEntry.objects.get(pk=first.pk).terms
    assert "'balconi':1A" in terms
    assert "'plant':1A" in terms
    assert "'fit':1B" in terms
    assert "'pot':1C" in terms


def test_members_find_what_was_imported_and_outsiders_see_nothing(locomo_file: Path, charlie: User) -> None:
    run(locomo_file, "locomo")
    ben = person("garden", "Ben")
    group = ben.chat_groups.get()
    query = SearchQuery("Which vegetables grow on the balcony?", ("turn",), group_id=group.pk)

    with acting_as(ben.pk):
        assert search(permit_of(ben), query).hits[0].text == "I planted tomatoes on the balcony."
    assert counts_for(charlie) == (0, 0, 0)
    with acting_as(charlie.pk):
        assert search(permit_of(ben), query).hits == ()


def test_learning_waits_at_low_priority_and_then_teaches(memorybank_file: Path) -> None:
    run(memorybank_file, "memorybank")
    zhao = person("赵敏", "赵敏")

    with acting_as(zhao.pk):
        assert set(OutboxMessage.objects.values_list("priority", flat=True)) == {Priority.LOW}
        assert Session.objects.filter(external_ref="赵敏/2023-04-28", group=None).exists()
    drain()
    with acting_as(zhao.pk):
        learning = OutboxMessage.objects.filter(topic=OBSERVE_TOPIC)
        assert set(learning.values_list("state", flat=True)) == {"done"}
        assert not MemoryItem.objects.exclude(user=zhao).exists()
    assert counts_for(zhao)[1:] == (6, 6 + _items(zhao))


def _items(user: User) -> int:
    with acting_as(user.pk):
        return MemoryItem.objects.count()


def test_an_import_never_undoes_a_withdrawal(lines_file: Path) -> None:
    run(lines_file, "jsonl")
    dora = person("diary", "Dora")
    with acting_as(dora.pk):
        consent = ProfileConsent.objects.get(user=dora)
        withdraw_consent(dora, consent.pk, [ConsentScope.MEMORY_LEARNING], source="web")
    more = {"conversation": "diary", "session": "monday", "speaker": "Dora", "text": "Emil bought it."}
    with lines_file.open("a", encoding="utf-8") as file:
        file.write(json.dumps(more) + "\n")

    out = run(lines_file, "jsonl")

    assert "1 messages imported" in out
    with acting_as(dora.pk):
        latest = ConversationEvent.objects.order_by("seq").last()
        assert latest is not None
        assert not latest.learnable
        assert not SearchEntry.objects.filter(pk=latest.pk).exists()


def test_a_second_run_does_not_bring_back_what_a_withdrawal_purged(locomo_file: Path) -> None:
    run(locomo_file, "locomo")
    ann = person("garden", "Ann")
    with acting_as(ann.pk):
        consent = ProfileConsent.objects.get(user=ann)
        withdraw_consent(ann, consent.pk, [ConsentScope.MEMORY_LEARNING], source="web")
    drain()
    with acting_as(ann.pk):
        assert not SearchEntry.objects.filter(user=ann).exists()
        grant_consent(ann, tuple(ConsentScope), source="web")

    run(locomo_file, "locomo")

    with acting_as(ann.pk):
        assert not SearchEntry.objects.filter(user=ann).exists()
        assert SearchEntry.objects.exclude(user=ann).filter(kind="turn").count() == 2


def test_somebody_who_signs_in_is_never_given_imported_words(lines_file: Path) -> None:
    thief = User.objects.create_user(username_of("diary", "Dora"), "a long enough pass phrase")

    _, err = run_with_refusals(lines_file, "jsonl")

    assert "conversation diary, monday" in err
    assert counts_for(thief) == (0, 0, 0)
    assert counts_for(person("desk", "Emil"))[1] == 2


def test_a_document_that_cannot_be_read_is_an_error_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "no.json").write_text("no", encoding="utf-8")
    for path in (tmp_path / "no.json", tmp_path / "absent.json"):
        with pytest.raises(CommandError):
            call_command("import_conversations", path, format="locomo", skip_checks=True)
