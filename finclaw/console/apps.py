from django.contrib.admin.apps import AdminConfig


class ConsoleConfig(AdminConfig):
    """The operators' admin, in place of Django's default site."""

    default_site = "finclaw.console.site.OperatorSite"

    def ready(self) -> None:
        super().ready()  # loads every app's admin.py
        from finclaw.console import (  # noqa: F401  last: they replace pages that came before
            admin,
            checks,
            erasure_requests,
            experiments,
            feedback,
            historian_admin,
            kill_switches,
            people,
            prompt_versions,
            proposals,
            research,
            service_tokens,
            training_candidates,
        )
