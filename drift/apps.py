from django.apps import AppConfig


class DriftConfig(AppConfig):
    name = "drift"

    def ready(self) -> None:
        from drift import checks  # noqa: F401  registers what is checked at start
