-- One verdict a line. The two systems are named in the file name, in the order shown.
WITH verdicts AS (
    SELECT *, regexp_extract(filename, '([^/]*)-vs-([^/]*)-gpt-4-reviewer-threeclass[.]jsonl$', ['first', 'second']) AS shown
    FROM export
)
SELECT
    filename,
    source_row,
    record ->> '$.question_id' AS case_id,
    'overall' AS criterion,
    record ->> '$.score' AS label,
    shown.first AS candidate_1,
    shown.second AS candidate_2,
    record ->> '$.review_id' AS native_id,
    record ->> '$.answer1_id' AS output_1,
    record ->> '$.answer2_id' AS output_2,
    record ->> '$.text' AS rationale
FROM verdicts
