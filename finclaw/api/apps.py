from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "finclaw.api"
    label = "api"
