from django.apps import AppConfig


class MediaConfig(AppConfig):
    name = "media"

    def ready(self) -> None:
        from media import checks  # noqa: F401  system checks register on import
