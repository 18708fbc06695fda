from django.apps import AppConfig

from finclaw.model_names import translate_automatic_names


class FinClawConfig(AppConfig):
    name = "finclaw"

    def ready(self) -> None:
        translate_automatic_names()
