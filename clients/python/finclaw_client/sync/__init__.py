# Made of finclaw_client/aio by `make client`.
"""The client, written once: ``finclaw_client.sync`` is made of it by ``make client``."""
