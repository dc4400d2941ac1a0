-- Call relations between functions, over all recordings.
--
-- Parameters:
--   recording  text    '%'   recordings whose ID matches this pattern of LIKE
--   most       number  1000  how many relations, those of the largest cost
--
-- Columns:
--   caller          name of the calling function
--   caller_module   path of its module
--   callee          name of the called function
--   callee_module   path of its module
--   recordings      in how many recordings there are such calls
--   calls           number of calls; null where they are not counted
--   total           cost of these calls, each counted, in the unit of the recordings
--   self            self cost of these calls
--   waiting         the part of the total in which threads waited; null where unknown
--   self_waiting    the same of the self cost
--   unit            unit of the recordings, such as nanoseconds; empty where they have several

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
