"""The sensitive input classifier: how long a message takes it, and whether any text can make it crawl.

    python -m bench.classifier --seconds 20

The fuzz puts together texts of 8,000 characters from pieces that patterns begin with and fails when one of them takes
longer than its budget: a pattern that backtracks badly would need minutes.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from time import perf_counter, thread_time

from bench.report import publish
from consent.sensitive.classifier import classify_sensitive
from consent.sensitive.corpus import read_corpus

MESSAGE_CHARS = 2_000
FUZZ_CHARS = 8_000
FUZZ_BUDGET_MS = 250.0
TARGET_MS = 1.0
ROUNDS = 50
_PIECES = (
    "0", "1", "62", "138", "4242 ", "4-", "1 ", "(", ") ", "+", "+1 ", "@", "a@", "a.", "a-", ".com", "://", "A", "Ab ",
    "0x", "f0", "bc1q", "T", "5K", "sk-", "eyJ", "eyJa.", "=", ":", "token ", "secret key ", "api_key = ",
    "-----BEGIN ", "PRIVATE KEY-----", "abandon ", "about ", "zoo, ", "的 ", "一、", "助记词", "私钥", "我叫", "王",
    "我的名字", "是", "my name is ", "call me ", "John ", "O'", "DE89", "GB29 NWBK ",
    "2026-03-02", "\u200b", "４２", "，", "\n", " ", "卡号", "电话",
)  # fmt: skip
_ORDINARY = {
    "English": "She said that the committee would meet again on Tuesday because nobody had read the papers. ",
    "English, finance": "I hold 1,250 shares of AAPL at $182.35, bought on 2026-03-02 with an order over 5000 USD. ",
    "Chinese": "我更喜欢简约的回答，请先说结论，再列出三条理由，最后补充风险提示。",
    "Chinese, finance": "我在2026-03-02买入600519.SH共1250股，成本价1682.35元，支撑位4500、4510，市值13800000000元。",
}


def message_times() -> dict[str, dict[str, float]]:
    """Milliseconds of ordinary messages of 2,000 characters, and of one made of the corpus, secrets and all."""
    corpus = " ".join(example.text for example in read_corpus())
    messages = {name: (text * MESSAGE_CHARS)[:MESSAGE_CHARS] for name, text in _ORDINARY.items()}
    return {name: _percentiles([_timed(text) for _ in range(ROUNDS)]) for name, text in messages.items()} | {
        "corpus": _percentiles([_timed(part) for part in _parts(corpus) for _ in range(3)])
    }


def fuzz(seconds: float, seed: int) -> dict[str, float]:
    """Milliseconds of random texts, for so long."""
    chance = random.Random(seed)
    until = perf_counter() + seconds
    times = []
    while perf_counter() < until:
        times.append(_timed(_text(chance)))
    return _percentiles(times) | {"texts": len(times)}


def _text(chance: random.Random) -> str:
    """A few pieces repeated in runs: what makes a pattern begin, and begin again."""
    chosen = chance.sample(_PIECES, chance.randint(1, 4))
    text = ""
    while len(text) < FUZZ_CHARS:
        text += "".join(chance.choices(chosen, k=chance.randint(1, 400)))
    return text[:FUZZ_CHARS]


def _parts(text: str) -> Iterator[str]:
    return (text[at : at + MESSAGE_CHARS] for at in range(0, len(text) - MESSAGE_CHARS, MESSAGE_CHARS))


def _timed(text: str) -> float:
    started = thread_time()  # of the processor: a busy machine must not look like a slow pattern
    classify_sensitive(text)
    return (thread_time() - started) * 1000


def _percentiles(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {"p50 ms": ordered[len(ordered) // 2], "p95 ms": ordered[int(len(ordered) * 0.95)], "max ms": ordered[-1]}


def main() -> int:
    """Print the table, write the figures; answer 1 where a target was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seed", type=int, default=20261122)
    arguments = parser.parse_args()
    classify_sensitive("warm up: the word lists and number tables are read at the first use, +86 138 0013 8000")
    figures = message_times()
    slow = [name for name in _ORDINARY if figures[name]["p50 ms"] >= TARGET_MS]
    figures["fuzz, 8,000 characters"] = fuzz(arguments.seconds, arguments.seed)
    publish("classifier", "Sensitive input classifier", figures)
    return int(bool(slow) or figures["fuzz, 8,000 characters"]["max ms"] > FUZZ_BUDGET_MS)


if __name__ == "__main__":
    sys.exit(main())
