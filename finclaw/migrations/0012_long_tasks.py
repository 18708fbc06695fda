"""The view of all long tasks, which each role reads by its own rights.

A later migration that alters a column that the view reads drops the view first and makes it anew.
"""

from django.db import migrations, models

VIEW = """
    CREATE VIEW finclaw_taskstatus WITH (security_invoker = true) AS
    SELECT id, user_id, 'research' AS kind, state, progress, step,
           cancel_requested_at IS NOT NULL AND ended_at IS NULL AS is_stopping, is_unseen, error_code, created_at,
           ended_at, NULL::timestamptz AS expires_at
    FROM memory_researchtask
    UNION ALL
    SELECT id, user_id, 'export',
           CASE state WHEN 'building' THEN 'running' WHEN 'ready' THEN 'completed' WHEN 'expired' THEN 'completed'
                      ELSE state END,
           progress, CASE state WHEN 'building' THEN state ELSE '' END, false, is_unseen,
           CASE state WHEN 'failed' THEN error_class ELSE '' END, created_at, finished_at, expires_at
    FROM consent_dataexport
    UNION ALL
    SELECT id, user_id, 'import',
           CASE WHEN state IN ('checking', 'storing') THEN 'running' WHEN state IN ('done', 'undone') THEN 'completed'
                WHEN state = 'refused' THEN 'failed' ELSE state END,
           CASE WHEN state IN ('done', 'undone') THEN 100 WHEN conversations > 0
                THEN least(99, read::bigint * 100 / conversations) ELSE 0 END::smallint,
           CASE WHEN state IN ('checking', 'storing') THEN state ELSE '' END, false, is_unseen,
           CASE state WHEN 'refused' THEN 'file_refused' WHEN 'failed'
                THEN coalesce(nullif(reason_details ->> 'reason', ''), 'broken_off') ELSE '' END,
           created_at, finished_at, NULL
    FROM memory_chatimport
"""


class Migration(migrations.Migration):

    dependencies = [
        ('finclaw', '0011_prompt_versions'),
        ('consent', '0017_announced_exports'),
        ('memory', '0054_announced_tasks'),
    ]

    operations = [
        migrations.RunSQL(VIEW, "DROP VIEW finclaw_taskstatus"),
        migrations.CreateModel(
            name='TaskStatus',
            fields=[
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('user_id', models.UUIDField()),
                ('kind', models.CharField(choices=[('research', 'Research'), ('export', 'A copy of your data'), ('import', 'Bringing chats in')], max_length=10)),
                ('state', models.CharField(choices=[('pending', 'Waiting'), ('running', 'Running'), ('completed', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], max_length=9)),
                ('progress', models.PositiveSmallIntegerField()),
                ('step', models.CharField(max_length=40)),
                ('is_stopping', models.BooleanField()),
                ('is_unseen', models.BooleanField()),
                ('error_code', models.CharField(max_length=80)),
                ('created_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(null=True)),
                ('expires_at', models.DateTimeField(null=True)),
            ],
            options={
                'verbose_name': 'long task',
                'ordering': ('-created_at',),
                'managed': False,
                'default_permissions': (),
            },
        ),
    ]
