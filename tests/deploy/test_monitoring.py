"""Every alert is tested by promtool and told in the manual; alerts and dashboard ask for metrics that there are."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import Any, Final

import pytest
import yaml
from django.conf import settings
from prometheus_client import Counter, Gauge, Histogram

from foundation.telemetry import metrics
from tests.deploy.proxies import EXAMPLES

FOLDER = EXAMPLES / "prometheus"
RULES: list[dict[str, Any]] = yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"][0]["rules"]
DASHBOARD: dict[str, Any] = json.loads((EXAMPLES / "grafana" / "finclaw.json").read_text())
OF_OTHERS: Final = {"up", "probe_success"}
OF_PATRONI: Final = {  # 4.1; bench/high_availability compares them with what a node shows
    "patroni_dcs_last_seen", "patroni_postgres_running", "patroni_postgres_timeline", "patroni_primary",
    "patroni_quorum_standby", "patroni_xlog_location", "patroni_xlog_replayed_location",
}  # fmt: skip
IN_A_SELECTOR = re.compile(r"\{[^}]*\}|\[[^\]]*\]|\b(?:by|on|group_right)\s*\([^)]*\)|\"[^\"]*\"")
WORDS = {"sum", "max", "min", "rate", "increase", "time", "and", "or", "on", "by", "group_right", "histogram_quantile"}


def _own_metrics() -> set[str]:
    names = set()
    for metric in vars(metrics).values():
        if isinstance(metric, Counter):
            names.add(f"{metric._name}_total")
        elif isinstance(metric, Gauge):
            names.add(metric._name)
        elif isinstance(metric, Histogram):
            names |= {f"{metric._name}_{part}" for part in ("bucket", "sum", "count")}
    return names


def _asked_for(expression: str) -> set[str]:
    return set(re.findall(r"\b[a-z_]{2,}\b", IN_A_SELECTOR.sub(" ", expression))) - WORDS


def _panels() -> list[tuple[str, str]]:
    return [(panel["title"], target["expr"]) for panel in DASHBOARD["panels"] for target in panel["targets"]]


@pytest.mark.parametrize(("title", "expression"), _panels())
def test_each_panel_asks_for_a_metric_that_there_is(title: str, expression: str) -> None:
    assert _asked_for(expression)
    assert _asked_for(expression) <= _own_metrics() | OF_OTHERS | OF_PATRONI


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule["alert"]))
def test_each_alert_asks_for_a_metric_that_there_is_and_has_a_paragraph_in_the_manual(rule: dict[str, Any]) -> None:
    manual = (settings.BASE_DIR / "docs" / "operating.md").read_text()

    assert _asked_for(rule["expr"]) <= _own_metrics() | OF_OTHERS | OF_PATRONI
    assert f"\n### {rule['alert']}\n" in manual
    assert rule["annotations"]["runbook"] == f"docs/operating.md#{rule['alert'].lower()}"


def test_promtool_finds_that_each_alert_fires_when_it_should() -> None:
    tested = {
        case["alert_rule_test"][0]["alertname"]: len(case["alert_rule_test"][0].get("exp_alerts", ()))
        for case in yaml.safe_load((FOLDER / "alerts_test.yml").read_text())["tests"]
        if case["alert_rule_test"][0].get("exp_alerts")
    }
    promtool = shutil.which("promtool")
    assert promtool, "promtool is not here: .ci/system-packages installs it on Debian"

    assert set(tested) == {rule["alert"] for rule in RULES}
    subprocess.run([promtool, "test", "rules", "alerts_test.yml"], cwd=FOLDER, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([promtool, "check", "config", "--syntax-only", "prometheus.yml"], cwd=FOLDER, check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
