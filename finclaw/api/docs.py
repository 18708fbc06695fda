"""The OpenAPI schema and its browsable pages: assets from this server, no inline script or style."""

from __future__ import annotations

from django.urls import path
from drf_spectacular.views import SpectacularJSONAPIView, SpectacularSwaggerSplitView

from finclaw.api.negotiation import SingleFormatNegotiation

schema = SpectacularJSONAPIView.as_view(content_negotiation_class=SingleFormatNegotiation)
docs = SpectacularSwaggerSplitView.as_view(
    content_negotiation_class=SingleFormatNegotiation, url_name="api:schema", template_name="api/docs.html"
)
urlpatterns = [path("schema", schema, name="schema"), path("docs", docs, name="docs")]
