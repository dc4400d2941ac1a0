-- Call relations between modules at one depth of the hierarchy, over all recordings. A function above that depth counts
-- as a module; calls within a module are excluded.
--
-- Parameters:
--   recording  text    '%'   recordings whose ID matches this LIKE pattern
--   level      number  1     the depth, from 1 (directly below the root) to 8
--   most       number  1000  maximum number of relations, by cost
--
-- Columns:
--   caller        path of the calling module
--   callee        path of the called module
--   recordings    number of recordings with such calls
--   calls         number of calls; null if not counted
--   total         cost of these calls, each counted, in the unit of the recordings
--   self          self cost of these calls
--   waiting       waiting time in the total; null if unknown
--   self_waiting  waiting time in the self cost; null if unknown

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
