-- The open calls of each thread at a time: its stack, outermost first. In files ordered by start, an engine reads only
-- the row groups before that time.
--
-- Parameters:
--   recording  text    '%'   recordings whose ID matches this LIKE pattern
--   at         time          the time, such as 12.5ms or plain nanoseconds, since the start of each recording
--
-- Columns:
--   recording    ID of the recording
--   thread       number of the thread
--   thread_id    ID of the thread in the recording
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
