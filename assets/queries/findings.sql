-- What is remarkable over all recordings: repeated work, hot functions, waiting, and garbage collection, largest first.
-- The thresholds are those of `callscape findings --explain`.
--
-- Parameters:
--   recording  text    '%'   recordings whose ID matches this LIKE pattern
--   least      number  0.08  share of the cost of all recordings that a finding has at least
--   most       number  10    maximum number of findings
--
-- Columns:
--   kind        repeated, hot, waiting or collection
--   name        name of the function
--   module      path of its module
--   caller      function that calls it repeatedly; null for the other kinds
--   recordings  number of recordings in which it ran
--   calls       number of calls; null if not counted
--   times       calls for each call of the caller; null for the other kinds
--   cost        what the finding is about, in the unit of the recordings
--   share       the same as a share of the cost of all recordings

WITH whole AS (
  SELECT CAST(sum(self) AS DOUBLE) AS cost FROM functions WHERE recording LIKE $recording
), merged AS (
  SELECT c.path, p.path AS parent, f.name, f.module,
         count(DISTINCT c.recording) AS recordings,
         CAST(sum(c.calls) AS BIGINT) AS calls,
         CAST(sum(c.total) AS BIGINT) AS total
  FROM contexts c
  JOIN functions f ON f.recording = c.recording AND f.function = c.function
  LEFT JOIN contexts p ON p.recording = c.recording AND p.context = c.parent
  WHERE c.recording LIKE $recording
  GROUP BY c.path, p.path, f.name, f.module
), summed AS (
  SELECT f.name, f.module,
         count(DISTINCT f.recording) AS recordings,
         CAST(sum(f.calls) AS BIGINT) AS calls,
         CAST(sum(f.total) AS BIGINT) AS total,
         CAST(sum(f.self) AS BIGINT) AS self,
         -- What these functions do is to wait, whether a recording knows when or not.
         CAST(CASE WHEN f.name IN ('_queue.SimpleQueue.get', '_thread.lock.acquire', '_thread.lock.__enter__', 'time.sleep',
                'nanosleep', 'usleep', 'futex', 'pthread_mutex_lock', 'pthread_cond_wait', 'poll', 'select', 'select.select',
                'epoll_wait', 'select.epoll.poll', 'recv', 'fsync', 'read', 'write', '(idle)')
              THEN sum(f.self) ELSE coalesce(sum(f.self_waiting), 0) END AS BIGINT) AS waiting
  FROM functions f
  WHERE f.recording LIKE $recording
  GROUP BY f.name, f.module
), found AS (
  SELECT 'repeated' AS kind, m.name, m.module, o.name AS caller, m.recordings, m.calls,
         CAST(m.calls AS DOUBLE) / o.calls AS times, m.total AS cost,
         log2(1 + CAST(m.calls AS DOUBLE) / o.calls) AS weight
  FROM merged m
  JOIN merged o ON o.path = m.parent
  WHERE o.calls > 0 AND m.calls >= 8 * o.calls
  UNION ALL
  SELECT 'hot' AS kind, name, module, nullif(name, name) AS caller, recordings, calls, CAST(NULL AS DOUBLE) AS times,
         self - waiting AS cost, CAST(1 AS DOUBLE) AS weight
  FROM summed
  UNION ALL
  SELECT 'waiting' AS kind, name, module, nullif(name, name) AS caller, recordings, calls, CAST(NULL AS DOUBLE) AS times,
         waiting AS cost, CAST(3 AS DOUBLE) AS weight
  FROM summed
  UNION ALL
  SELECT 'collection' AS kind, name, module, nullif(name, name) AS caller, recordings, calls, CAST(NULL AS DOUBLE) AS times,
         total AS cost, CAST(2 AS DOUBLE) AS weight
  FROM summed
  WHERE name IN ('(garbage collector)', 'gc.collect', 'GC', 'System.gc', 'java.lang.System.gc', 'luaC_step', 'luaC_fullgc',
    'gc_collect_main', 'rb_gc', 'runtime.gcBgMarkWorker', 'zend_gc_collect_cycles', 'MinorGC', 'MajorGC')
), scored AS (
  SELECT f.kind, f.name, f.module, f.caller, f.recordings, f.calls, f.times, f.cost, f.cost / w.cost AS share,
         f.cost / w.cost * f.weight AS score
  FROM found f
  CROSS JOIN whole w
  WHERE w.cost > 0 AND f.cost >= $least * w.cost
), ranked AS (
  SELECT s.*, row_number() OVER (ORDER BY s.score DESC, s.name, s.module, s.kind, s.caller) AS place
  FROM scored s
)
SELECT kind, name, module, caller, recordings, calls, times, cost, share
FROM ranked
WHERE place <= $most
ORDER BY place
