-- Functions whose self cost differs between two sets of recordings: mean, spread and significance.
--
-- A function that does not run in a recording costs 0 there. Significance: Welch's test of two means (B. L. Welch, The
-- generalization of "Student's" problem when several different population variances are involved, Biometrika 34, 1947);
-- its t becomes a deviation of the normal distribution after D. L. Wallace, Bounds on normal approximations to Student's
-- and the chi-square distributions, 1959, (8 df + 1) / (8 df + 3) * sqrt(df * ln(1 + t^2 / df)), good to a hundredth from
-- 3 degrees of freedom on; its tail is that of W. H. Press et al., Numerical Recipes, erfcc. As many functions are
-- tested at once, the chance is multiplied by their number (Bonferroni).
--
-- Parameters:
--   a          text          recordings of the first set: their IDs match this LIKE pattern
--   b          text          recordings of the second set
--   least      number  0.01  minimum difference, as a share of the whole cost of a run of the first set
--   chance     number  0.05  maximum probability of such a difference by chance
--   waiting    number  0     1 includes waiting time of threads: for locks, or while other programs used the processor
--   all        number  0     1 lists all functions, including those without differences, as for sets that are too small
--
-- Columns:
--   name         name of the function
--   module       path of its module
--   says         the result in words
--   mean_a       mean of its self costs in the first set
--   mean_b       the same in the second
--   difference   mean_b - mean_a
--   of_whole     the difference as a share of the whole cost of a run of the first set
--   times        mean_b / mean_a; null if it costs nothing in the first set
--   spread_a     standard deviation in the first set; null for one recording
--   spread_b     the same in the second
--   runs_a       recordings in the first set
--   runs_b       recordings in the second
--   chance       probability of such a difference by chance among all tested functions; null if a set is too small

WITH runs AS (
  SELECT recording, 'a' AS side FROM recordings WHERE recording LIKE $a
  UNION ALL
  SELECT recording, 'b' AS side FROM recordings WHERE recording LIKE $b
),
sizes AS (
  SELECT CAST(sum(CASE WHEN side = 'a' THEN 1 ELSE 0 END) AS DOUBLE) AS a,
         CAST(sum(CASE WHEN side = 'b' THEN 1 ELSE 0 END) AS DOUBLE) AS b
  FROM runs
),
known AS (
  SELECT r.side, f.recording, f.name, f.module,
         CAST(sum(f.self - CASE WHEN $waiting = 0 THEN coalesce(f.self_waiting, 0) ELSE 0 END) AS DOUBLE) AS self
  FROM functions f JOIN runs r ON r.recording = f.recording
  GROUP BY r.side, f.recording, f.name, f.module
),
means AS (
  SELECT k.name, k.module,
         sum(CASE WHEN k.side = 'a' THEN k.self ELSE 0.0 END) / nullif(max(s.a), 0.0) AS a,
         sum(CASE WHEN k.side = 'b' THEN k.self ELSE 0.0 END) / nullif(max(s.b), 0.0) AS b
  FROM known k CROSS JOIN sizes s
  GROUP BY k.name, k.module
),
-- Squares of what is off the mean, and as many squares of the mean as there are runs without the function.
squares AS (
  SELECT m.name, m.module, m.a, m.b,
         sum(CASE WHEN k.side = 'a' THEN (k.self - m.a) * (k.self - m.a) ELSE 0.0 END)
           + (max(s.a) - sum(CASE WHEN k.side = 'a' THEN 1.0 ELSE 0.0 END)) * m.a * m.a AS off_a,
         sum(CASE WHEN k.side = 'b' THEN (k.self - m.b) * (k.self - m.b) ELSE 0.0 END)
           + (max(s.b) - sum(CASE WHEN k.side = 'b' THEN 1.0 ELSE 0.0 END)) * m.b * m.b AS off_b,
         max(s.a) AS runs_a, max(s.b) AS runs_b
  FROM means m
  JOIN known k ON k.name = m.name AND k.module = m.module
  CROSS JOIN sizes s
  GROUP BY m.name, m.module, m.a, m.b
),
spreads AS (
  SELECT *, CASE WHEN runs_a > 1 THEN off_a / (runs_a - 1) END AS var_a,
         CASE WHEN runs_b > 1 THEN off_b / (runs_b - 1) END AS var_b
  FROM squares
),
errors AS (
  SELECT *, var_a / runs_a AS error_a, var_b / runs_b AS error_b FROM spreads
),
tests AS (
  SELECT *,
         CASE WHEN error_a + error_b > 0 THEN (b - a) * (b - a) / (error_a + error_b) END AS t_squared,
         CASE WHEN error_a + error_b > 0 THEN
           (error_a + error_b) * (error_a + error_b)
             / (error_a * error_a / (runs_a - 1) + error_b * error_b / (runs_b - 1)) END AS df
  FROM errors
),
deviations AS (
  SELECT *, (8.0 * df + 1.0) / (8.0 * df + 3.0) * sqrt(df * ln(1.0 + t_squared / df)) / sqrt(2.0) AS x FROM tests
),
halves AS (
  SELECT *, 1.0 / (1.0 + 0.5 * x) AS h FROM deviations
),
tails AS (
  SELECT *,
         CASE WHEN x > 26.0 THEN 0.0
              WHEN x IS NOT NULL THEN h * exp(-x * x - 1.26551223 + h * (1.00002368 + h * (0.37409196 + h * (0.09678418
                + h * (-0.18628806 + h * (0.27886807 + h * (-1.13520398 + h * (1.48851587 + h * (-0.82215223
                + h * 0.17087277)))))))))
              WHEN error_a + error_b = 0 THEN CASE WHEN a = b THEN 1.0 ELSE 0.0 END
         END AS tail
  FROM halves
),
wholes AS (
  SELECT sum(a) AS whole, CAST(count(*) AS DOUBLE) AS asked FROM means
),
told AS (
  SELECT t.*, (t.b - t.a) / nullif(w.whole, 0.0) AS of_whole,
         CASE WHEN t.tail * w.asked > 1.0 THEN 1.0 ELSE t.tail * w.asked END AS chance
  FROM tails t CROSS JOIN wholes w
),
said AS (
  SELECT *,
         CASE WHEN runs_a = 0 OR runs_b = 0 THEN 'one of the sets is empty'
              WHEN chance IS NULL THEN 'a set of one run has no spread'
              WHEN abs(of_whole) < $least OR chance > $chance THEN 'no significant difference'
              WHEN a = 0.0 THEN 'new, '
              WHEN b = 0.0 THEN 'gone, '
              WHEN b > a THEN 'slower, '
              ELSE 'faster, '
         END AS verdict,
         CASE WHEN abs(of_whole) >= $least AND chance <= $chance THEN
           CASE WHEN chance <= 0.001 THEN 'almost certainly' WHEN chance <= 0.01 THEN 'very likely' ELSE 'likely' END
         ELSE '' END AS sure
  FROM told
)
SELECT name, module, concat(verdict, sure) AS says, a AS mean_a, b AS mean_b, b - a AS difference, of_whole,
       b / nullif(a, 0.0) AS times, sqrt(var_a) AS spread_a, sqrt(var_b) AS spread_b,
       CAST(runs_a AS BIGINT) AS runs_a, CAST(runs_b AS BIGINT) AS runs_b, chance
FROM said
WHERE $all = 1 OR sure <> '' OR chance IS NULL
ORDER BY CASE WHEN sure <> '' THEN 0 ELSE 1 END, abs(b - a) DESC, name, module
