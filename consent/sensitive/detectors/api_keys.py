"""Finds API keys: those of common providers by their shape, others where the text calls them a key."""

from __future__ import annotations

import re
from codecs import decode
from collections.abc import Iterator

from consent.sensitive.candidate_spans import LONG_RUN, matches_in
from consent.sensitive.types import Finding, SensitiveKind

_BEGIN, _END = r"(?<![A-Za-z0-9_-])", r"(?![A-Za-z0-9])"
_PROVIDERS = (
    r"sk-(?:proj-|svcacct-|admin-|ant-[a-z0-9]{3,8}-|or-v1-)?[A-Za-z0-9_-]{30,200}",  # OpenAI, Anthropic, DeepSeek
    r"(?:AKIA|ASIA)[A-Z0-9]{16}",  # Amazon
    r"AIza[A-Za-z0-9_-]{35}",  # Google
    r"GOCSPX-[A-Za-z0-9_-]{28}",  # Google OAuth
    r"gh[pousr]_[A-Za-z0-9]{36,251}",  # GitHub
    r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}",
    r"glpat-[A-Za-z0-9_-]{20,64}",  # GitLab
    r"xox[abeprs]-[A-Za-z0-9-]{20,250}",  # Slack
    r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,120}",  # Stripe
    r"whsec_[A-Za-z0-9]{24,64}",
    r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}",  # SendGrid
    r"hf_[A-Za-z0-9]{30,40}",  # Hugging Face
    r"(?:gsk|xai|r8|pplx|dop_v1|npm)[_-][A-Za-z0-9]{32,120}",  # Groq, xAI, Replicate, Perplexity, DigitalOcean, npm
    r"pypi-AgE[A-Za-z0-9_-]{50,250}",
    r"LTAI[A-Za-z0-9]{12,26}",  # Alibaba Cloud
    r"AKID[A-Za-z0-9]{32}",  # Tencent Cloud
    r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}",  # Telegram
    r"eyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,4000}\.[A-Za-z0-9_-]{20,1000}",  # JSON Web Token, RFC 7519
)
_OF_A_PROVIDER = re.compile(f"{_BEGIN}(?:{'|'.join(_PROVIDERS)}){_END}")
_CALLED = re.compile(
    r"(?:(?:(?:api|access|secret|client|auth)(?:[ _-]?access)?[ _-]?(?:key|token|secret)"
    r"|(?<![a-z])(?:token|secret))(?![a-z0-9])|密钥|密鑰|令牌|凭证|憑證)"
    r"(?:\s|id|[是为為：:=\"'`>]|is(?=\s)){0,8}+(?P<key>(?!0x)[A-Za-z0-9][A-Za-z0-9_/+=.-]{19,127})",
    re.IGNORECASE,
)
_NAMED = re.compile("[A-Za-z_]{2,24}=")  # OPENAI_KEY=…
_REACH = 40  # characters between the word and the key
_MIN_DIGITS = 3  # a key is random, words joined by hyphens are not


def find(text: str) -> Iterator[Finding]:
    """Keys known by their prefix, also in rot13, and random strings that are called key, token or secret."""
    for match in matches_in(LONG_RUN, text, _OF_A_PROVIDER):
        yield Finding(SensitiveKind.API_KEY, *match.span())
    for match in matches_in(LONG_RUN, decode(text, "rot13"), _OF_A_PROVIDER):
        if _looks_random(match.group()):
            yield Finding(SensitiveKind.API_KEY, *match.span())
    for match in matches_in(LONG_RUN, text, _CALLED, before=_REACH):
        named = _NAMED.match(match["key"])
        start, key = match.start("key") + (named.end() if named else 0), match["key"].rstrip(".")
        if _looks_random(key):
            yield Finding(SensitiveKind.API_KEY, start, match.start("key") + len(key))


def _looks_random(key: str) -> bool:
    digits = sum(character.isdigit() for character in key)
    has_both_cases = key not in {key.lower(), key.upper()}
    return digits < len(key) and (digits >= _MIN_DIGITS or (digits > 0 and has_both_cases))
