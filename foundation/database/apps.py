from django.apps import AppConfig


class DatabaseConfig(AppConfig):
    name = "foundation.database"
    label = "database"
