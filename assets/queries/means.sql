-- Mean and spread of the cost of each function per run: two such results are compared like the sets of runs.
--
-- A function that does not run in a recording costs 0 there. As CSV or Parquet, the result opens as a profile of the means.
-- `callscape compare` separates differences between two results from noise. It compares logarithms, which are therefore
-- included: natural ones, of the recordings in which the function ran, each plus half a sample for sampled recordings.
--
-- Parameters:
--   recording  text    '%'      recordings whose ID matches this LIKE pattern
--   most       number  1000000  maximum number of functions, by mean self cost
--
-- Columns:
--   name              name of the function
--   module            path of its module
--   file              source file in the recordings
--   line              first line
--   library           program or library
--   runs              number of recordings behind the means
--   recordings        number of them in which it ran
--   mean_self         mean of its self costs, in the unit of the recordings
--   spread_self       standard deviation of its self costs; null for one recording
--   log_self          mean of the logarithms of its self costs
--   log_spread_self   their standard deviation
--   least_self        minimum self cost over recordings in which it ran
--   mean_total        mean of its total costs
--   spread_total      standard deviation of its total costs; null for one recording
--   log_total         mean of the logarithms of its total costs
--   log_spread_total  their standard deviation
--   least_total       minimum total cost over recordings in which it ran
--   mean_calls        mean of its numbers of calls; null if not all recordings count them
--   spread_calls      standard deviation of its numbers of calls; null for one recording, or if not all count them
--   log_calls         mean of the logarithms of its numbers of calls
--   log_spread_calls  their standard deviation
--   least_calls       minimum number of calls over recordings in which it ran
--   samples           samples of all recordings; 0 if every call was recorded
--   functions         number of functions that ran, including those excluded by `most`
--   unit              unit of the recordings, such as nanoseconds; empty if they have several

WITH runs AS (
  SELECT CAST(count(*) AS DOUBLE) AS runs, CAST(coalesce(sum(samples), 0) AS BIGINT) AS samples
  FROM recordings
  WHERE recording LIKE $recording
),
-- Half a sample of each recording, in its costs and in calls.
halves AS (
  SELECT r.recording, CASE WHEN r.samples > 0 THEN 0.5 * CAST(sum(f.self) AS DOUBLE) / r.samples ELSE 0.0 END AS cost,
         CASE WHEN r.samples > 0 THEN 0.5 ELSE 0.0 END AS call
  FROM recordings r JOIN functions f ON f.recording = r.recording
  WHERE r.recording LIKE $recording
  GROUP BY r.recording, r.samples
),
sums AS (
  SELECT recording, name, module, file, line, line_column, library,
         CAST(sum(self) AS DOUBLE) AS self, CAST(sum(total) AS DOUBLE) AS total, CAST(sum(calls) AS DOUBLE) AS calls
  FROM functions
  WHERE recording LIKE $recording
  GROUP BY recording, name, module, file, line, line_column, library
),
known AS (
  SELECT s.*,
         ln(CASE WHEN s.self + h.cost > 0.0 THEN s.self + h.cost END) AS log_self,
         ln(CASE WHEN s.total + h.cost > 0.0 THEN s.total + h.cost END) AS log_total,
         ln(CASE WHEN s.calls + h.call > 0.0 THEN s.calls + h.call END) AS log_calls
  FROM sums s JOIN halves h ON h.recording = s.recording
),
means AS (
  SELECT k.name, k.module, k.file, k.line, k.line_column, k.library,
         count(*) AS recordings, max(r.runs) AS runs, max(r.samples) AS samples,
         sum(k.self) / max(r.runs) AS self, sum(k.total) / max(r.runs) AS total,
         CASE WHEN count(k.calls) = count(*) THEN sum(k.calls) / max(r.runs) END AS calls,
         avg(k.log_self) AS log_self, avg(k.log_total) AS log_total, avg(k.log_calls) AS log_calls,
         min(k.self) AS least_self, min(k.total) AS least_total, min(k.calls) AS least_calls
  FROM known k CROSS JOIN runs r
  GROUP BY k.name, k.module, k.file, k.line, k.line_column, k.library
),
-- Sums of the squares of what is off the mean, over the recordings in which the function ran.
squares AS (
  SELECT k.name, k.module, k.file, k.line, k.line_column, k.library,
         sum((k.self - m.self) * (k.self - m.self)) AS self,
         sum((k.total - m.total) * (k.total - m.total)) AS total,
         sum((k.calls - m.calls) * (k.calls - m.calls)) AS calls,
         sum((k.log_self - m.log_self) * (k.log_self - m.log_self))
           / CASE WHEN count(k.log_self) > 1 THEN CAST(count(k.log_self) - 1 AS DOUBLE) ELSE 1.0 END AS log_self,
         sum((k.log_total - m.log_total) * (k.log_total - m.log_total))
           / CASE WHEN count(k.log_total) > 1 THEN CAST(count(k.log_total) - 1 AS DOUBLE) ELSE 1.0 END AS log_total,
         sum((k.log_calls - m.log_calls) * (k.log_calls - m.log_calls))
           / CASE WHEN count(k.log_calls) > 1 THEN CAST(count(k.log_calls) - 1 AS DOUBLE) ELSE 1.0 END AS log_calls
  FROM known k
  JOIN means m ON m.name = k.name AND m.module = k.module AND m.file = k.file AND m.line = k.line
    AND m.line_column = k.line_column AND m.library = k.library
  GROUP BY k.name, k.module, k.file, k.line, k.line_column, k.library
)
SELECT m.name, m.module, m.file, m.line, m.library, CAST(m.runs AS BIGINT) AS runs, m.recordings,
       m.self AS mean_self,
       CASE WHEN m.runs > 1 THEN sqrt((s.self + (m.runs - m.recordings) * m.self * m.self) / (m.runs - 1)) END
         AS spread_self,
       m.log_self, sqrt(s.log_self) AS log_spread_self, m.least_self,
       m.total AS mean_total,
       CASE WHEN m.runs > 1 THEN sqrt((s.total + (m.runs - m.recordings) * m.total * m.total) / (m.runs - 1)) END
         AS spread_total,
       m.log_total, sqrt(s.log_total) AS log_spread_total, m.least_total,
       m.calls AS mean_calls,
       CASE WHEN m.runs > 1 THEN sqrt((s.calls + (m.runs - m.recordings) * m.calls * m.calls) / (m.runs - 1)) END
         AS spread_calls,
       m.log_calls, sqrt(s.log_calls) AS log_spread_calls, m.least_calls,
       m.samples, count(*) OVER () AS functions,
       (SELECT CASE WHEN min(unit) = max(unit) THEN min(unit) ELSE '' END FROM recordings WHERE recording LIKE $recording) AS unit
FROM means m
JOIN squares s ON m.name = s.name AND m.module = s.module AND m.file = s.file AND m.line = s.line
  AND m.line_column = s.line_column AND m.library = s.library
ORDER BY m.self DESC, m.name, m.module, m.file, m.line, m.line_column, m.library
LIMIT $most
