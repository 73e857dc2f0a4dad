SELECT source_row, filename, record->>'story' AS case_id, 'A' AS candidate_1, 'B' AS candidate_2,
       'overall' AS criterion, record->>'winner' AS label
FROM export
WHERE record->>'winner' <> 'unparsed'
