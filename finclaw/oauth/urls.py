"""Routes OAuth's addresses.

The consent page runs outside a transaction at first, because it may fetch the program's document from a slow server.
"""

from __future__ import annotations

from django.db.transaction import non_atomic_requests
from django.urls import path

from finclaw.oauth.authorize_page import AuthorizePage
from finclaw.oauth.discovery import AuthorizationServerView, ProtectedResourceView
from finclaw.oauth.endpoints import ProgramTokenView, RegistrationView, RevocationView

app_name = "oauth"
urlpatterns = [
    path(".well-known/oauth-authorization-server", AuthorizationServerView.as_view(), name="authorization_server"),
    path(".well-known/oauth-protected-resource", ProtectedResourceView.as_view(), name="protected_resource"),
    path(
        ".well-known/oauth-protected-resource/<slug:resource>",
        ProtectedResourceView.as_view(),
        name="one_protected_resource",
    ),
    path("oauth/authorize", non_atomic_requests(AuthorizePage.as_view()), name="authorize"),
    path("oauth/token", ProgramTokenView.as_view(), name="token"),
    path("oauth/revoke", RevocationView.as_view(), name="revoke"),
    path("oauth/register", RegistrationView.as_view(), name="register"),
]
