"""Defines the type of the data that views pass to templates."""

from __future__ import annotations

from typing import Any

TemplateData = dict[str, Any]  # a row as a template reads it
