"""What a first look at very many search entries goes by, and indexes that hold all of it (M-19, large users).

A person of ten thousand entries had ten thousand scattered rows of two kilobytes read for every question. Now their
Bloom filters and quantized vectors, in the index, choose those few hundred that are read.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import memory.models.search
from foundation.database.urls import APP_ROLE

# Two bits a lexeme in a filter of 16 to 32 bits a lexeme, a power of two: of a hundred lexemes that are not there about
# one seems to be (Bloom 1970: (1 - e^(-2/16))² = 1.4 %). At most 8,192 bits, so that the index takes every entry.
_BLOOM = """
    CREATE FUNCTION memory_bloom(terms tsvector) RETURNS varbit LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
    DECLARE
        size int := least(8192, 64 << greatest(0, ceil(log(2, greatest(1, length(terms)) / 4.0))::int));
        filter varbit := repeat('0', size)::varbit;
        lexeme text;
        hash bigint;
    BEGIN
        FOREACH lexeme IN ARRAY tsvector_to_array(terms) LOOP
            hash := hashtextextended(lexeme, 0);
            filter := set_bit(set_bit(filter, (hash & (size - 1))::int, 1), (hash >> 32 & (size - 1))::int, 1);
        END LOOP;
        RETURN filter;
    END $$
"""
# Uncompressed: every look would have to unpack them. The table is written anew, so it grows by nothing but the bits.
_QUANTIZE = """
    ALTER TABLE memory_searchentry
        ALTER COLUMN quantized TYPE varbit USING binary_quantize(vector)::varbit,
        ALTER COLUMN quantized SET STORAGE EXTERNAL, ALTER COLUMN bloom SET STORAGE EXTERNAL
"""
# Members rewrite a neighbour's entry (see 0002).
_GRANT = f"GRANT UPDATE (quantized) ON memory_searchentry TO {APP_ROLE}"
# An index alone answers only for pages that a vacuum has seen: by default it waits for a fifth of the table.
_VACUUM = """
    ALTER TABLE memory_searchentry SET (
        autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.02
    )
"""
_UNDO_VACUUM = """
    ALTER TABLE memory_searchentry RESET (autovacuum_vacuum_insert_scale_factor, autovacuum_vacuum_scale_factor)
"""
_FIRST_LOOK = (
    "id", "session_id", "occurred_at", "live", "created_at", "tombstone_id", "model_id", "length", "quantized", "bloom",
)


class Migration(migrations.Migration):

    dependencies = [("memory", "0012_what_holds_no_more")]

    operations = [
        migrations.RunSQL(_BLOOM, "DROP FUNCTION memory_bloom"),
        migrations.AddField(
            model_name="searchentry",
            name="length",
            field=models.GeneratedField(
                db_persist=True,
                expression=models.Func("terms", function="length"),
                output_field=models.IntegerField(),
            ),
        ),
        migrations.AddField(
            model_name="searchentry",
            name="bloom",
            field=models.GeneratedField(
                db_persist=True,
                expression=models.Func("terms", function="memory_bloom"),
                output_field=memory.models.search.BitString(),
            ),
        ),
        migrations.AddField(
            model_name="searchentry", name="quantized", field=memory.models.search.BitString(null=True)
        ),
        migrations.RunSQL(_QUANTIZE, migrations.RunSQL.noop),
        migrations.RunSQL(_GRANT, migrations.RunSQL.noop),
        migrations.RemoveIndex(model_name="searchentry", name="entries_of_user"),
        migrations.RemoveIndex(model_name="searchentry", name="entries_of_group"),
        migrations.AddIndex(
            model_name="searchentry",
            index=models.Index(fields=["user", "kind"], include=("group", *_FIRST_LOOK), name="first_look_at_own"),
        ),
        migrations.AddIndex(
            model_name="searchentry",
            index=models.Index(
                condition=models.Q(("group__isnull", False)),
                fields=["group", "kind"],
                include=("user", *_FIRST_LOOK),
                name="first_look_in_group",
            ),
        ),
        migrations.AlterField(
            model_name="searchentry",
            name="user",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AlterField(
            model_name="searchentry",
            name="group",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="accounts.chatgroup",
            ),
        ),
        migrations.RunSQL(_VACUUM, _UNDO_VACUUM),
    ]
