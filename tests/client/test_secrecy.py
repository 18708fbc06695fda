"""The token reaches the configured server alone, no error repeats it, and an archive is for its owner's eyes."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest
from finclaw_client import ClientError, ConfigurationError, FinClaw
from finclaw_client.command_line import main

from tests.client.test_requests import Scripted, said

ARCHIVE = httpx2.Response(200, content=b"PK", headers={"content-type": "application/zip"})


def _ready(address: str) -> httpx2.Response:
    return said(export_id="e", state="ready", download_url=address)


@pytest.mark.parametrize("token", ["hid den", "hid\rden", "hid\x00den", "hidden\u00e9", "\u200bhidden"])
def test_a_token_that_cannot_be_one_is_refused_without_being_repeated(
    token: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ConfigurationError) as refused:
        FinClaw("https://f.example", token)
    assert "hid" not in repr(refused.value)
    assert (refused.value.__cause__, refused.value.__context__) == (None, None)
    assert main(["search", "vineyard", "--url", "https://f.example", "--token", token]) == 2
    assert "hid" not in "".join(capsys.readouterr())


def test_line_breaks_around_a_token_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FINCLAW_TOKEN", "secret\r\n")
    server = Scripted(said())
    FinClaw("https://f.example", transport=httpx2.MockTransport(server)).user()
    assert server.asked[0].headers["authorization"] == "Bearer secret"


def test_a_user_who_cannot_stand_in_a_header_is_refused() -> None:
    with pytest.raises(ConfigurationError):
        FinClaw("https://f.example", "t", user="ann\r\nX: y")


def test_the_password_of_an_address_is_neither_sent_nor_repeated() -> None:
    server = Scripted(*[httpx2.ConnectError("refused")] * 3)
    client = FinClaw("https://ann:hidden@f.example", "t", transport=httpx2.MockTransport(server))
    with pytest.raises(ClientError, match=r"https://f\.example/") as failed:
        client.user()
    assert "hidden" not in repr(failed.value)
    assert (server.asked[0].url.userinfo, server.asked[0].headers["authorization"]) == (b"", "Bearer t")
    for address in (
        "ftp://ann:hidden@f.example",
        "ann:hidden@f.example",
        "https://ann:hidden@",
        "https://a:hidden@[::",
    ):
        with pytest.raises(ConfigurationError, match=r"FINCLAW_URL .*https://finclaw\.example") as refused:
            FinClaw(address, "t")
        assert "hidden" not in repr(refused.value)


def test_an_archive_comes_from_the_configured_server_whatever_name_it_gives_itself(tmp_path: Path) -> None:
    server = Scripted(_ready("http://elsewhere.example/api/exports/download/k:1?x=2"), ARCHIVE)
    assert server.client().exports.download("e", tmp_path / "a.zip") == 2
    assert str(server.asked[1].url) == "https://f.example/api/exports/download/k:1?x=2"
    with pytest.raises(ClientError, match="below the configured address"):
        server.client()._get(dict, "http://elsewhere.example/api/users/me")
    assert len(server.asked) == 2


def test_an_archive_is_for_its_owner_alone_and_replaces_a_file_once_it_is_there(tmp_path: Path) -> None:
    file = tmp_path / "a.zip"
    file.write_bytes(b"of before")
    page = httpx2.Response(200, html="<p>Welcome</p>")
    with pytest.raises(ClientError, match="text/html"):
        Scripted(_ready("https://f.example/api/exports/download/k"), page).client().exports.download("e", file)
    assert (file.read_bytes(), list(tmp_path.iterdir())) == (b"of before", [file])
    Scripted(_ready("https://f.example/api/exports/download/k"), ARCHIVE).client().exports.download("e", file)
    assert (file.read_bytes(), file.stat().st_mode & 0o777, list(tmp_path.iterdir())) == (b"PK", 0o600, [file])


@pytest.mark.parametrize(
    ("content", "media_type"), [(b"<p>Welcome</p>", "text/html"), (b"", "text/plain"), (b"{", "application/json")]
)
def test_a_success_that_is_no_json_is_an_error_that_asks_for_the_address(content: bytes, media_type: str) -> None:
    answers = [httpx2.Response(200, content=content, headers={"content-type": media_type}) for _ in range(2)]
    client = Scripted(*answers).client()
    for ask in (client.user, lambda: client.memories.add("I own a vineyard.")):
        with pytest.raises(ClientError, match=r"f\.example is not FinClaw's .*; is its address right\?"):
            ask()
