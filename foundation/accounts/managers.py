"""How accounts and access tokens are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth.base_user import BaseUserManager
from django.db import models
from django.utils import timezone

from foundation.accounts.fields import KEPT_BESIDE
from foundation.accounts.tokens import new_token, token_digest, token_key

if TYPE_CHECKING:
    from foundation.accounts.models import ApiToken, User


class UserManager(BaseUserManager["User"]):
    """Creates users and superusers."""

    def create_user(self, username: str, password: str | None = None, **fields: Any) -> User:
        user = self.model(username=self.model.normalize_username(username), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def looking_like(self, skeleton: str) -> models.QuerySet[User]:
        """The users whose name has this skeleton, those from before look-alikes were refused included."""
        return self.filter(
            models.Q(username_skeleton=skeleton) | models.Q(username_skeleton__startswith=f"{skeleton}{KEPT_BESIDE}")
        )

    def create_superuser(self, username: str, password: str | None = None, **fields: Any) -> User:
        return self.create_user(username, password, is_staff=True, is_superuser=True, **fields)


class ApiTokenManager(models.Manager["ApiToken"]):
    """Creates tokens, of which only the digest is stored."""

    def issue(self, user: User, name: str = "") -> tuple[ApiToken, str]:
        """A new token and its plain text."""
        plain = new_token()
        token = self.create(
            user=user,
            name=name,
            digest=token_digest(plain),
            token_key=token_key(plain),
            expiry=timezone.now() + settings.TOKEN_TTL,
        )
        return token, plain
