"""Persona documents, the mode of a conversation, and the signs of preferences."""

import django.core.validators
import django.db.models.deletion
import foundation.ids
import simple_history.models
from django.conf import settings
from django.db import migrations, models

from foundation.database.policies import HideErased, Protect, ProtectTenant

# With its conversation a row goes by itself, and whoever's it is: an erasure acts for one member of a group, and
# row-level security keeps the other members' rows from it. The database's own cascade passes by row-level security.
_HANGS_ON_SESSION = """
    ALTER TABLE {table} ADD CONSTRAINT {table}_session FOREIGN KEY (session_id) REFERENCES memory_session (id)
    ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
"""


def _hangs_on_session(table):
    return migrations.RunSQL(_HANGS_ON_SESSION.format(table=table), f"ALTER TABLE {table} DROP CONSTRAINT {table}_session")


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0007_groupinvitation'),
        ('memory', '0001_squashed_0024_chat_imports'),
        ('consent', '0001_squashed_0009_chat_imports'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='HistoricalPersonaDocument',
            fields=[
                ('id', models.UUIDField(db_index=True, default=foundation.ids.new_id, editable=False)),
                ('kind', models.CharField(choices=[('soul', 'Soul: how it thinks and speaks'), ('identity', 'Identity: who it is')], max_length=10)),
                ('body', models.TextField(validators=[django.core.validators.MaxLengthValidator(4000)], verbose_name='text')),
                ('version', models.PositiveIntegerField(default=1, editable=False)),
                ('created_at', models.DateTimeField(blank=True, editable=False)),
                ('updated_at', models.DateTimeField(blank=True, editable=False)),
                ('history_user_id', models.UUIDField(blank=True, null=True)),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_change_reason', models.CharField(max_length=100, null=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
                ('tenant', models.ForeignKey(blank=True, db_constraint=False, help_text='Empty: for everybody whose organisation has none of its own.', null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='accounts.tenant')),
            ],
            options={
                'verbose_name': 'historical persona document',
                'verbose_name_plural': 'historical persona documents',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name='HistoricalUserDocument',
            fields=[
                ('id', models.UUIDField(db_index=True, default=foundation.ids.new_id, editable=False)),
                ('body', models.TextField(validators=[django.core.validators.MaxLengthValidator(4000)], verbose_name='text')),
                ('version', models.PositiveIntegerField(default=1, editable=False)),
                ('consent_version', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField(blank=True, editable=False)),
                ('updated_at', models.DateTimeField(blank=True, editable=False)),
                ('history_user_id', models.UUIDField(blank=True, null=True)),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_change_reason', models.CharField(max_length=100, null=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
                ('user', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'historical own persona text',
                'verbose_name_plural': 'historical own persona texts',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name='UserDocument',
            fields=[
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('body', models.TextField(validators=[django.core.validators.MaxLengthValidator(4000)], verbose_name='text')),
                ('version', models.PositiveIntegerField(default=1, editable=False)),
                ('consent_version', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'own persona text',
                'verbose_name_plural': 'own persona texts',
            },
        ),
        migrations.CreateModel(
            name='PersonaDocument',
            fields=[
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('soul', 'Soul: how it thinks and speaks'), ('identity', 'Identity: who it is')], max_length=10)),
                ('body', models.TextField(validators=[django.core.validators.MaxLengthValidator(4000)], verbose_name='text')),
                ('version', models.PositiveIntegerField(default=1, editable=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('tenant', models.ForeignKey(blank=True, help_text='Empty: for everybody whose organisation has none of its own.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.tenant')),
            ],
            options={
                'verbose_name': 'persona document',
                'ordering': ('kind', '-updated_at'),
                'constraints': [models.UniqueConstraint(fields=('tenant', 'kind'), name='one_persona_document_of_a_kind', nulls_distinct=False)],
            },
        ),
        migrations.CreateModel(
            name='PersonaSignal',
            fields=[
                ('tombstone_id', models.UUIDField(blank=True, editable=False, null=True)),
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('message_id', models.UUIDField()),
                ('slot', models.CharField(max_length=20)),
                ('value', models.CharField(max_length=20)),
                ('language', models.CharField(max_length=2)),
                ('waiting', models.BooleanField(default=False)),
                ('said_at', models.DateTimeField()),
                ('consent_version', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('session', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.session')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'sign of a preference',
                'verbose_name_plural': 'signs of preferences',
                'ordering': ('said_at', 'id'),
                'indexes': [models.Index(fields=['user', 'slot', '-said_at'], name='my_persona_signals')],
                'constraints': [models.UniqueConstraint(fields=('user', 'message_id', 'slot'), name='one_signal_a_message_and_slot')],
            },
        ),
        migrations.CreateModel(
            name='PersonaState',
            fields=[
                ('tombstone_id', models.UUIDField(blank=True, editable=False, null=True)),
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('mode', models.CharField(choices=[('rational', 'Rational'), ('idol', 'Idol'), ('hybrid', 'Hybrid'), ('strict', 'Strict')], max_length=10)),
                ('mode_source', models.CharField(choices=[('default', 'by default'), ('user', 'you asked for it'), ('rule', 'fits what was said')], max_length=10)),
                ('since', models.DateTimeField()),
                ('since_turn', models.PositiveIntegerField()),
                ('ttl_turns', models.PositiveIntegerField(default=0)),
                ('notes', models.CharField(blank=True, max_length=200)),
                ('wishes', models.JSONField(blank=True, default=dict)),
                ('ruled_turn', models.PositiveIntegerField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('session', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.session')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'way of speaking',
                'verbose_name_plural': 'ways of speaking',
                'ordering': ('-since',),
                'indexes': [models.Index(fields=['user', '-since'], name='my_persona_states')],
                'constraints': [models.UniqueConstraint(fields=('session', 'user'), name='one_persona_state_a_person_and_session')],
            },
        ),
        _hangs_on_session("personas_personastate"),
        _hangs_on_session("personas_personasignal"),
        ProtectTenant("personadocument", everybodys=True),
        ProtectTenant("historicalpersonadocument", everybodys=True),
        Protect("userdocument"),
        Protect("historicaluserdocument"),
        Protect("personastate"),
        Protect("personasignal"),
        HideErased("userdocument", scopes=("account", "profile"), clock="created_at"),
        HideErased("historicaluserdocument", scopes=("account", "profile")),
        HideErased("personastate", scopes=("account",), marked=True, clock="created_at"),
        HideErased("personasignal", scopes=("account", "memories"), marked=True, clock="created_at"),
    ]
