-- Nobody is named and nothing identifies a game, so a game is known by what it says: the first of its kind, the
-- second. Then it is the same game in whatever order and however often the table comes.
SELECT
    filename,
    source_row,
    concat_ws(' ', "left", 'against', "right", winner, row_number() OVER same) AS case_id,
    'someone' AS rater,
    'overall' AS criterion,
    "left" AS candidate_1,
    "right" AS candidate_2,
    winner AS label
FROM export
WINDOW same AS (PARTITION BY "left", "right", winner ORDER BY source_row)
