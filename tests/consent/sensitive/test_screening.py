"""What becomes of a finding: refused or masked, by field."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consent.sensitive.exceptions import SensitiveInput
from consent.sensitive.policy import FIELD_POLICIES, SECRETS, SensitivePolicy, policy_for
from consent.sensitive.services import ScreenedText, redact_text, screen_text
from consent.sensitive.types import SensitiveKind
from tests.consent.sensitive.samples import PERSONAL, SAMPLES, Sample
from tests.consent.sensitive.samples import SECRETS as SECRET_SAMPLES


@pytest.mark.parametrize("sample", SECRET_SAMPLES, ids=lambda sample: sample.kind.value)
def test_no_field_takes_a_secret(sample: Sample) -> None:
    start = sample.text.index(sample.value)
    for field in FIELD_POLICIES:
        with pytest.raises(SensitiveInput) as refusal:
            screen_text(field, sample.text)
        assert refusal.value.details == {
            "field": field, "kinds": [sample.kind.value], "spans": [[start, start + len(sample.value)]],
        }  # fmt: skip
        assert sample.value not in f"{refusal.value.message}{refusal.value!r}{refusal.value.details}"


@pytest.mark.parametrize("sample", PERSONAL, ids=lambda sample: sample.kind.value)
def test_addresses_and_names_are_masked_or_refused_by_the_field(sample: Sample) -> None:
    for field in FIELD_POLICIES:
        _is_masked_or_refused(field, sample)


def _is_masked_or_refused(field: str, sample: Sample) -> None:
    if policy_for(field, sample.kind) is SensitivePolicy.KEEP:
        assert screen_text(field, sample.text) == ScreenedText(sample.text)
        return
    if FIELD_POLICIES[field] is SensitivePolicy.REJECT:
        with pytest.raises(SensitiveInput):
            screen_text(field, sample.text)
        return
    masked = sample.text.replace(sample.value, f"[redacted:{sample.kind.value}]")
    assert screen_text(field, sample.text) == ScreenedText(masked, (sample.kind,))


def test_a_name_is_kept_where_a_name_is_asked_for_and_all_but_secrets_of_an_organisation() -> None:
    kept = {
        (field, kind)
        for field in FIELD_POLICIES
        for kind in SensitiveKind
        if policy_for(field, kind) is SensitivePolicy.KEEP
    }
    named = ("username", "display_name", "name")
    of_organisations = ("tenant_name", "external_id", "consent_statement")
    assert kept == {
        *((field, SensitiveKind.PERSONAL_NAME) for field in named),
        *((field, kind) for field in of_organisations for kind in SensitiveKind if kind not in SECRETS),
    }


def test_every_kind_of_secret_is_refused_in_every_field_by_the_table() -> None:
    assert {policy_for(field, kind) for field in FIELD_POLICIES for kind in SECRETS} == {SensitivePolicy.REJECT}


def test_a_field_nobody_decided_on_is_a_mistake_of_ours() -> None:
    with pytest.raises(KeyError):
        screen_text("unheard_of", "write to carol@example.com")


def test_only_what_is_refused_is_named_in_the_refusal() -> None:
    with pytest.raises(SensitiveInput) as refusal:
        screen_text("content", "carol@example.com 4242 4242 4242 4242")
    assert refusal.value.details["kinds"] == ["bank_card"]


@pytest.mark.parametrize(("text", "name"), [("My name is Alice Liddell.", "alice liddell"), ("我叫王小明", "王小明")])
def test_the_names_of_the_person_and_the_speakers_are_no_secrets(text: str, name: str) -> None:
    assert screen_text("content", text, [name]) == ScreenedText(text)
    assert screen_text("content", text, ["Bob"]).masked == (SensitiveKind.PERSONAL_NAME,)


@given(st.lists(st.sampled_from(SAMPLES), max_size=4), st.text(max_size=30))
def test_what_was_masked_is_found_no_more(samples: list[Sample], text: str) -> None:
    once = redact_text("\n".join([text, *(sample.text for sample in samples), text]))
    assert redact_text(once) == once
    assert not any(sample.value in once for sample in samples)


def test_harmless_text_is_kept_to_the_letter() -> None:
    text = "　买入600519.SH１００股，order 4012888888881882，tx 0xdeadbeef  "
    assert screen_text("content", text) == ScreenedText(text)
