"""Receipts are append-only to the application, but for how an answer was taken, which the next message tells."""

from django.db import migrations

from foundation.database.append_only import MakeAppendOnly


class Migration(migrations.Migration):
    dependencies = [("memory", "0029_personalization_is_off")]
    operations = [
        MakeAppendOnly("receipt", filled_later=("closed_at",)),
        MakeAppendOnly("receiptline", filled_later=("utilized", "user_feedback_signal")),
    ]
