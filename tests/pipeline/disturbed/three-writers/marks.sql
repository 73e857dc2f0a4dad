-- One line a rater and prompt, with a list of marks by code.
SELECT
    filename,
    source_row,
    record ->> 'worker' AS rater,
    record ->> 'prompt' AS case_id,
    'coherence' AS criterion,
    mark ->> 'code' AS candidate_1,
    mark ->> 'mark' AS label
FROM (SELECT filename, source_row, record, unnest(json_extract(record, '$.marks[*]')) AS mark FROM export)
