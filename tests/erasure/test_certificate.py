"""The certificate proves an erasure to somebody who does not trust us: signed, checked without the database (C-9)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from copy import deepcopy
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from django.conf import settings
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from consent.erasure import row_deletion, services
from consent.erasure.certificate import verify_certificate
from consent.erasure.services import erasure_of
from consent.erasure.signing import canonical_json, public_key_id, public_key_pem, sign_document
from consent.exceptions import CertificateInvalid
from consent.models import ErasureScope, Sources, Tombstone
from finclaw import erasure
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.leases import claim
from foundation.outbox.tasks import drain
from memory.services import item_decisions
from tests.support.cast import allow
from tests.support.erasures import audited, reread
from tests.support.talk import memories, permit_of

NOWHERE = "postgresql://nobody@127.0.0.1:9/nothing"
DOCUMENT: dict[str, Any] = {
    "tombstone_id": "t", "scope": "item", "requested_at": "2026-03-02T09:30:00+00:00",
    "completed_at": "2026-03-02T09:31:00+00:00", "deleted": {"memory.MemoryItem": 2, "个": 1},
    "verification": {"checked": {"memory.MemoryItem": 2}, "residual": 0},
}  # fmt: skip
Certificate = dict[str, Any]


def _signed(document: Mapping[str, Any] = DOCUMENT) -> Certificate:
    whole = {**document, "public_key": public_key_pem()}
    return {"certificate": whole, "signature": sign_document(whole), "public_key_id": public_key_id()}


def _forgotten(alice: User) -> Tombstone:
    allow(alice)
    with acting_as(alice.pk):
        item_decisions.add_stated(permit_of(alice), "I own a vineyard.")
    with acting_as(alice.pk):
        asked = erasure.forget(alice, ErasureScope.ITEM, str(memories(alice)[0].pk), Sources.REDACT, source="api")
    drain()
    with acting_as(alice.pk):
        return erasure_of(alice.pk, asked.pk)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("days", "said"), [(0, False), (30, True)])
def test_it_says_by_when_backups_are_gone_where_that_is_known(
    days: int, said: bool, alice: User, settings: Settings
) -> None:
    settings.BACKUP_DAYS = days
    certificate = _forgotten(alice).certificate
    assert certificate is not None
    assert ("backups_gone_by" in certificate) is said
    if said:
        apart = datetime.fromisoformat(certificate["backups_gone_by"]) - datetime.fromisoformat(
            certificate["completed_at"]
        )
        assert apart == timedelta(days=days)


def _file(folder: Path, given: object) -> Path:
    path = folder / "certificate.json"
    path.write_text(json.dumps(given), encoding="utf-8")
    return path


def _run(path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command as its reader runs it, with a database that nobody reaches."""
    return subprocess.run(
        [sys.executable, "manage.py", "verify_certificate", str(path), *arguments],
        cwd=settings.BASE_DIR,
        env={**os.environ, "DATABASE_URL": NOWHERE, "DATABASE_OWNER_URL": NOWHERE},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_certificate_verifies_without_the_database(alice: User, tmp_path: Path) -> None:
    done = _forgotten(alice)
    path = _file(
        tmp_path,
        {"certificate": done.certificate, "signature": done.signature, "public_key_id": done.public_key_id},
    )
    key = tmp_path / "key.pem"
    key.write_text(public_key_pem())
    run = _run(path, "--public-key", str(key))
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("VALID")
    assert str(done.pk) in run.stdout
    assert "rows left when looked for: 0" in run.stdout


def test_one_changed_byte_fails_the_command_with_one(alice: User, tmp_path: Path) -> None:
    done = _forgotten(alice)
    assert done.certificate is not None
    forged = {**done.certificate, "completed_at": done.certificate["requested_at"]}
    given = {"certificate": forged, "signature": done.signature, "public_key_id": done.public_key_id}
    run = _run(_file(tmp_path, given))
    assert run.returncode == 1
    assert "NOT VALID (signature)" in run.stderr
    assert "Traceback" not in run.stderr


def test_it_says_what_was_done_and_nothing_of_what_was_said(alice: User) -> None:
    certificate = _forgotten(alice).certificate
    assert certificate is not None
    assert (certificate["scope"], certificate["sources"], certificate["user_id"]) == ("item", "redact", str(alice.pk))
    assert certificate["deleted"]["memory.MemoryItem"] == 1
    assert certificate["verification"]["residual"] == 0
    assert set(certificate["verification"]["checked"]) >= {"memory.MemoryItem", "memory.SearchEntry", "exports"}
    assert "vineyard" not in json.dumps(certificate)


def test_the_same_document_signs_to_the_same_bytes_whatever_its_order() -> None:
    assert canonical_json({"b": 1, "a": "个"}) == canonical_json({"a": "个", "b": 1}) == '{"a":"个","b":1}'.encode()


def test_what_was_signed_verifies() -> None:
    assert verify_certificate(_signed())["scope"] == "item"
    assert verify_certificate(_signed(), public_key_pem())["scope"] == "item"


def _refused(given: Certificate, trusted: str = "") -> str:
    with pytest.raises(CertificateInvalid) as refused:
        verify_certificate(given, trusted)
    return str(refused.value.details["reason"])


@pytest.mark.parametrize("field", sorted(DOCUMENT))
def test_every_field_is_signed(field: str) -> None:
    changed, left_out = _signed(), _signed()
    changed["certificate"][field] = "another"
    del left_out["certificate"][field]
    assert (_refused(changed), _refused(left_out)) == ("signature", "signature")


def test_a_field_more_is_refused() -> None:
    given = _signed()
    given["certificate"]["note"] = "x"
    assert _refused(given) == "signature"


@given(data=st.data())
def test_any_changed_byte_of_the_document_or_the_signature_is_refused(data: st.DataObject) -> None:
    given = _signed()
    text = canonical_json(given["certificate"]).decode()
    at = data.draw(st.integers(0, len(text) - 1))
    changed = text[:at] + data.draw(st.characters(codec="ascii").filter(lambda one: one != text[at])) + text[at + 1 :]
    try:
        document = json.loads(changed)
    except ValueError:
        return  # not JSON any more: refused before it is looked at
    if document != given["certificate"]:
        _refused({**given, "certificate": document})
    place = data.draw(st.integers(0, 40))
    flipped = "A" if given["signature"][place] != "A" else "B"
    signature = given["signature"][:place] + flipped + given["signature"][place + 1 :]
    assert _refused({**given, "signature": signature}) == "signature"


def _forged_by(key: Ed25519PrivateKey, monkeypatch: pytest.MonkeyPatch) -> Certificate:
    with monkeypatch.context() as patch:
        patch.setattr("consent.erasure.signing._signing_key", lambda: key)
        return _signed()


def test_a_foreign_key_is_refused_where_ours_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    forged = _forged_by(Ed25519PrivateKey.generate(), monkeypatch)
    assert _refused(forged, public_key_pem()) == "signature"
    swapped = deepcopy(forged)
    swapped["certificate"]["public_key"] = public_key_pem()
    assert _refused(swapped) == "signature"


def test_a_key_under_the_name_of_ours_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    forged = _forged_by(Ed25519PrivateKey.generate(), monkeypatch)
    assert _refused({**forged, "public_key_id": public_key_id()}) == "key"


def test_another_kind_of_key_is_refused() -> None:
    curve = generate_private_key(SECP256R1()).public_key()
    given = _signed()
    given["certificate"]["public_key"] = curve.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    assert _refused(given) == "signature"


def test_an_old_certificate_verifies_after_the_key_was_rotated(settings: Settings) -> None:
    old = _signed()
    new = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    settings.ERASURE_SIGNING_KEY = new
    assert public_key_id() != old["public_key_id"]
    assert verify_certificate(old)["scope"] == "item"
    assert verify_certificate(_signed(), public_key_pem())["scope"] == "item"


@pytest.mark.parametrize(
    "given",
    [{}, {"certificate": {}}, {"certificate": [], "signature": ""}, {"certificate": {}, "signature": 1},
     {"certificate": None, "signature": None}],
)  # fmt: skip
def test_what_has_not_the_shape_is_malformed(given: Certificate) -> None:
    assert _refused(given) == "malformed"


@pytest.mark.parametrize(
    "changes",
    [{"signature": ""}, {"signature": "ü"}, {"signature": "not base64!"}, {"signature": "AAAA"},
     {"certificate": {"public_key": 5}}, {"certificate": {"public_key": "PEM"}}, {"certificate": {}}],
)  # fmt: skip
def test_a_signature_or_key_that_is_none_is_refused_without_a_crash(changes: Certificate) -> None:
    assert _refused({**_signed(), **changes}) == "signature"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(b"", "not JSON"), (b"{", "not JSON"), (b"[" * 100_000, "not JSON"), (b"\xff\xfe", "cannot be read"),
     (b"[]", "not a certificate"), (b'"x"', "not a certificate"), (b"{}", "malformed")],
)  # fmt: skip
def test_a_malformed_file_is_a_clear_error(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "certificate.json"
    path.write_bytes(content)
    with pytest.raises(CommandError, match=sentence) as refused:
        call_command("verify_certificate", str(path))
    assert refused.value.returncode == 1


def test_no_file_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("verify_certificate", str(tmp_path / "nowhere.json"))
    with pytest.raises(CommandError, match="Name the certificate"):
        call_command("verify_certificate")


def test_what_the_probe_finds_is_a_failure_and_never_a_certificate(
    alice: User, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table whose rows do not go: each attempt fails, the last hands it to the operators, and all stays hidden."""
    settings.OUTBOX_MAX_ATTEMPTS, settings.OUTBOX_RETRY_SECONDS = 2, 0.0
    allow(alice)
    with acting_as(alice.pk):
        item_decisions.add_stated(permit_of(alice), "I own a vineyard.")
        asked = erasure.forget(alice, ErasureScope.ITEM, str(memories(alice)[0].pk), Sources.REDACT, source="api")
    monkeypatch.setattr(row_deletion, "_delete_matching", lambda model, column, values: 0)
    drain()
    row = reread(asked.pk)
    assert (row.state, row.completed_at, row.certificate, row.signature) == ("escalated", None, None, "")
    assert [(step.state, step.reason) for step in row.steps.all()][4:] == [
        ("processing", ""), ("failed", "ResidueFound"), ("retry_pending", ""),
        ("processing", ""), ("failed", "ResidueFound"), ("retry_pending", ""), ("escalated", "ResidueFound"),
    ]  # fmt: skip
    assert audited(row) == ["erasure.requested", "erasure.escalated"]
    assert memories(alice) == []


def test_an_operator_sends_an_escalated_erasure_on_and_it_completes(
    alice: User, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.OUTBOX_MAX_ATTEMPTS = 1
    allow(alice)
    with acting_as(alice.pk):
        item_decisions.add_stated(permit_of(alice), "I own a vineyard.")
        asked = erasure.forget(alice, ErasureScope.ITEM, str(memories(alice)[0].pk), Sources.REDACT, source="api")
    with monkeypatch.context() as patch:
        patch.setattr(row_deletion, "_delete_matching", lambda model, column, values: 0)
        drain()
    assert reread(asked.pk).state == "escalated"
    services.retry_escalated(asked.pk, alice.pk, None)
    drain()
    assert reread(asked.pk).state == "completed"


def test_one_escalated_before_a_worker_came_to_it_can_still_be_sent_on(alice: User) -> None:
    """Its row in the outbox is done by then, with nothing erased."""
    allow(alice)
    with acting_as(alice.pk):
        item_decisions.add_stated(permit_of(alice), "I own a vineyard.")
        asked = erasure.forget(alice, ErasureScope.ITEM, str(memories(alice)[0].pk), Sources.REDACT, source="api")
    services.escalate_erasure(asked.pk, alice.pk, reason="sla_exceeded")
    drain()
    assert reread(asked.pk).state == "escalated"
    services.retry_escalated(asked.pk, alice.pk, None)
    drain()
    assert reread(asked.pk).state == "completed"
    assert claim() is None
