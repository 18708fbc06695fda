from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "foundation.accounts"
    label = "accounts"
    verbose_name = "People"

    def ready(self) -> None:
        from foundation.accounts import checks  # noqa: F401  system checks register on import
