-- The calls that are open at a time, on each thread: its stack, outermost first. Of files in order of start, an engine reads
-- the groups of rows before that time alone.
--
-- Parameters:
--   recording  text    '%'   recordings whose ID matches this pattern of LIKE
--   at         time          the time, such as 12.5ms or plain nanoseconds, since the start of each recording
--
-- Columns:
--   recording    ID of the recording
--   thread       number of the thread
--   thread_id    as the recording names it
--   depth        calls around it, 0 for the outermost
--   name         name of the function
--   module       path of its module
--   start_ns     start of the call
--   end_ns       its end

SELECT c.recording, c.thread, t.id AS thread_id, c.depth, f.name, f.module, c.start_ns, c.end_ns
FROM calls c
JOIN functions f ON f.recording = c.recording AND f.function = c.function
JOIN threads t ON t.recording = c.recording AND t.thread = c.thread
WHERE c.recording LIKE $recording AND c.start_ns <= $at AND c.end_ns > $at
ORDER BY c.recording, c.thread, c.depth
