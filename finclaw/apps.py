from django.apps import AppConfig

from finclaw.model_names import translate_automatic_names


class FinClawConfig(AppConfig):
    name = "finclaw"

    def ready(self) -> None:
        from finclaw import checks, projection_checks  # noqa: F401  system checks register on import

        translate_automatic_names()
