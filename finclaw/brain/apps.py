from django.apps import AppConfig


class BrainConfig(AppConfig):
    name = "finclaw.brain"
    label = "brain"

    def ready(self) -> None:
        from finclaw.brain import checks  # noqa: F401  system checks register on import
