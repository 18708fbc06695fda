"""Memory quality: seven indicators, their alerts, the acceptance of releases, the evaluation set."""
