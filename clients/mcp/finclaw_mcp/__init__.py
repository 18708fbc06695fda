"""FinClaw for assistants that speak the Model Context Protocol, over Streamable HTTP and over stdio.

A translation of tools into requests to FinClaw's HTTP API, made in the name of whoever's token a request carries:
consent, row-level security, receipts and erasure are the API's, and nothing is stored here.
"""
