"""Import of our own archives into another account: of one person, under the consent that they gave here."""
