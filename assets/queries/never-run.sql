-- Functions of the source tree that ran in no recording. Asks the table of modules, which recordings have that were exported
-- with --source.
--
-- Parameters:
--   recording  text    '%'    recordings whose ID matches this pattern of LIKE
--   below      text    '%'    functions whose path matches this pattern of LIKE: src/parser/%
--   most       number  10000  how many functions, those with most lines of code
--
-- Columns:
--   path         path of the function in the hierarchy
--   name         its name
--   line         first line
--   code_lines   lines of code
--   recordings   in how many recordings it was looked for

SELECT m.path, m.name, m.line, max(m.code_lines) AS code_lines, count(DISTINCT m.recording) AS recordings
FROM modules m
WHERE m.recording LIKE $recording AND m.kind = 'function' AND m.path LIKE $below
GROUP BY m.path, m.name, m.line
HAVING count(m.function) = 0
ORDER BY code_lines DESC, m.path, m.line
LIMIT $most
