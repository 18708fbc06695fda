"""Names of private people given as such, by two trained taggers: of Chinese characters and of Latin words."""
