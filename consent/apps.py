from django.apps import AppConfig


class ConsentConfig(AppConfig):
    name = "consent"
    verbose_name = "Consent"

    def ready(self) -> None:
        from consent import checks  # noqa: F401  system checks register on import
        from consent.export import checks as export_checks  # noqa: F401
