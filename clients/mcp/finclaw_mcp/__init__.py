"""FinClaw for assistants that speak the Model Context Protocol, over Streamable HTTP and over stdio.

It translates tools into requests to FinClaw's HTTP API, made with the token of each request's sender. Consent,
row-level security, receipts and erasure are the API's task, and nothing is stored here.
"""
