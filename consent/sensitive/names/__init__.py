"""Finds names of private people by two trained taggers, one for Chinese characters and one for Latin words."""
