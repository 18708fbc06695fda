"""The root URL configuration."""

from __future__ import annotations

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from finclaw.web.views import errors

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/", include("finclaw.api.urls")),
    path("", include("finclaw.mem0_api.urls")),
    path("v1/", include("finclaw.openai_api.urls")),
    path("", include("finclaw.oauth.urls")),
    path("", include("finclaw.health.urls")),
    path("admin/", admin.site.urls),
    path("", include("finclaw.web.urls")),
]

handler400 = errors.bad_request
handler403 = errors.permission_denied
handler404 = errors.not_found
handler500 = errors.server_error
