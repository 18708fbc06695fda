"""Puts FinClaw behind the interfaces of agent frameworks; each module needs its framework, installed as an extra."""
