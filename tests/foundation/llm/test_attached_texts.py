"""The offline model quotes what attached files say, as theirs."""

from __future__ import annotations

from foundation.llm.offline_model import OfflineModel
from foundation.llm.types import Message, Prompt
from foundation.sanitization.types import SafeText


def test_a_file_is_quoted_by_its_name() -> None:
    attached = (
        '<attachment name="R&amp;D.pdf" kind="document">\nTea is &lt;cheap&gt; in May.\nNothing else.\n</attachment>'
    )
    prompt = Prompt(SafeText(""), (Message("user", SafeText("When is tea cheap?")),), context=SafeText(attached))

    reply = OfflineModel().call(prompt, "offline")

    assert "“Tea is <cheap> in May.” (R&D.pdf said this)" in reply.text
    assert "Nothing else" not in reply.text
