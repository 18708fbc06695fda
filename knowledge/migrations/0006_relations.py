"""Relations between the nodes of organisations' graphs."""

import django.db.models.deletion
from django.db import migrations, models

import foundation.ids
from foundation.database.policies import ProtectTenant


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_squashed_0007_groupinvitation"),
        ("knowledge", "0005_entry_vectors"),
    ]

    operations = [
        migrations.CreateModel(
            name="KnowledgeRelation",
            fields=[
                (
                    "id",
                    models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "from_node",
                    models.CharField(help_text="A node, such as linen-jacket.", max_length=120, verbose_name="from"),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("pairs_with", "goes with"),
                            ("part_of", "is part of"),
                            ("requires", "requires"),
                            ("excludes", "excludes"),
                        ],
                        max_length=12,
                    ),
                ),
                ("to_node", models.CharField(help_text="Another node.", max_length=120, verbose_name="to")),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="accounts.tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "relation of knowledge",
                "verbose_name_plural": "relations of knowledge",
                "ordering": ("from_node", "kind", "to_node"),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "from_node", "kind", "to_node"), name="one_relation_a_tenant"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("from_node", models.F("to_node")), _negated=True),
                        name="relation_between_two_nodes",
                    ),
                ],
            },
        ),
        ProtectTenant("knowledgerelation"),
    ]
