"""Vectors of knowledge entries, and the node of the graph that an entry is about."""

from django.db import migrations, models
from pgvector.django import HalfVectorField

_NODE = dict(
    blank=True,
    db_default="",
    default="",
    help_text="The node of the organisation's graph that it is about, such as linen-jacket.",
    max_length=120,
    verbose_name="node",
)


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0004_entry_writing")]

    operations = [
        # Not VectorExtension(): reversed, that would drop what other tables need.
        migrations.RunSQL("CREATE EXTENSION IF NOT EXISTS vector", migrations.RunSQL.noop),
        migrations.AddField("knowledgeentry", "graph_node_id", models.CharField(**_NODE)),
        migrations.AddField("historicalknowledgeentry", "graph_node_id", models.CharField(**_NODE)),
        migrations.AddField("knowledgeentry", "vector", HalfVectorField(editable=False, null=True)),
        migrations.AddField(
            "knowledgeentry",
            "model_id",
            models.CharField(blank=True, db_default="", default="", editable=False, max_length=80),
        ),
        migrations.AddIndex("knowledgeentry", models.Index(fields=["model_id"], name="knowledge_by_model")),
    ]
