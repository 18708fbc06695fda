"""Reads the text of files: pure functions over bytes, which know neither users nor the database."""
