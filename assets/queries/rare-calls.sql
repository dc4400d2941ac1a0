-- Call relations that occur in few of the recordings: the rarest first.
--
-- Parameters:
--   recording  text    '%'   recordings whose ID matches this LIKE pattern
--   share      number  0.1   maximum share of recordings with the relation
--   most       number  100   maximum number of relations
--
-- Columns:
--   caller          name of the calling function
--   caller_module   path of its module
--   callee          name of the called function
--   callee_module   path of its module
--   recordings      number of recordings with such calls
--   of_recordings   total number of recordings
--   first_recording the first of these recordings by ID
--   calls           number of calls; null if not counted
--   total           cost of these calls, each counted, in the unit of the recordings

WITH chosen AS (
  SELECT count(*) AS runs FROM recordings WHERE recording LIKE $recording
),
found AS (
  SELECT a.name AS caller, a.module AS caller_module, b.name AS callee, b.module AS callee_module,
         count(DISTINCT r.recording) AS runs, min(r.recording) AS first_run,
         CAST(sum(r.calls) AS BIGINT) AS calls, CAST(sum(r.total) AS BIGINT) AS total
  FROM relations r
  JOIN functions a ON a.recording = r.recording AND a.function = r.caller
  JOIN functions b ON b.recording = r.recording AND b.function = r.callee
  WHERE r.recording LIKE $recording
  GROUP BY a.name, a.module, b.name, b.module
)
SELECT f.caller, f.caller_module, f.callee, f.callee_module, f.runs AS recordings, c.runs AS of_recordings,
       f.first_run AS first_recording, f.calls, f.total
FROM found f CROSS JOIN chosen c
WHERE f.runs <= $share * c.runs
ORDER BY f.runs, f.calls, f.caller, f.callee, f.caller_module, f.callee_module
LIMIT $most
