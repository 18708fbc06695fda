"""FinClaw behind the interfaces of agent frameworks; each module needs its framework, as an extra."""
