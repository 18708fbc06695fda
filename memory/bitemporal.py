"""The SQL condition of what was believed at one time to be true at another: one rule for lists and for search."""

from __future__ import annotations


def believed(item: str, *, known: str, valid: str) -> str:
    """The condition that the row ``item`` of ``memory_memoryitem`` was believed at ``known`` to be true at ``valid``.

    ``item`` is an alias; ``known`` and ``valid`` are SQL expressions that name no row, so that what was undone since is
    read once and not for each item. Of a chain the latest version speaks: one that stands again after an undo was not
    believed while the undone one was. What was set aside then is not believed.
    """
    return f"""{_recorded(item, known, valid)}
        AND NOT EXISTS (
            SELECT FROM memory_memoryitem n WHERE n.user_id = {item}.user_id AND n.chain_id = {item}.chain_id
            AND n.version > {item}.version AND n.tombstone_id IS NULL AND {_recorded("n", known, valid)})"""


def _recorded(item: str, known: str, valid: str) -> str:
    """Whether the row itself was recorded, in use and valid, whatever other versions say.

    The end of a validity became known when its row was closed: before ``superseded_at`` the row still stood open. A row
    corrected as never true has an empty validity. What a row says of itself today, changes since then put back: the
    first of them that touched the state names the one before it, and one that was undone since held meanwhile.
    """
    return f"""{item}.created_at <= {known} AND {item}.valid_at <= {valid}
        AND ({item}.invalid_at IS NULL OR {item}.invalid_at > {valid} OR {item}.superseded_at > {known})
        AND coalesce(
            (SELECT c.before->>'state' FROM memory_evolutionevent c
             WHERE c.item_id = {item}.id AND c.created_at > {known} AND c.action <> 'quarantined' AND c.before ? 'state'
             ORDER BY c.created_at, c.id LIMIT 1),
            {item}.state) <> 'quarantined'
        AND {item}.id::text NOT IN (
            SELECT c.item_id::text FROM memory_evolutionevent c
            WHERE c.created_at <= {known} AND c.undone_at > {known}
            AND (c.action IN ('retired', 'rejected') OR c.after->>'state' = 'quarantined')
            UNION ALL
            SELECT jsonb_array_elements_text(c.inputs->'merged') FROM memory_evolutionevent c
            WHERE c.created_at <= {known} AND c.undone_at > {known} AND c.inputs ? 'merged')"""  # noqa: S608
