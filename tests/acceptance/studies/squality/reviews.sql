-- Passages > questions > systems > reviews, each with a rating and a rank on every criterion.
WITH reviews AS (
    SELECT
        filename,
        source_row,
        record ->> '$."passage-id"' AS passage,
        question.key AS question,
        system.key AS system,
        review.key AS place,
        review.value AS review
    FROM export,
        json_each(record -> '$.questions') AS question,
        json_each(question.value) AS system,
        json_each(system.value -> '$.reviews') AS review
),
answers AS (
    SELECT *, unnest([
        {'criterion': 'correctness', 'label': review ->> '$."correctness-rating"'},
        {'criterion': 'selection', 'label': review ->> '$."selection-rating"'},
        {'criterion': 'overall', 'label': review ->> '$."overall-rating"'},
        {'criterion': 'correctness-rank', 'label': review ->> '$."correctness-rank"'},
        {'criterion': 'selection-rank', 'label': review ->> '$."selection-rank"'},
        {'criterion': 'overall-rank', 'label': review ->> '$."overall-rank"'}
    ]) AS answer FROM reviews
)
SELECT
    filename,
    source_row,
    '/questions/' || question || '/' || system || '/reviews/' || place AS source_path,
    review ->> '$.worker_id' AS rater,
    passage || '/' || question AS case_id,
    passage,
    system AS candidate_1,
    answer.criterion AS criterion,
    answer.label AS label
FROM answers
