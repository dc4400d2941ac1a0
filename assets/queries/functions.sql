-- Calls, total and self cost of each function, over all recordings.
--
-- Parameters:
--   recording  text    '%'   recordings whose ID matches this pattern of LIKE
--   most       number  100   how many functions, those of the largest self cost
--
-- Columns:
--   name           name of the function
--   module         path of its module
--   file           source file as the recordings name it
--   line           first line
--   library        program or library
--   recordings     in how many recordings it ran
--   calls          number of calls; null where they are not counted
--   total          total cost, in the unit of the recordings
--   self           self cost
--   waiting        the part of the total in which threads waited; null where unknown
--   self_waiting   the same of the self cost
--   unit           unit of the recordings, such as nanoseconds; empty where they have several

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
