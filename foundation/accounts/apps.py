from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "foundation.accounts"
    label = "accounts"
    verbose_name = "People"
