-- Calling contexts over all recordings: their calls merged by call path.
--
-- Parameters:
--   recording  text    '%'   recordings whose ID matches this pattern of LIKE
--   least      number  0     contexts of at least this total cost, in the unit of the recordings
--
-- Columns:
--   path          number of the call path, the same in all recordings
--   parent        that of the path around it; null for an outermost one
--   depth         contexts around it
--   name          name of the function
--   module        path of its module
--   recordings    in how many recordings it is
--   calls         number of calls; null where they are not counted
--   total         cost with all below it, in the unit of the recordings
--   self          cost of the context itself
--   waiting       the part of the total in which threads waited; null where unknown
--   self_waiting  the same of the self cost

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
