"""A slice that a task was given does not count as kept back by consent too."""

from django.db import migrations

_IN_ONE_LIST = """
    ALTER TABLE memory_researchtask NO FORCE ROW LEVEL SECURITY;
    UPDATE memory_researchtask SET context = jsonb_set(
        context, '{slices_blocked_by_consent}',
        (SELECT coalesce(jsonb_agg(name ORDER BY name), '[]')
         FROM jsonb_array_elements_text(context->'slices_blocked_by_consent') AS name
         WHERE NOT context->'slices_loaded' ? name)
    )
    WHERE jsonb_typeof(context->'slices_blocked_by_consent') = 'array'
      AND jsonb_typeof(context->'slices_loaded') = 'array';
    ALTER TABLE memory_researchtask FORCE ROW LEVEL SECURITY;
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0031_judged_search_entries")]

    operations = [migrations.RunSQL(_IN_ONE_LIST, migrations.RunSQL.noop)]
