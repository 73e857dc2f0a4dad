-- Three votes a comparison; `cmp_key` names the two systems in the order shown.
SELECT
    filename,
    source_row,
    '/' || annotator AS source_path,
    annotator AS rater,
    md5((record ->> '$.instruction') || chr(31) || (record ->> '$.input')) AS case_id,
    'overall' AS criterion,
    record ->> ('$.' || annotator) AS label,
    split_part(record ->> '$.cmp_key', '_', 1) AS candidate_1,
    split_part(record ->> '$.cmp_key', '_', 2) AS candidate_2
FROM export, unnest(['annotator1', 'annotator2', 'annotator3']) AS votes(annotator)
