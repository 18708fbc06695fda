"""The composition of the project: apps, middleware, templates, browser and password policy.

Nothing here differs between installations.
"""

from __future__ import annotations

from csp.constants import NONE, SELF

from finclaw.settings.environment import BASE_DIR

INSTALLED_APPS = [
    "finclaw",
    "finclaw.web",
    "finclaw.api",
    "finclaw.console.apps.ConsoleConfig",
    "finclaw.brain",
    "drift",
    "personas",
    "memory",
    "knowledge",
    "media",
    "consent",
    "foundation.accounts",
    "foundation.outbox",
    "foundation.database",
    "foundation.telemetry",
    "foundation.model_usage",
    "foundation.webhooks",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "csp",
    "django_htmx",
    "django_otp",
    "django_otp.plugins.otp_static",
    "django_otp.plugins.otp_totp",
    "django_q",
    "oauth2_provider",
    "simple_history",
]

MIDDLEWARE = [
    "foundation.telemetry.middleware.RequestIdMiddleware",
    "foundation.telemetry.middleware.SpanMiddleware",
    "foundation.telemetry.middleware.MetricsMiddleware",
    "finclaw.middleware.ReleaseConnectionMiddleware",
    "finclaw.middleware.ActingProgramMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "finclaw.middleware.NoStoreMiddleware",
    "csp.middleware.CSPMiddleware",
    "finclaw.middleware.BodyLimitMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "finclaw.middleware.RefusalMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_otp.middleware.OTPMiddleware",
    "finclaw.web.middleware.AccountLanguageMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "simple_history.middleware.HistoryRequestMiddleware",
    "finclaw.middleware.RestoredBackupMiddleware",
    "finclaw.middleware.DatabaseDownMiddleware",
    "finclaw.web.middleware.PageErrorsMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.i18n",
                "finclaw.web.context_processors.cognition",
                "finclaw.web.context_processors.invitations",
                "finclaw.web.context_processors.task_news",
            ],
        },
    },
]

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    },
}
AUTHENTICATION_BACKENDS = [
    "foundation.accounts.backends.LimitedBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
