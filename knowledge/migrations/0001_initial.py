"""What an organisation knows, and the names that assets go by there."""

import django.contrib.postgres.fields
import django.contrib.postgres.search
import django.core.validators
import django.db.models.deletion
import django.utils.timezone
import foundation.ids
import simple_history.models
from django.db import migrations, models

from foundation.database.policies import HideErased, ProtectTenant

_LEARNED = ("account", "memories")


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0001_squashed_0007_groupinvitation'),
        ('consent', '0001_squashed_0009_chat_imports'),
    ]

    operations = [
        migrations.CreateModel(
            name='HistoricalKnowledgeEntry',
            fields=[
                ('id', models.UUIDField(db_index=True, default=foundation.ids.new_id, editable=False)),
                ('org_tiers', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('brand_hq', 'Brand headquarters'), ('regional_agent', 'Regional agent'), ('franchise_store', 'Franchise store')], max_length=20), blank=True, default=list, help_text='Where it holds: brand_hq, regional_agent, franchise_store, separated by commas. Empty: all.', size=None, verbose_name='tiers')),
                ('kind', models.CharField(choices=[('rule', 'Rule'), ('tone', 'Tone'), ('fact', 'Fact')], default='fact', max_length=10)),
                ('subject', models.CharField(blank=True, help_text='Whom or what it is about.', max_length=120)),
                ('slot', models.CharField(blank=True, help_text='For a rule that overrules memories: what of the subject it settles, such as reply_style.', max_length=60)),
                ('text', models.TextField(validators=[django.core.validators.MaxLengthValidator(2000)])),
                ('source', models.CharField(blank=True, help_text='Where it is written, or who decided it.', max_length=200)),
                ('valid_from', models.DateTimeField(default=django.utils.timezone.now, verbose_name='valid from')),
                ('valid_to', models.DateTimeField(blank=True, null=True, verbose_name='valid to')),
                ('version', models.PositiveIntegerField(default=1, editable=False)),
                ('derived_from_user', models.UUIDField(blank=True, editable=False, null=True)),
                ('consent_version', models.PositiveIntegerField(default=0, editable=False)),
                ('created_at', models.DateTimeField(blank=True, editable=False)),
                ('updated_at', models.DateTimeField(blank=True, editable=False)),
                ('history_user_id', models.UUIDField(blank=True, null=True)),
                ('history_id', models.AutoField(primary_key=True, serialize=False)),
                ('history_date', models.DateTimeField(db_index=True)),
                ('history_change_reason', models.CharField(max_length=100, null=True)),
                ('history_type', models.CharField(choices=[('+', 'Created'), ('~', 'Changed'), ('-', 'Deleted')], max_length=1)),
                ('tenant', models.ForeignKey(blank=True, db_constraint=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='accounts.tenant')),
            ],
            options={
                'verbose_name': 'historical knowledge entry',
                'verbose_name_plural': 'historical knowledge',
                'ordering': ('-history_date', '-history_id'),
                'get_latest_by': ('history_date', 'history_id'),
            },
            bases=(simple_history.models.HistoricalChanges, models.Model),
        ),
        migrations.CreateModel(
            name='AssetAlias',
            fields=[
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('canonical', models.CharField(help_text='The ticker or pair, as exchanges write it.', max_length=60)),
                ('alias', models.CharField(max_length=60)),
                ('tenant', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.tenant')),
            ],
            options={
                'verbose_name': 'name of an asset',
                'verbose_name_plural': 'names of assets',
                'ordering': ('canonical', 'alias'),
                'constraints': [models.UniqueConstraint(fields=('tenant', 'canonical', 'alias'), name='one_alias_a_tenant', nulls_distinct=False)],
            },
        ),
        migrations.CreateModel(
            name='KnowledgeEntry',
            fields=[
                ('tombstone_id', models.UUIDField(blank=True, editable=False, null=True)),
                ('id', models.UUIDField(default=foundation.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('org_tiers', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(choices=[('brand_hq', 'Brand headquarters'), ('regional_agent', 'Regional agent'), ('franchise_store', 'Franchise store')], max_length=20), blank=True, default=list, help_text='Where it holds: brand_hq, regional_agent, franchise_store, separated by commas. Empty: all.', size=None, verbose_name='tiers')),
                ('kind', models.CharField(choices=[('rule', 'Rule'), ('tone', 'Tone'), ('fact', 'Fact')], default='fact', max_length=10)),
                ('subject', models.CharField(blank=True, help_text='Whom or what it is about.', max_length=120)),
                ('slot', models.CharField(blank=True, help_text='For a rule that overrules memories: what of the subject it settles, such as reply_style.', max_length=60)),
                ('text', models.TextField(validators=[django.core.validators.MaxLengthValidator(2000)])),
                ('terms', django.contrib.postgres.search.SearchVectorField(editable=False)),
                ('source', models.CharField(blank=True, help_text='Where it is written, or who decided it.', max_length=200)),
                ('valid_from', models.DateTimeField(default=django.utils.timezone.now, verbose_name='valid from')),
                ('valid_to', models.DateTimeField(blank=True, null=True, verbose_name='valid to')),
                ('version', models.PositiveIntegerField(default=1, editable=False)),
                ('derived_from_user', models.UUIDField(blank=True, editable=False, null=True)),
                ('consent_version', models.PositiveIntegerField(default=0, editable=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('updated_at', models.DateTimeField(auto_now=True)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
            ],
            options={
                'verbose_name': 'knowledge entry',
                'verbose_name_plural': 'knowledge',
                'ordering': ('-updated_at',),
                'indexes': [models.Index(fields=['tenant', '-updated_at'], name='knowledge_of_a_tenant'), models.Index(condition=models.Q(('derived_from_user__isnull', False)), fields=['derived_from_user'], name='knowledge_made_from')],
                'constraints': [models.CheckConstraint(condition=models.Q(('valid_to', None), ('valid_to__gte', models.F('valid_from')), _connector='OR'), name='knowledge_validity_forward')],
            },
        ),
        ProtectTenant("assetalias", everybodys=True),
        ProtectTenant("knowledgeentry", made_from="derived_from_user"),
        ProtectTenant("historicalknowledgeentry", made_from="derived_from_user"),
        HideErased(
            "knowledgeentry", scopes=_LEARNED, marked=True, clock="created_at", owner="derived_from_user"
        ),
        HideErased("historicalknowledgeentry", scopes=_LEARNED, owner="derived_from_user"),
    ]
