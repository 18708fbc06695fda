"""Labelled texts that the guards are fitted to and judged by."""
