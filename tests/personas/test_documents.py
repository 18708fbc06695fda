"""Persona documents: whose count for whom, who writes them, and where they come from (P-1)."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import ProgrammingError, connection
from django.test.utils import CaptureQueriesContext

from consent.exceptions import ConsentOutdated, ConsentScopeMissing
from consent.sensitive.exceptions import SensitiveInput
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.exceptions import ValidationFailed
from foundation.personal_data import ConsentScope
from personas.configuration import DEFAULTS
from personas.models import PersonaDocument, UserDocument
from personas.models.documents import MAX_CHARS
from personas.services.documents import documents_for, save_document, write_user_document
from personas.types import PersonaText, PersonaTexts
from tests.support.cast import allow, allow_nothing
from tests.support.organisation import employ
from tests.support.talk import permit_of


@pytest.fixture
def tenant(alice: User, bob: User) -> Tenant:
    """Alice and Bob work there; Charlie does not."""
    tenant = Tenant.objects.create(name="Krugerrand Ltd")
    employ(tenant, alice, bob)
    return tenant


def _read(user: User) -> PersonaTexts:
    with acting_as(user.pk):
        return documents_for(permit_of(user), user)


def _write(user: User, body: str) -> PersonaText:
    with acting_as(user.pk):
        return write_user_document(permit_of(user), user, body)


def _publish(kind: str, body: str, tenant: Tenant | None = None) -> PersonaDocument:
    with in_role(OPERATOR_ROLE):
        return save_document(PersonaDocument(kind=kind, body=body, tenant=tenant))


def test_without_any_the_text_that_is_shipped_holds(alice: User) -> None:
    allow(alice)
    found = _read(alice)

    assert found.soul.body.startswith("You are calm, precise and brief.")
    assert (found.soul.source, found.identity.source) == ("SOUL.md", "IDENTITY.md")
    assert found.identity.body == (DEFAULTS / "IDENTITY.md").read_text().strip()
    assert found.user == PersonaText("user")


def test_an_organisations_document_counts_for_its_people_alone(alice: User, charlie: User, tenant: Tenant) -> None:
    _publish("soul", "You are the workshop's voice.", tenant)

    assert _read(alice).soul.body == "You are the workshop's voice."
    assert _read(alice).soul.source == "SOUL.md#1"
    assert _read(charlie).soul.version == 0


def test_everybodys_document_counts_where_an_organisation_has_none(alice: User, charlie: User, tenant: Tenant) -> None:
    _publish("soul", "Everybody's.")
    _publish("identity", "Everybody's name.")
    _publish("soul", "The workshop's.", tenant)

    assert (_read(alice).soul.body, _read(alice).identity.body) == ("The workshop's.", "Everybody's name.")
    assert _read(charlie).soul.body == "Everybody's."


def test_a_changed_document_is_read_anew_and_an_unchanged_one_is_not(alice: User, tenant: Tenant) -> None:
    document = _publish("soul", "First.", tenant)
    assert _read(alice).soul.body == "First."
    with acting_as(alice.pk), CaptureQueriesContext(connection) as queries:
        documents_for(permit_of(alice), alice)
    assert not [one for one in queries if '"body"' in one["sql"] and "personadocument" in one["sql"]]

    document.body = "Second."
    with in_role(OPERATOR_ROLE):
        save_document(document)

    assert (_read(alice).soul.body, _read(alice).soul.version) == ("Second.", 2)


def test_two_changes_at_once_are_two_versions(alice: User, tenant: Tenant) -> None:
    first = _publish("soul", "Be brief.", tenant)
    with in_role(OPERATOR_ROLE):
        second = PersonaDocument.objects.get(pk=first.pk)
        first.body, second.body = "Be thorough.", "Be slow."
        save_document(first)
        assert _read(alice).soul.body == "Be thorough."
        save_document(second)

    assert (_read(alice).soul.body, _read(alice).soul.version) == ("Be slow.", 3)


def test_a_deleted_document_gives_way_to_the_shipped_one(alice: User, tenant: Tenant) -> None:
    document = _publish("soul", "First.", tenant)
    assert _read(alice).soul.version == 1
    with in_role(OPERATOR_ROLE):
        document.delete()

    assert _read(alice).soul.version == 0


def test_members_cannot_write_what_is_their_organisations(alice: User, tenant: Tenant) -> None:
    with pytest.raises(ProgrammingError, match="row-level security"), acting_as(alice.pk):
        save_document(PersonaDocument(kind="soul", body="Mine.", tenant=tenant))


def test_an_organisations_document_holds_no_secret_and_says_something(tenant: Tenant) -> None:
    with pytest.raises(SensitiveInput):
        _publish("soul", "The key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD", tenant)
    with pytest.raises(ValidationFailed):
        _publish("soul", "  ", tenant)


def test_a_persons_own_text_has_its_versions(alice: User) -> None:
    allow(alice)
    assert _write(alice, " Tea before trades. ").version == 1
    assert _write(alice, "Tea before trades.").version == 1
    assert _write(alice, "叫我阿里。").source == "USER.md#2"

    assert _read(alice).user.body == "叫我阿里。"
    with acting_as(alice.pk):
        versions = UserDocument.history.order_by("version").values_list("version", "body")
        assert list(versions) == [(1, "Tea before trades."), (2, "叫我阿里。")]


def test_emptied_it_is_gone_with_every_version(alice: User) -> None:
    allow(alice)
    _write(alice, "Tea before trades.")
    _write(alice, "No tea.")
    assert _write(alice, "  ") == PersonaText("user")
    assert _write(alice, "") == PersonaText("user")

    with acting_as(alice.pk):
        assert not UserDocument.objects.exists()
        assert not UserDocument.history.exists()


def test_without_the_scope_it_is_neither_written_nor_read(alice: User) -> None:
    allow(alice)
    _write(alice, "Tea before trades.")
    allow_nothing(alice)

    assert _read(alice).user == PersonaText("user")
    with acting_as(alice.pk):
        assert not UserDocument.history.exists()
    with pytest.raises(ConsentScopeMissing):
        _write(alice, "Tea before trades.")


def test_an_outdated_permit_writes_nothing(alice: User) -> None:
    old = allow(alice)
    allow(alice, ConsentScope.SAVE_TO_PROFILE)

    with pytest.raises(ConsentOutdated), acting_as(alice.pk):
        write_user_document(old, alice, "Tea before trades.")


def test_what_must_not_be_kept_is_masked_or_refused(alice: User) -> None:
    allow(alice)

    assert _write(alice, "Write to ali@example.com.").body == "Write to [redacted:email]."
    with pytest.raises(SensitiveInput):
        _write(alice, "My key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD")
    with pytest.raises(ValidationFailed):
        _write(alice, "x" * (MAX_CHARS + 1))


def test_nobody_reads_anothers_own_text(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    _write(alice, "Tea before trades.")

    assert _read(bob).user == PersonaText("user")
    with acting_as(bob.pk):
        assert not UserDocument.objects.exists()
        assert not UserDocument.history.exists()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "SOUL.md").write_text("You are the workshop's voice.\n")
    (tmp_path / "IDENTITY.md").write_text("你叫小金。\n", encoding="utf-8")
    (tmp_path / "USER.md").write_text("Tea before trades.\n")
    return tmp_path


def _import(folder: Path, **options: str) -> str:
    out = StringIO()
    call_command("import_persona", folder, stdout=out, **options)
    return out.getvalue()


def test_files_on_disk_are_imported(folder: Path, alice: User, charlie: User, tenant: Tenant) -> None:
    allow(alice)
    told = _import(folder, tenant="Krugerrand Ltd", user="alice")

    found = _read(alice)
    assert told == "Stored SOUL.md, IDENTITY.md, USER.md.\n"
    assert (found.soul.body, found.identity.body, found.user.body) == (
        "You are the workshop's voice.",
        "你叫小金。",
        "Tea before trades.",
    )
    assert _read(charlie).soul.version == 0


def test_imported_again_only_what_changed_has_a_new_version(folder: Path, alice: User) -> None:
    _import(folder)
    (folder / "SOUL.md").write_text("Anew.")
    told = _import(folder)

    assert "USER.md" not in told
    assert (_read(alice).soul.version, _read(alice).identity.version) == (2, 1)


def test_an_import_stores_all_or_nothing(folder: Path, alice: User) -> None:
    allow_nothing(alice)
    with pytest.raises(CommandError, match="not allowed"):
        _import(folder, user="alice")

    assert _read(alice).soul.version == 0


@pytest.mark.parametrize(
    ("options", "told"),
    [({"tenant": "Nobody Ltd"}, "no such organisation"), ({"user": "nobody"}, "no such organisation or user")],
)
def test_whom_it_is_for_must_exist(folder: Path, db: None, options: dict[str, str], told: str) -> None:
    with pytest.raises(CommandError, match=told):
        _import(folder, **options)


def test_a_folder_must_hold_something_readable(tmp_path: Path, db: None) -> None:
    with pytest.raises(CommandError, match=r"no SOUL\.md"):
        _import(tmp_path)
    with pytest.raises(CommandError, match="no such folder"):
        _import(tmp_path / "none")
    (tmp_path / "SOUL.md").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(CommandError, match="cannot be read"):
        _import(tmp_path)
