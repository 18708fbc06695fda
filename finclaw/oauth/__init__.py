"""How programs are connected by themselves: OAuth 2.1 by django-oauth-toolkit, of which only this package is served."""
