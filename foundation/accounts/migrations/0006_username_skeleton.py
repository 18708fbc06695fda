from django.contrib.auth.validators import UnicodeUsernameValidator
from django.db import migrations, models

import foundation.accounts.fields
import foundation.accounts.validators
from foundation.accounts.fields import KEPT_BESIDE
from foundation.text.confusables import skeleton_of

CHUNK = 1_000


def fill_skeletons(apps, schema_editor):
    """The eldest account keeps the skeleton as it is; its look-alikes get a suffix: they stay, and none is added."""
    User = apps.get_model("accounts", "User")
    seen, filled = set(), []
    for user in User.objects.using(schema_editor.connection.alias).order_by("date_joined", "id").only("username").iterator():
        skeleton = skeleton_of(user.username)
        user.username_skeleton = f"{skeleton}{KEPT_BESIDE}{user.pk.hex}" if skeleton in seen else skeleton
        seen.add(skeleton)
        filled.append(user)
    User.objects.using(schema_editor.connection.alias).bulk_update(filled, ["username_skeleton"], batch_size=CHUNK)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0005_attemptcount")]
    operations = [
        migrations.AddField(
            "user", "username_skeleton", models.TextField(null=True, editable=False), preserve_default=False
        ),
        migrations.RunPython(fill_skeletons, migrations.RunPython.noop),
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AlterField(
            "user", "username_skeleton", foundation.accounts.fields.SkeletonField(editable=False, unique=True)
        ),
        migrations.AlterField(
            "user",
            "username",
            models.CharField(
                error_messages={"unique": "This user name is taken."},
                max_length=60,
                unique=True,
                validators=[UnicodeUsernameValidator(), foundation.accounts.validators.validate_characters],
                verbose_name="user name",
            ),
        ),
        migrations.AlterField(
            "user",
            "display_name",
            models.CharField(
                blank=True, max_length=60, validators=[foundation.accounts.validators.validate_characters]
            ),
        ),
        migrations.CreateModel(
            "QuarantinedName",
            fields=[
                ("digest", models.CharField(max_length=64, primary_key=True, serialize=False)),
                ("until", models.DateTimeField(db_index=True)),
            ],
        ),
    ]
