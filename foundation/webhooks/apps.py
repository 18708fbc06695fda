from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "foundation.webhooks"
    label = "webhooks"
    verbose_name = "Webhooks"
