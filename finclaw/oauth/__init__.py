"""Serves OAuth 2.1, by which programs connect on their own: django-oauth-toolkit behind these addresses alone."""
