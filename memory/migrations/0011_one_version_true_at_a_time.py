"""No two versions of one memory are true of the world at the same time."""

import django.contrib.postgres.constraints
from django.db import migrations, models

# A range of one key is how GiST compares keys without an extension.
_RANGE = "CREATE TYPE uuidrange AS RANGE (subtype = uuid)"

# A version that ended after the next of its chain began ends where that begins.
_END_IN_TIME = """
    ALTER TABLE memory_memoryitem NO FORCE ROW LEVEL SECURITY;
    UPDATE memory_memoryitem item
    SET invalid_at = greatest(item.valid_at, (
        SELECT min(later.valid_at) FROM memory_memoryitem later
        WHERE later.user_id = item.user_id AND later.chain_id = item.chain_id AND later.version > item.version
        AND (later.invalid_at IS NULL OR later.invalid_at > later.valid_at)
    ))
    WHERE EXISTS (
        SELECT FROM memory_memoryitem later
        WHERE later.user_id = item.user_id AND later.chain_id = item.chain_id AND later.version > item.version
        AND (later.invalid_at IS NULL OR later.invalid_at > later.valid_at)
        AND (item.invalid_at IS NULL OR later.valid_at < item.invalid_at)
    );
    SET CONSTRAINTS ALL IMMEDIATE;
    ALTER TABLE memory_memoryitem FORCE ROW LEVEL SECURITY;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0010_proposals_and_experience'),
    ]

    operations = [
        migrations.RunSQL(_RANGE, "DROP TYPE uuidrange"),
        migrations.RunSQL(_END_IN_TIME, migrations.RunSQL.noop),
        migrations.AddConstraint(
            model_name='memoryitem',
            constraint=django.contrib.postgres.constraints.ExclusionConstraint(condition=models.Q(('version__gt', 1), ('superseded_at__isnull', False), _connector='OR'), expressions=[(models.Func('chain_id', 'chain_id', models.Value('[]'), function='uuidrange'), '&&'), (models.Func('valid_at', 'invalid_at', function='tstzrange'), '&&')], name='one_version_true_at_a_time'),
        ),
    ]
