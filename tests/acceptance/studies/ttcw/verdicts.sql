-- The system stands behind the story's number: 0_Claude.
SELECT
    filename,
    source_row,
    record ->> '$.expert_idx' AS rater,
    record ->> '$.story_idx' AS case_id,
    regexp_replace(record ->> '$.story_id', '^[0-9]+_', '') AS candidate_1,
    record ->> '$.category' AS criterion,
    record ->> '$.binary_verdict' AS label,
    record ->> '$.explanation' AS rationale
FROM export
