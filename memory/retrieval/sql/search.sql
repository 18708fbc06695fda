-- Hybrid search over the entries of one user, or of one group. docs/search.md explains every step.
-- Every step is materialized: without statistics the planner takes a user's rows for one and would make the steps again
-- for each of them. OFFSET 0 keeps apart what it would join otherwise, so that entries are read once, and outermost.
WITH question AS MATERIALIZED (  -- many: are there too many entries to read all; long: more words than are used
    SELECT {quantized} AS sought, cardinality(%(terms)s::text[]) > %(most_terms)s::int AS long,
        (SELECT count(*) FROM (SELECT FROM memory_searchentry e WHERE {where} LIMIT %(few)s::bigint + 1) begun)
            > %(few)s::bigint AS many
), sample AS MATERIALIZED (  -- of a long question, what each entry holds of it: all entries, or of many the nearest
    SELECT {terms_held} AS terms_held
    FROM question, LATERAL (SELECT * FROM memory_searchentry e WHERE {where} OFFSET 0) e
    WHERE long AND NOT many
    UNION ALL
    SELECT {terms_held}
    FROM question, LATERAL (
        SELECT e.id FROM memory_searchentry e WHERE long AND many AND {where} ORDER BY {apart}, id DESC LIMIT %(sample)s
    ) nearest, LATERAL (SELECT * FROM memory_searchentry WHERE id = nearest.id OFFSET 0) e
), chosen AS MATERIALIZED (  -- the words that are used: all, or of a long question those that fewest entries hold
    SELECT lexeme FROM question, unnest(%(terms)s::text[]) AS lexeme WHERE NOT long
    UNION ALL
    (SELECT lexeme FROM (SELECT (unnest(terms_held)).lexeme FROM sample) held
     GROUP BY lexeme ORDER BY count(*), lexeme LIMIT %(most_terms)s)
), term AS MATERIALIZED (  -- a row a word, as full text and Bloom filters want it; tokens hold nothing to be escaped
    SELECT row_number() OVER ()::int AS n, quoted::tsquery AS anywhere, (quoted || ':A')::tsquery AS own,
        (quoted || ':B')::tsquery AS near, (hash & 2147483647)::int AS bit1, (hash >> 32 & 2147483647)::int AS bit2
    FROM chosen, LATERAL (SELECT quote_literal(lexeme) AS quoted, hashtextextended(lexeme, 0) AS hash) made
),
{first_look},
-- A row for each entry that is read (n = 0), for each word that it holds, for its time (n = -1). Bloom filters miss no
-- word, so that a candidate holds none but those that it seems to.
match AS MATERIALIZED (
    SELECT e.id, e.kind, e.live, e.length, e.cosine, t.n, t.weight
    FROM (
        SELECT e.id, e.kind, e.live, e.length, e.terms, e.occurred_at, {cosine} AS cosine, NULL::int[] AS seeming
        FROM question, LATERAL (SELECT * FROM memory_searchentry e WHERE NOT many AND {where} OFFSET 0) e
        UNION ALL
        SELECT e.id, e.kind, e.live, e.length, e.terms, e.occurred_at, {cosine} AS cosine, seeming
        FROM candidate c, LATERAL (SELECT * FROM memory_searchentry WHERE id = c.id OFFSET 0) e
    ) e, LATERAL (
        SELECT 0 AS n, NULL::float8 AS weight
        {is_within}
        UNION ALL
        SELECT n, CASE WHEN e.terms @@ own THEN 1 WHEN e.terms @@ near THEN {near} ELSE {far} END
        FROM term WHERE CASE WHEN seeming IS NULL OR n = ANY(seeming) THEN e.terms @@ anywhere END
    ) t
), corpus AS MATERIALIZED (  -- what the formula asks of all entries; where some were not read, their signatures tell
    SELECT read, greatest(read, signatures) AS total, greatest(coalesce(average, average_read), 1) AS average_length, high,
        CASE WHEN read < signatures THEN least(lowest, 0) ELSE lowest END AS low
    FROM spread, (
        SELECT count(*) AS read, avg(length)::float8 AS average_read, min(cosine) AS lowest, max(cosine) AS high
        FROM match WHERE n = 0
    ) entries
), frequency AS MATERIALIZED (  -- a word's document frequency: as reading showed, and of those that were not read as it seems
    SELECT n, {idf} AS idf FROM (
        SELECT n, total, held + {truly_among_unread} AS holding FROM corpus, (
            SELECT n, coalesce(rough.seen, 0) - coalesce(supposed, 0) AS seen, coalesce(held, 0) AS held
            FROM (SELECT n FROM term UNION ALL SELECT -1 WHERE NOT isempty(%(periods)s::tstzmultirange)) sought
            LEFT JOIN rough USING (n)
            LEFT JOIN (
                SELECT n, sum(entries)::float8 AS supposed
                FROM (SELECT seeming, count(*) AS entries FROM candidate GROUP BY seeming) c, unnest(seeming) AS n
                GROUP BY n
            ) s USING (n)
            LEFT JOIN (SELECT n, count(*) AS held FROM match WHERE n <> 0 GROUP BY n) m USING (n)
        ) apparent
    ) estimated
), scored AS MATERIALIZED (  -- BM25, and the cosine between the least and the greatest
    SELECT id, kind, live, cosine, bm25, {semantic} AS semantic
    FROM corpus, (
        SELECT id, kind, live, max(cosine) AS cosine, coalesce(sum({gain}), 0)::float8 AS bm25
        FROM corpus, match LEFT JOIN frequency USING (n)
        GROUP BY id, kind, live
    ) entries
), peak AS MATERIALIZED (  -- the best BM25, and what words weigh: little where even the best entry holds few of them
    SELECT highest_bm25, asked, {lexical_weight} AS lexical_weight
    FROM (SELECT max(bm25) AS highest_bm25 FROM scored) highest, (SELECT sum(idf) AS asked FROM frequency) question
), best AS MATERIALIZED (
    SELECT id, kind, live, cosine, bm25, bm25 / nullif(asked, 0) AS held, ({score})::float8 AS score FROM peak, scored
    ORDER BY score DESC, id DESC LIMIT %(limit)s
)
SELECT b.id, b.kind, b.live, b.score, b.bm25, b.cosine, b.held, {columns},
    (SELECT ARRAY[e.verdict, e.manipulative] FROM memory_searchentry e WHERE e.id = b.id) AS verdicts
FROM best b{joins}
WHERE b.score > 0
ORDER BY b.score DESC, b.id DESC
