"""How good the memory is, measured: seven indicators, their alerts, the release's acceptance, the evaluation set."""
