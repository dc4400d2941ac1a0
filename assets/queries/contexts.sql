-- Calling contexts over all recordings: their calls merged by call path.
--
-- Parameters:
--   recording  text    '%'   recordings whose ID matches this LIKE pattern
--   least      number  0     contexts of at least this total cost, in the unit of the recordings
--
-- Columns:
--   path          number of the call path, the same in all recordings
--   parent        number of the enclosing path; null for an outermost one
--   depth         contexts around it
--   name          name of the function
--   module        path of its module
--   recordings    number of recordings that contain it
--   calls         number of calls; null if not counted
--   total         cost with all below it, in the unit of the recordings
--   self          cost of the context itself
--   waiting       waiting time in the total; null if unknown
--   self_waiting  waiting time in the self cost; null if unknown

SELECT c.path, p.path AS parent, c.depth, f.name, f.module,
       count(DISTINCT c.recording) AS recordings,
       CAST(sum(c.calls) AS BIGINT) AS calls,
       CAST(sum(c.total) AS BIGINT) AS total,
       CAST(sum(c.self) AS BIGINT) AS self,
       CAST(sum(c.waiting) AS BIGINT) AS waiting,
       CAST(sum(c.self_waiting) AS BIGINT) AS self_waiting
FROM contexts c
JOIN functions f ON f.recording = c.recording AND f.function = c.function
LEFT JOIN contexts p ON p.recording = c.recording AND p.context = c.parent
WHERE c.recording LIKE $recording
GROUP BY c.path, p.path, c.depth, f.name, f.module
HAVING sum(c.total) >= $least
ORDER BY c.depth, total DESC, c.path
