-- Functions of the source tree that ran in no recording. Needs the table of modules, which exports with --source
-- contain.
--
-- Parameters:
--   recording  text    '%'    recordings whose ID matches this LIKE pattern
--   below      text    '%'    functions whose path matches this LIKE pattern: src/parser/%
--   most       number  10000  maximum number of functions, by lines of code
--
-- Columns:
--   path         path of the function in the hierarchy
--   name         its name
--   line         first line
--   code_lines   lines of code
--   recordings   number of recordings searched

SELECT m.path, m.name, m.line, max(m.code_lines) AS code_lines, count(DISTINCT m.recording) AS recordings
FROM modules m
WHERE m.recording LIKE $recording AND m.kind = 'function' AND m.path LIKE $below
GROUP BY m.path, m.name, m.line
HAVING count(m.function) = 0
ORDER BY code_lines DESC, m.path, m.line
LIMIT $most
