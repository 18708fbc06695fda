"""Conversations from elsewhere, through the product's own door."""
