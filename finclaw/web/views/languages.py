"""The language of the pages, chosen in the footer by a visitor or a member."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views import View
from django.views.i18n import set_language

from foundation.accounts.models import User
from foundation.accounts.services import update_profile


class PageLanguage(View):
    """Stores the choice in a cookie, and in the account of a signed-in user; then redirects back."""

    http_method_names = ("post", "options")

    def post(self, request: HttpRequest) -> HttpResponse:
        """Store the language, unless the pages do not exist in it."""
        language = request.POST.get("language", "")
        if isinstance(request.user, User) and language in dict(settings.LANGUAGES):
            update_profile(request.user, language=language)
        back: HttpResponse = set_language(request)
        return back


def remember_language(response: HttpResponse, language: str) -> HttpResponse:
    """Make this browser show the pages in ``language`` after signing out, too; if empty, in the browser's own."""
    if language:
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            language,
            max_age=settings.LANGUAGE_COOKIE_AGE,
            secure=settings.LANGUAGE_COOKIE_SECURE,
            httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
            samesite="Lax",
        )
    else:
        response.delete_cookie(settings.LANGUAGE_COOKIE_NAME)
    return response
