"""Every change of a memory has its own row; receipts close; no two open memories say the same in the same words."""

import django.db.models.deletion
import foundation.ids
from django.conf import settings
from django.db import migrations, models

from foundation.database.policies import HideErased, Protect
from foundation.database.urls import APP_ROLE

# Of several open rows with the same words the latest stays; the others end as if it had replaced them at once. The
# owner sees no row of a protected table, so for these two statements the protection is lifted.
_CLOSE_DUPLICATES = """
    ALTER TABLE memory_memoryitem NO FORCE ROW LEVEL SECURITY;
    ALTER TABLE memory_searchentry NO FORCE ROW LEVEL SECURITY;
    WITH ranked AS (
        SELECT id, first_value(id) OVER same AS latest FROM memory_memoryitem
        WHERE superseded_at IS NULL AND tombstone_id IS NULL
        WINDOW same AS (PARTITION BY user_id, group_id, content_hash ORDER BY created_at DESC, id DESC)
    ), closed AS (
        UPDATE memory_memoryitem item
        SET state = 'superseded', superseded_at = now(), invalid_at = item.valid_at, superseded_by_id = ranked.latest
        FROM ranked WHERE ranked.id = item.id AND ranked.latest <> item.id
        RETURNING item.id
    )
    UPDATE memory_searchentry SET live = false WHERE id IN (SELECT id FROM closed);
    SET CONSTRAINTS ALL IMMEDIATE;
    ALTER TABLE memory_memoryitem FORCE ROW LEVEL SECURITY;
    ALTER TABLE memory_searchentry FORCE ROW LEVEL SECURITY;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_browsersession'),
        ('memory', '0006_handed_over_is_seen'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='EvolutionEvent',
            fields=[
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('chain_id', models.UUIDField()),
                ('action', models.CharField(choices=[('added', 'Learned'), ('superseded', 'Replaced by a newer statement'), ('retired', 'Found no longer true'), ('confirmed', 'Confirmed'), ('corrected', 'Corrected'), ('quarantined', 'Set aside until you decide'), ('accepted', 'Accepted'), ('rejected', 'Rejected'), ('merged', 'Merged with what says the same'), ('resolved', 'A contradiction was settled'), ('calibrated', 'Became more or less sure'), ('fused', 'Held back after it was called wrong'), ('outdated', 'Marked as out of date'), ('undone', 'A change was undone')], max_length=12)),
                ('actor', models.CharField(choices=[('person', 'you'), ('pipeline', 'learning from conversation'), ('governor', 'regular upkeep')], max_length=10)),
                ('rule', models.CharField(blank=True, max_length=80)),
                ('inputs', models.JSONField(blank=True, default=dict)),
                ('before', models.JSONField(blank=True, default=dict)),
                ('after', models.JSONField(blank=True, default=dict)),
                ('undone_at', models.DateTimeField(blank=True, null=True)),
                ('consent_version', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'verbose_name': 'change of a memory',
                'verbose_name_plural': 'changes of memories',
                'ordering': ('created_at', 'id'),
            },
        ),
        migrations.AddField(
            model_name='memoryitem',
            name='correction_count',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='memoryitem',
            name='injection_count',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='memoryitem',
            name='miss_count',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='memoryitem',
            name='positive_count',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='receipt',
            name='closed_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='receipt',
            name='context_hash',
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.AddField(
            model_name='receiptline',
            name='sanitization_result',
            field=models.CharField(blank=True, max_length=10),
        ),
        migrations.AddField(
            model_name='session',
            name='summarized_seq',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.RunSQL(_CLOSE_DUPLICATES, migrations.RunSQL.noop),
        migrations.AddConstraint(
            model_name='memoryitem',
            constraint=models.UniqueConstraint(condition=models.Q(('superseded_at', None), ('tombstone_id', None)), fields=('user', 'group', 'content_hash'), name='one_open_item_of_the_same_words', nulls_distinct=False),
        ),
        migrations.AddField(
            model_name='evolutionevent',
            name='item',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='memory.memoryitem'),
        ),
        migrations.AddField(
            model_name='evolutionevent',
            name='user',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddIndex(
            model_name='evolutionevent',
            index=models.Index(fields=['user', 'chain_id', 'created_at'], name='changes_of_a_chain'),
        ),
        migrations.AddIndex(
            model_name='evolutionevent',
            index=models.Index(fields=['user', '-created_at'], name='my_changes'),
        ),
        migrations.AlterModelOptions(
            name="searchentry",
            options={"verbose_name": "search entry", "verbose_name_plural": "search entries"},
        ),
        Protect("evolutionevent"),
        HideErased("evolutionevent", scopes=("account", "memories"), clock="created_at"),
        migrations.RunSQL(
            f"GRANT UPDATE (summary_blocks, summarized_seq) ON memory_session TO {APP_ROLE}",
            f"REVOKE UPDATE (summary_blocks, summarized_seq) ON memory_session FROM {APP_ROLE}",
        ),
    ]
