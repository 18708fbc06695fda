"""Through PgBouncer in transaction mode, the one of Debian 12: people stay apart, and the tables are migrated."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from django.conf import settings

from foundation.accounts.services import issue_token
from foundation.database.acting_user import acting_as
from foundation.database.bootstrap import bootstrap
from foundation.database.embedded_server import EmbeddedServer
from foundation.database.urls import APP_ROLE, OWNER_ROLE
from tests.deploy.proxies import pooled_url
from tests.support.cast import allow, make_person
from tests.support.web_server import PATIENCE_SECONDS, WebServer

pytestmark = [pytest.mark.workers, pytest.mark.django_db(transaction=True)]
PEOPLE = 5
UNPREPARED = {"DATABASE_PREPARED_STATEMENTS": "false"}


def test_turns_of_many_people_over_two_connections_stay_apart(server: WebServer) -> None:
    names = [f"person-{number}" for number in range(PEOPLE)]
    with ThreadPoolExecutor(PEOPLE) as people:
        told = list(people.map(lambda person: _said_and_read(server.address, *person), map(_token_of, names)))
    assert told == [[f"I follow the coin of {name}."] for name in names]


def _token_of(name: str) -> tuple[str, str]:
    person = make_person(name)
    allow(person)
    with acting_as(person.pk):
        return name, issue_token(person)[1]


def _said_and_read(address: str, name: str, token: str) -> list[str]:
    """Everything of theirs that a person finds in all conversations, after having said something in one."""
    with httpx.Client(base_url=f"{address}/api/", timeout=PATIENCE_SECONDS) as client:
        client.headers.update({"Authorization": f"Token {token}", "X-Forwarded-Proto": "https"})
        session = client.post("sessions", json={}).json()["session_id"]
        answer = client.post(f"sessions/{session}/messages", json={"content": f"I follow the coin of {name}."})
        assert answer.status_code == 200, answer.text
        sessions = [each["session_id"] for each in client.get("sessions").json()["results"]]
        found = [client.get(f"sessions/{each}/messages").json()["results"] for each in sessions]
    return [message["content"] for messages in found for message in messages if message["role"] == "user"]


def test_a_database_is_migrated_through_it(pooler: int) -> None:
    server, name = EmbeddedServer(settings.DATA_DIR), f"test_pgbouncer_{os.getpid()}"
    bootstrap(server, name)
    try:
        urls = {
            "DATABASE_URL": pooled_url(APP_ROLE, pooler, name),
            "DATABASE_OWNER_URL": pooled_url(OWNER_ROLE, pooler, name),
        }
        command = [sys.executable, "manage.py", "migrate", "outbox", "--database", "owner", "--skip-checks"]
        environment = os.environ | urls | UNPREPARED
        subprocess.run(command, cwd=settings.BASE_DIR, env=environment, check=True, stdout=subprocess.DEVNULL)
        with server.connect(name) as connection:
            protected = connection.execute("SELECT count(*) FROM pg_class WHERE relforcerowsecurity").fetchone()
        assert protected is not None
        assert protected[0] > 0
    finally:
        with server.connect() as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
