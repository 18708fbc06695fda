from __future__ import annotations

import secrets
from time import monotonic, sleep
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import connections
from django.utils import timezone
from rich.console import Console
from rich.markdown import Markdown
from rich.panel import Panel
from rich.table import Table

from consent.services import grant_consent, permit_for
from finclaw.brain import turn
from finclaw.brain.types import TurnRequest, TurnResult
from finclaw.startup import update_tables
from finclaw.web.chat_end import build_end_input
from foundation.accounts.models import User
from foundation.accounts.notices import NOTICE_VERSION, acknowledge_notice
from foundation.accounts.services import sign_up
from foundation.database.acting_user import acting_as
from foundation.database.availability import require_writable
from foundation.database.bootstrap import bootstrap
from foundation.database.embedded_server import EmbeddedServer
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.historian import events
from memory.historian import services as historian
from memory.models import Session
from memory.services import item_decisions, item_queries, sessions

SAID = ("I prefer concise answers and I follow BTC", "我现在不喜欢运动风了,喜欢简约的")
ASKED = ("What do I follow?", "我喜欢什么风格?")
LONGEST_WAIT_SECONDS: Final = 120.0
LOOK_SECONDS: Final = 0.2


def finish_jobs(user: User) -> None:
    """Run what is due for the user, and wait for what the workers of a running installation took."""
    until = monotonic() + LONGEST_WAIT_SECONDS
    drain()
    while _has_due_jobs(user) and monotonic() < until:
        sleep(LOOK_SECONDS)
        drain()


def _has_due_jobs(user: User) -> bool:
    with acting_as(user.pk):
        unfinished = OutboxMessage.objects.filter(user_id=user.pk, state__in=OutboxMessage.UNFINISHED)
        return unfinished.filter(available_at__lte=timezone.now()).exists()


class Command(BaseCommand):
    """A tour in the terminal: consent, two conversations, what was learned, and why it came up."""

    help = "A scripted tour of FinClaw in the terminal."

    def handle(self, *args: Any, **options: Any) -> None:
        self.console = Console()
        self._prepare()
        user, _ = sign_up(f"tour-{secrets.token_hex(4)}", secrets.token_urlsafe(16), display_name="Maya")
        self._consent(user)
        self._first_conversation(user)
        self._second_conversation(user)
        self._correction(user)
        self._leave()
        self.console.print("\n[bold]That was the tour.[/] [dim]make run[/] starts the pages.")

    def _prepare(self) -> None:
        server = None if settings.DATABASE_URL else EmbeddedServer(settings.DATA_DIR)
        if server is not None:
            server.start()
            require_writable(server)
            bootstrap(server)
        update_tables(server)

    def _leave(self) -> None:
        if not settings.DATABASE_URL:
            connections.close_all()
            EmbeddedServer(settings.DATA_DIR).stop_if_unused()

    def _consent(self, user: User) -> None:
        self._chapter(
            "May it remember?", "Maya allows all four scopes. Without a scope, nothing of it is stored or used."
        )
        with acting_as(user.pk):
            acknowledge_notice(user, NOTICE_VERSION)
            consent = grant_consent(user, tuple(ConsentScope), source="command")
        for scope in ConsentScope:
            self.console.print(f"  [green]on[/]  {scope.value}")
        self.console.print(f"  consent version {consent.version}, stamped on every memory from here on")

    def _first_conversation(self, user: User) -> None:
        self._chapter("She says something", "Two messages, in two languages; the worker learns from them.")
        session = self._session(user)
        for text in SAID:
            self._say(user, session, text)
        with acting_as(user.pk):
            permit, session = permit_for(user), Session.objects.get(pk=session.pk)
            historian.end(permit, user, session, build_end_input(permit, user, session))
        finish_jobs(user)
        self._show_memories(user)

    def _second_conversation(self, user: User) -> None:
        self._chapter("She comes back", "A new conversation. Each answer says what it used, and why.")
        session = self._session(user)
        for text in ASKED:
            self._explain(self._say(user, session, text))
        drain()

    def _correction(self, user: User) -> None:
        self._chapter("She corrects it", "The old statement keeps its place in the history.")
        with acting_as(user.pk):
            permit = permit_for(user)
            old = item_queries.items_of(permit).filter(state="active", attributes__slot="follows").first()
            if old is None:
                return
            new = item_decisions.correct(permit, old.pk, "Follows ETH, not BTC")
            for version in item_queries.history_of(permit, new):
                self.console.print(f"  version {version.version}  {version.content}  [dim]{version.state}[/]")

    def _session(self, user: User) -> Session:
        with acting_as(user.pk):
            return sessions.start_session(permit_for(user), user)

    def _say(self, user: User, session: Session, text: str) -> TurnResult:
        result = turn.reply(user, TurnRequest(session.pk, ({"type": "text", "text": text},)))
        self.console.print(f"\n  [bold]Maya[/]     {text}\n  [bold]FinClaw[/]  {result.reply}")
        return result

    def _explain(self, result: TurnResult) -> None:
        table = Table("remembered", "because it", "came from", "how sure", box=None, padding=(0, 2))
        for memory in result.memories_used:
            sure = "" if memory.confidence is None else f"{memory.confidence:.0%}"
            reason = "fits what was asked" if memory.decision_reason == "relevance" else memory.decision_reason
            text = Markdown(memory.text) if memory.kind == "profile" else memory.text
            table.add_row(text, reason, memory.provenance or memory.kind, sure)
        self.console.print(table)

    def _show_memories(self, user: User) -> None:
        table = Table("statement", "kind", "provenance", "confidence", box=None, padding=(0, 2))
        with acting_as(user.pk):
            permit = permit_for(user)
            for item in item_queries.items_of(permit):
                table.add_row(item.content, item.memory_type, item.provenance, f"{item.confidence:.2f}")
            happened = [event.canonical_text for event in events.events_of(permit)]
        self.console.print(table)
        for sentence in happened:
            self.console.print(f"  event  {sentence}")

    def _chapter(self, title: str, sentence: str) -> None:
        self.console.print(Panel(sentence, title=f"[bold]{title}", title_align="left", border_style="dim"))
