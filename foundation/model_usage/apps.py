from django.apps import AppConfig


class ModelUsageConfig(AppConfig):
    name = "foundation.model_usage"
    label = "model_usage"

    def ready(self) -> None:
        from foundation.model_usage import checks  # noqa: F401  system checks register on import
