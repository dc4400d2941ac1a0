-- The slowest recordings, and the functions in which they differ most from the others: self costs compared with the
-- median of all recordings.
--
-- Parameters:
--   recording  text    '%'   recordings whose ID matches this LIKE pattern
--   most       number  3     maximum number of recordings
--   functions  number  5     maximum number of functions per recording
--
-- Columns:
--   recording     ID of the recording
--   place         1 for the slowest
--   duration_ns   duration
--   times_median  its duration as a multiple of the median of all
--   name          name of a function
--   module        path of its module
--   self          its self cost in this recording
--   median_self   median of its self costs, which are 0 in recordings in which it does not run
--   more          difference from the median; negative if less

WITH chosen AS (
  SELECT recording, CAST(duration_ns AS DOUBLE) AS duration
  FROM recordings
  WHERE recording LIKE $recording AND duration_ns IS NOT NULL
),
typical AS (
  SELECT median(duration) AS duration FROM chosen
),
ranked AS (
  SELECT recording, duration, row_number() OVER (ORDER BY duration DESC, recording) AS place FROM chosen
),
slow AS (
  SELECT recording, duration, place FROM ranked WHERE place <= $most
),
known AS (
  SELECT f.name, f.module, c.recording, CAST(sum(f.self) AS DOUBLE) AS self
  FROM functions f JOIN chosen c ON c.recording = f.recording
  GROUP BY f.name, f.module, c.recording
),
names AS (
  SELECT DISTINCT name, module FROM known
),
every AS (
  SELECT n.name, n.module, c.recording, coalesce(k.self, 0.0) AS self
  FROM names n
  CROSS JOIN chosen c
  LEFT JOIN known k ON k.name = n.name AND k.module = n.module AND k.recording = c.recording
),
medians AS (
  SELECT name, module, floor(median(self)) AS self FROM every GROUP BY name, module
),
different AS (
  SELECT s.recording, s.place, s.duration, e.name, e.module, e.self, m.self AS median_self,
         row_number() OVER (PARTITION BY s.recording ORDER BY abs(e.self - m.self) DESC, e.name, e.module) AS number
  FROM slow s
  JOIN every e ON e.recording = s.recording
  JOIN medians m ON m.name = e.name AND m.module = e.module
  WHERE e.self <> m.self
)
SELECT d.recording, d.place, CAST(d.duration AS BIGINT) AS duration_ns,
       round(d.duration / nullif(t.duration, 0.0), 3) AS times_median,
       d.name, d.module, CAST(d.self AS BIGINT) AS self, CAST(d.median_self AS BIGINT) AS median_self,
       CAST(d.self - d.median_self AS BIGINT) AS more
FROM different d CROSS JOIN typical t
WHERE d.number <= $functions
ORDER BY d.place, d.number
