-- Call relations between modules of one depth of the hierarchy, over all recordings. A function that lies less deep stands
-- for itself; calls within a module are left out.
--
-- Parameters:
--   recording  text    '%'   recordings whose ID matches this pattern of LIKE
--   level      number  1     the depth, from 1 for what is directly below the root to 8
--   most       number  1000  how many relations, those of the largest cost
--
-- Columns:
--   caller        path of the calling module
--   callee        path of the called module
--   recordings    in how many recordings there are such calls
--   calls         number of calls; null where they are not counted
--   total         cost of these calls, each counted, in the unit of the recordings
--   self          self cost of these calls
--   waiting       the part of the total in which threads waited; null where unknown
--   self_waiting  the same of the self cost

WITH at_level AS (
  SELECT recording, function,
         concat_ws('/',
           nullif(split_part(levels, chr(9), 1), ''),
           CASE WHEN $level >= 2 THEN nullif(split_part(levels, chr(9), 2), '') END,
           CASE WHEN $level >= 3 THEN nullif(split_part(levels, chr(9), 3), '') END,
           CASE WHEN $level >= 4 THEN nullif(split_part(levels, chr(9), 4), '') END,
           CASE WHEN $level >= 5 THEN nullif(split_part(levels, chr(9), 5), '') END,
           CASE WHEN $level >= 6 THEN nullif(split_part(levels, chr(9), 6), '') END,
           CASE WHEN $level >= 7 THEN nullif(split_part(levels, chr(9), 7), '') END,
           CASE WHEN $level >= 8 THEN nullif(split_part(levels, chr(9), 8), '') END) AS module
  FROM functions
  WHERE recording LIKE $recording
)
SELECT a.module AS caller, b.module AS callee,
       count(DISTINCT r.recording) AS recordings,
       CAST(sum(r.calls) AS BIGINT) AS calls,
       CAST(sum(r.total) AS BIGINT) AS total,
       CAST(sum(r.self) AS BIGINT) AS self,
       CAST(sum(r.waiting) AS BIGINT) AS waiting,
       CAST(sum(r.self_waiting) AS BIGINT) AS self_waiting
FROM relations r
JOIN at_level a ON a.recording = r.recording AND a.function = r.caller
JOIN at_level b ON b.recording = r.recording AND b.function = r.callee
WHERE r.recording LIKE $recording AND a.module <> b.module
GROUP BY a.module, b.module
ORDER BY total DESC, caller, callee
LIMIT $most
