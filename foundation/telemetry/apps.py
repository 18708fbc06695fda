from django.apps import AppConfig


class TelemetryConfig(AppConfig):
    name = "foundation.telemetry"
    label = "telemetry"
