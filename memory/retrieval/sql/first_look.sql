-- The first look: of too many entries, those worth reading. An index alone answers it; for few entries it does nothing.
signature AS MATERIALIZED (  -- every entry by its index row: how far its vector's signs are, which words it seems to hold
    SELECT e.id, e.length, {signature_apart} AS apart, ARRAY(
        SELECT n FROM term WHERE get_bit(e.bloom, bit1 & e.mask) = 1 AND get_bit(e.bloom, bit2 & e.mask) = 1
        {seems_within}
    ) AS seeming
    FROM question, LATERAL (
        SELECT *, length(e.bloom) - 1 AS mask FROM memory_searchentry e WHERE many AND {where} OFFSET 0
    ) e
), combination AS MATERIALIZED (  -- entries that seem to hold the same words are weighed once
    SELECT seeming, count(*) AS entries, sum(length) AS length, min(apart) AS nearest, max(apart) AS farthest
    FROM signature GROUP BY seeming
), spread AS MATERIALIZED (
    SELECT coalesce(sum(entries), 0)::bigint AS signatures, (sum(length) / sum(entries))::float8 AS average,
        min(nearest) AS nearest, max(farthest) AS farthest
    FROM combination
), rough AS MATERIALIZED (  -- a word's document frequency: how many seem to hold it, less those that only seem to
    SELECT n, seen, {idf} AS idf
    FROM (
        SELECT n, seen, total, {truly_among_all} AS holding FROM (
            SELECT n, sum(entries)::float8 AS seen, (SELECT signatures FROM spread)::float8 AS total
            FROM combination, unnest(seeming) AS n GROUP BY n
        ) apparent
    ) estimated
), weighed AS MATERIALIZED (  -- the share of the question's idf that a combination holds
    SELECT seeming, coalesce(sum(idf) / (SELECT sum(idf) FROM rough), 0) AS lexical
    FROM (SELECT seeming, unnest(seeming) AS n FROM combination) apiece JOIN rough USING (n) GROUP BY seeming
), importance AS MATERIALIZED (  -- the most that any combination holds, and what words weigh beside the vector
    SELECT nullif(highest, 0) AS highest, {first_look_words} AS words
    FROM (SELECT coalesce(max(lexical), 0) AS highest FROM weighed) most
), candidate AS MATERIALIZED (  -- the score as far as an index row tells it, in which words weigh more
    (SELECT id, seeming FROM spread, importance, signature LEFT JOIN weighed USING (seeming)
    ORDER BY words * {first_look_gain} * coalesce(lexical / highest, 0) + (1 - words)
        * coalesce((farthest - apart) / nullif(farthest - nearest, 0)::float8, lexical / highest, 0) DESC, id DESC
    LIMIT (SELECT {looked_at} FROM spread))
    {nearest}
)
