"""Whoever is erased hands their group conversations over; the row must still be seen by the eraser that changes it.

PostgreSQL asks an UPDATE's new row of the policies for SELECT too, wherever the statement reads a column.
"""

from django.db import migrations

from foundation.database.policies import ME
from foundation.database.roles import ERASER_ROLE

_SEES = f"""
    CREATE POLICY eraser_sees_handed_over ON memory_session FOR SELECT TO {ERASER_ROLE}
    USING (group_id = ANY(ARRAY(SELECT m.group_id FROM accounts_membership m WHERE m.user_id = {ME})))
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0005_visible_items_by_index")]
    operations = [migrations.RunSQL(_SEES, "DROP POLICY eraser_sees_handed_over ON memory_session")]
