"""Research in a real browser: from the first decision to a thread looked at again; by anybody, on any screen."""

from __future__ import annotations

import io
import zipfile
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from drift.models import DriftSignal
from drift.services import REOPENED_TOPIC
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from tests.web.browser.conftest import OpenPage
from tests.web.browser.journey import allow_everything, come_back, sign_up
from tests.web.browser.test_accessibility import barriers

pytestmark = pytest.mark.browser

QUESTION = (
    "I think demand for NVDA chips will rise. Revenue rose 20% on 2026-02-01, according to the filing."
    " But rivals are catching up. If margins fall below 50%, that ends. Will margins hold?"
)
TURNED = (
    "I expect a glut: inventories pile up while customers cancel."
    " Orders fell 30% on 2026-08-01, according to the filing."
    " Inventory reached 120 days on 2026-08-01. Two customers cancelled 40,000 units on 2026-08-10."
    " Prices dropped 15% on 2026-08-12. A supplier announced cuts on 2026-08-13. Lead times shrank to 4 weeks."
    " If orders recover, it is over."
)


def watched_to_its_end(page: Page) -> None:
    """A task asked for, run by the worker while its page looks on by itself."""
    page.wait_for_url("**/research/tasks/*/")
    drain()
    if page.get_by_text("Waiting for its turn…").count():
        page.reload()
    expect(page.locator("#result")).to_be_visible()


def asked(page: Page, question: str) -> None:
    """A question asked, with a look at what it would be given first where scripts run."""
    page.get_by_role("link", name="Ask", exact=True).click()
    page.get_by_label("What do you want to look into?").fill(question)
    page.get_by_role("button", name="Start").click()
    watched_to_its_end(page)


def kept_as_thread(page: Page) -> None:
    """The result of a task kept, with why it matters."""
    page.get_by_role("link", name="Keep it, or say what you think").click()
    page.get_by_role("link", name="Keep it as a thread…").click()
    page.get_by_label("Title").fill("Is NVDA worth it?")
    page.get_by_label("Keep what I say here with the thread").check()
    page.get_by_label("What you care about").fill("My pension fund holds it")
    page.get_by_role("button", name="Keep as a thread").click()
    page.wait_for_url("**/threads/*/")


def watch_question_reopened(page: Page) -> None:
    """The first question called answered, then asked again."""
    page.get_by_role("button", name="It is answered").first.click()
    page.get_by_role("button", name="Ask it again").first.click()
    expect(page.locator("#watch").get_by_text("Reopened")).to_be_visible()


def an_hour_passes() -> None:
    """What waits to be looked at later is looked at now."""
    alice = User.objects.get(username="alice")
    with acting_as(alice.pk):
        waiting = OutboxMessage.objects.get(topic=REOPENED_TOPIC)
        waiting.available_at = waiting.created_at - timedelta(minutes=1)
        waiting.save(update_fields=["available_at"])
    drain()


def export_of(page: Page) -> zipfile.ZipFile:
    """The copy of everything about oneself, fetched."""
    page.goto("/privacy/copy/")
    page.get_by_role("button", name="Collect my data").click()
    expect(page.get_by_text("Waiting for its turn…")).to_be_visible()
    drain()
    page.reload()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    return zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes()))


@pytest.mark.parametrize("scripts", [True, False])
def test_from_the_first_question_to_a_thesis_turned_round(open_page: OpenPage, *, scripts: bool) -> None:
    page = open_page(scripts=scripts)
    sign_up(page, "alice")
    allow_everything(page)
    asked(page, QUESTION)
    expect(page.locator("#lead + .headline")).to_contain_text("demand for NVDA chips will rise")
    kept_as_thread(page)

    page.get_by_label("What is new").fill(TURNED)
    page.get_by_role("button", name="Look again").click()
    watched_to_its_end(page)
    page.get_by_role("link", name="Is NVDA worth it?").click()
    expect(page.locator(".timeline__bar")).to_have_count(2)
    expect(page.locator(".difference ins").first).to_contain_text("I expect a glut")
    watch_question_reopened(page)
    an_hour_passes()

    alice = User.objects.get(username="alice")
    with acting_as(alice.pk):
        written = {signal.signal_kind: signal.drift_id for signal in DriftSignal.objects.all()}
    assert "refresh_stance_flip" in written
    for address in (page.url, "/threads/", "/research/", "/privacy/", "/privacy/withdraw/", "/privacy/erasures/"):
        page.goto(address)
        assert "drift" not in page.content().casefold()
    with export_of(page) as archive:
        held = [name for name in archive.namelist() if "persona_drift/" in name]
    assert {key for key in written.values() if any(key in name for name in held)} == set(written.values())


def test_a_preview_follows_what_is_typed_and_feedback_is_thanked_for_in_place(open_page: OpenPage) -> None:
    page = open_page(375)
    come_back(page)
    page.goto("/research/")
    page.get_by_label("What do you want to look into?").press_sequentially("What could go wrong with NVDA?")
    expect(page.locator("#preview")).to_contain_text("Challenge the risks.")
    page.get_by_label("Kind of research").select_option(label="Snapshot")
    expect(page.locator("#preview")).to_contain_text("Where something stands")
    expect(page.locator("#preview")).to_contain_text("Your language")
    page.get_by_role("button", name="Start").click()
    watched_to_its_end(page)
    page.get_by_role("link", name="Keep it, or say what you think").click()
    page.get_by_label("Why, in your words").fill("有道理")
    page.get_by_role("button", name="Helpful", exact=True).click()
    expect(page.locator("#feedback")).to_contain_text("Thank you, noted.")
    assert "/research/snapshots/" in page.url


def test_no_page_of_research_has_a_barrier(open_page: OpenPage) -> None:
    page = open_page()
    come_back(page)
    page.goto("/threads/")
    found = barriers(page)
    page.goto("/research/")
    found += barriers(page)
    page.get_by_label("What do you want to look into?").fill(QUESTION)
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/research/tasks/*/")
    found += barriers(page)
    watched_to_its_end(page)
    found += barriers(page)
    kept_as_thread(page)
    found += barriers(page)
    page.get_by_label("What is new").fill(TURNED)
    page.get_by_role("button", name="Look again").click()
    watched_to_its_end(page)
    page.get_by_role("link", name="Is NVDA worth it?").click()
    for summary in page.locator("summary").all():
        summary.click()
    found += barriers(page)
    thread = page.url
    for more in ("close/", "preferences/", "forget/"):
        page.goto(thread + more)
        found += barriers(page)
    assert found == []
