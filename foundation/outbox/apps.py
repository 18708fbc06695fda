from django.apps import AppConfig


class OutboxConfig(AppConfig):
    name = "foundation.outbox"
    label = "outbox"
    verbose_name = "System"
