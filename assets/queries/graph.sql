-- Call relations between functions, over all recordings.
--
-- Parameters:
--   recording  text    '%'   recordings whose ID matches this LIKE pattern
--   most       number  1000  maximum number of relations, by cost
--
-- Columns:
--   caller          name of the calling function
--   caller_module   path of its module
--   callee          name of the called function
--   callee_module   path of its module
--   recordings      number of recordings with such calls
--   calls           number of calls; null if not counted
--   total           cost of these calls, each counted, in the unit of the recordings
--   self            self cost of these calls
--   waiting         waiting time in the total; null if unknown
--   self_waiting    waiting time in the self cost; null if unknown
--   unit            unit of the recordings, such as nanoseconds; empty if they have several

SELECT a.name AS caller, a.module AS caller_module, b.name AS callee, b.module AS callee_module,
       count(DISTINCT r.recording) AS recordings,
       CAST(sum(r.calls) AS BIGINT) AS calls,
       CAST(sum(r.total) AS BIGINT) AS total,
       CAST(sum(r.self) AS BIGINT) AS self,
       CAST(sum(r.waiting) AS BIGINT) AS waiting,
       CAST(sum(r.self_waiting) AS BIGINT) AS self_waiting,
       (SELECT CASE WHEN min(unit) = max(unit) THEN min(unit) ELSE '' END FROM recordings WHERE recording LIKE $recording) AS unit
FROM relations r
JOIN functions a ON a.recording = r.recording AND a.function = r.caller
JOIN functions b ON b.recording = r.recording AND b.function = r.callee
WHERE r.recording LIKE $recording
GROUP BY a.name, a.module, a.file, a.line, a.line_column, a.library,
         b.name, b.module, b.file, b.line, b.line_column, b.library
ORDER BY total DESC, a.name, b.name, a.module, b.module, a.file, b.file, a.line, b.line, a.line_column, b.line_column
LIMIT $most
