"""An export holds each portrait as Markdown under its front matter, and every version of it beside them (C-12)."""

from __future__ import annotations

import yaml

from foundation.accounts.models import User
from tests.consent.export.support import everything, exported, manifest_of, rows_of, text_of
from tests.memory.portraits.support import body, edit, portrait, tell
from tests.support.cast import allow, group_with
from tests.support.talk import open_session


def test_a_portrait_leaves_as_markdown_and_its_versions_as_json(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    group = group_with(alice, [bob])
    tell(bob, open_session(bob, group_id=group.pk), "I like mocha coffee.")
    event = tell(alice, open_session(alice), "我喜欢喝茶。")
    edit(alice, body(alice) + "\n- 我会游泳")
    view = portrait(alice)
    assert view is not None
    assert view.own is not None

    archive = exported(alice)

    [path] = [file.path for file in manifest_of(archive, alice).files if file.path.endswith(".md")]
    assert path == f"profiles/portraits/{view.own.id}.md"
    head, _, text = text_of(archive, alice, path).decode().removeprefix("---\n").partition("---\n\n")
    said = yaml.safe_load(head)
    assert text == f"{view.body}\n"
    assert (said["entity_type"], said["entity_id"], said["name"]) == ("user", str(alice.pk), "Alice")
    assert (said["tags"], said["source_event_id"]) == (["游泳", "喝茶"], event)
    kept = rows_of(archive, alice, "profiles/portraits_history.jsonl")
    assert [(one["revision"], one["change"]) for one in kept] == [(1, "learned"), (2, "edited")]
    assert b"mocha" not in everything(archive)
