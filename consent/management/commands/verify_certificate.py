"""Check an erasure certificate, with nothing but the file and a public key: no database is asked."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError

from consent.erasure.certificate import verify_certificate
from consent.erasure.signing import public_key_id, public_key_pem
from consent.exceptions import CertificateInvalid


class Command(BaseCommand):
    help = "Check the signature of an erasure certificate, or print this installation's public key."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", nargs="?", type=Path, help="the downloaded certificate (JSON)")
        parser.add_argument(
            "--public-key",
            type=Path,
            help="a PEM file with the public key to check with, instead of the key that the certificate names",
        )
        parser.add_argument(
            "--print-key",
            action="store_true",
            help="print this installation's public key and its id, and check nothing",
        )

    def handle(self, *args: Any, file: Path | None, public_key: Path | None, print_key: bool, **options: Any) -> None:
        if print_key:
            self.stdout.write(f"{public_key_pem()}id {public_key_id()}")
            return
        if file is None:
            raise CommandError("Name the certificate's file, or ask for --print-key.")
        trusted = _read_text(public_key) if public_key else ""
        try:
            certificate = verify_certificate(_parse_certificate(_read_text(file)), trusted)
        except CertificateInvalid as error:
            raise CommandError(f"NOT VALID ({error.details['reason']}): {error.message}") from None
        self.stdout.write(self.style.SUCCESS("VALID: signed as it stands."))
        self._describe(certificate, is_trusted=bool(trusted))

    def _describe(self, certificate: dict[str, Any], *, is_trusted: bool) -> None:
        for name in ("tombstone_id", "scope", "requested_at", "completed_at"):
            self.stdout.write(f"{name}: {certificate[name]}")
        self.stdout.write(f"rows erased: {sum(certificate['deleted'].values())}")
        self.stdout.write(f"rows left when looked for: {certificate['verification']['residual']}")
        if not is_trusted:
            key = public_key_id(certificate["public_key"])
            self.stdout.write(f"Signed by the key {key}: compare it with the one FinClaw's operator publishes.")


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read: {type(error).__name__}") from None


def _parse_certificate(text: str) -> dict[str, Any]:
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        raise CommandError("This is not JSON.") from None
    if not isinstance(given, dict):
        raise CommandError("This is not a certificate.")
    return given
