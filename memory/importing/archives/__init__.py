"""Import of FinClaw's own archives of one person into an account here, under the consent that its user gave here."""
