-- Nobody is named and nothing identifies a game, so each row is a case of its own.
SELECT
    filename,
    source_row,
    source_row AS case_id,
    'someone' AS rater,
    'overall' AS criterion,
    "left" AS candidate_1,
    "right" AS candidate_2,
    winner AS label
FROM export
