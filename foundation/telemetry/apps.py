from django.apps import AppConfig


class TelemetryConfig(AppConfig):
    name = "foundation.telemetry"
    label = "telemetry"

    def ready(self) -> None:
        from foundation.telemetry import checks  # noqa: F401  system checks register on import
        from foundation.telemetry.trace_export import start_export

        start_export()
