from django.apps import AppConfig


class PersonasConfig(AppConfig):
    name = "personas"

    def ready(self) -> None:
        from personas import checks  # noqa: F401  system checks register on import
