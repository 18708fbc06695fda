"""Who may touch what, what the database itself refuses, and the terms two laws give."""

from django.db import migrations

from foundation.database.policies import HideErased, Protect
from foundation.database.roles import ENTERED_ROLES, ERASER_ROLE
from foundation.database.urls import APP_ROLE

_LEGAL_STEPS = """
    ALTER TABLE consent_erasurestep ADD CONSTRAINT erasure_step_follows_the_last
        FOREIGN KEY (tombstone_id, previous_step, previous)
        REFERENCES consent_erasurestep (tombstone_id, step, state);
    ALTER TABLE consent_tombstone ADD CONSTRAINT erasure_state_is_its_last_step
        FOREIGN KEY (id, step, state) REFERENCES consent_erasurestep (tombstone_id, step, state)
        DEFERRABLE INITIALLY DEFERRED;
"""
_NO_LEGAL_STEPS = """
    ALTER TABLE consent_tombstone DROP CONSTRAINT erasure_state_is_its_last_step;
    ALTER TABLE consent_erasurestep DROP CONSTRAINT erasure_step_follows_the_last;
"""
# Members of a group must not see what one of them has asked to erase, so everybody reads the fence: two ids and a time.
_FENCE = f"""
    CREATE POLICY everybody_reads ON consent_erasurefence FOR SELECT TO {APP_ROLE}, {", ".join(ENTERED_ROLES)} USING (true);
    REVOKE INSERT, UPDATE, DELETE ON consent_erasurefence FROM {APP_ROLE};
    GRANT INSERT ON consent_erasurefence TO {ERASER_ROLE};
"""
# Of what proves an erasure only the tombstone itself changes, as far as its steps let it.
_FOR_EVER = f"""
    REVOKE DELETE ON consent_tombstone FROM {ERASER_ROLE};
    REVOKE UPDATE, DELETE ON consent_erasurestep, consent_auditevent FROM {ERASER_ROLE};
"""
_PROFILES = (
    ("pipl", "PIPL (China): 15 working days", "CN", "working", 15),
    ("gdpr", "GDPR (EU): one month, counted as 30 days", "", "calendar", 30),
)


def _add_profiles(apps, schema_editor):
    model = apps.get_model("consent", "LegalProfile")
    for code, name, country, sla_type, days in _PROFILES:
        model.objects.using(schema_editor.connection.alias).get_or_create(
            code=code, defaults={"name": name, "country": country, "sla_type": sla_type, "deletion_sla_days": days}
        )


class Migration(migrations.Migration):
    dependencies = [("consent", "0003_erasure_export_audit")]
    operations = [
        Protect("tombstone", append_only=True),
        Protect("erasurestep", append_only=True),
        Protect("erasurefence", append_only=True),
        Protect("auditevent", append_only=True),
        Protect("dataexport"),
        migrations.RunSQL(_LEGAL_STEPS, _NO_LEGAL_STEPS),
        migrations.RunSQL(_FENCE, "DROP POLICY everybody_reads ON consent_erasurefence"),
        migrations.RunSQL(_FOR_EVER, migrations.RunSQL.noop),
        HideErased("dataexport", scopes=("account",), clock="created_at"),
        migrations.RunPython(_add_profiles, migrations.RunPython.noop),
    ]
