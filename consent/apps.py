from django.apps import AppConfig


class ConsentConfig(AppConfig):
    name = "consent"
    verbose_name = "Consent"

    def ready(self) -> None:
        from consent import checks  # noqa: F401  system checks register on import
