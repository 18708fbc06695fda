from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "finclaw.web"
    label = "web"
