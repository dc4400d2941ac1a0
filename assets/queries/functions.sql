-- Calls, total and self cost of each function, over all recordings.
--
-- Parameters:
--   recording  text    '%'   recordings whose ID matches this LIKE pattern
--   most       number  100   maximum number of functions, by self cost
--
-- Columns:
--   name           name of the function
--   module         path of its module
--   file           source file in the recordings
--   line           first line
--   library        program or library
--   recordings     number of recordings in which it ran
--   calls          number of calls; null if not counted
--   total          total cost, in the unit of the recordings
--   self           self cost
--   waiting        waiting time in the total; null if unknown
--   self_waiting   waiting time in the self cost; null if unknown
--   unit           unit of the recordings, such as nanoseconds; empty if they have several

SELECT f.name, f.module, f.file, f.line, f.library,
       count(DISTINCT f.recording) AS recordings,
       CAST(sum(f.calls) AS BIGINT) AS calls,
       CAST(sum(f.total) AS BIGINT) AS total,
       CAST(sum(f.self) AS BIGINT) AS self,
       CAST(sum(f.waiting) AS BIGINT) AS waiting,
       CAST(sum(f.self_waiting) AS BIGINT) AS self_waiting,
       (SELECT CASE WHEN min(unit) = max(unit) THEN min(unit) ELSE '' END FROM recordings WHERE recording LIKE $recording) AS unit
FROM functions f
WHERE f.recording LIKE $recording
GROUP BY f.name, f.module, f.file, f.line, f.line_column, f.library
ORDER BY self DESC, f.name, f.module, f.file, f.line, f.line_column, f.library
LIMIT $most
