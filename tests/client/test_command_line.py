"""The command ``finclaw`` adds, finds and exports, and says what to do where it cannot."""

from __future__ import annotations

import json

import pytest
from finclaw_client.command_line import main
from pytest_django.live_server_helper import LiveServer

from foundation.accounts.models import User
from foundation.accounts.services import issue_token
from tests.support.cast import allow, allow_nothing
from tests.support.ports import free_port

pytestmark = pytest.mark.django_db(transaction=True)
Output = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _signed_in(alice: User, live_server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FINCLAW_URL", live_server.url)
    monkeypatch.setenv("FINCLAW_TOKEN", issue_token(alice)[1])


def test_a_stranger_is_told_so(capsys: Output) -> None:
    assert main(["search", "vineyard", "--token", "made-up"]) == 1
    assert "(token_invalid)" in capsys.readouterr().err


def test_without_consent_it_says_where_consent_is_given(alice: User, capsys: Output) -> None:
    allow_nothing(alice)
    assert main(["add", "I own a vineyard."]) == 1
    told = capsys.readouterr()
    assert (told.out, "under Privacy" in told.err, "Settings" in told.err) == ("", True, False)
    assert main(["context", "What do I own?"]) == 0
    assert capsys.readouterr().out == "Memory was not searched: consent_missing.\n"


def test_what_is_added_is_found_and_stands_in_the_context(alice: User, capsys: Output) -> None:
    allow(alice)
    assert main(["add", "--verbatim", "I own a vineyard in Burgundy.", "--json"]) == 0
    [kept] = json.loads(capsys.readouterr().out)["results"]
    assert main(["search", "Where is my vineyard?"]) == 0
    assert capsys.readouterr().out.startswith(kept["memory_id"])
    assert main(["context", "Where is my vineyard?", "--tokens", "500"]) == 0
    assert "Burgundy" in capsys.readouterr().out
    assert main(["search", "Who won the football match?"]) == 0
    assert capsys.readouterr().out == "Nothing that is remembered answers it.\n"


def test_a_server_that_is_away_and_an_address_that_is_none_are_named(capsys: Output) -> None:
    nobody = f"http://127.0.0.1:{free_port()}"
    assert main(["search", "vineyard", "--url", nobody]) == 1
    assert f"cannot be reached at {nobody}" in capsys.readouterr().err
    assert main(["search", "vineyard", "--url", "nowhere"]) == 2
    assert "https://finclaw.example" in capsys.readouterr().err
