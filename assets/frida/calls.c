/* What the recorded program runs at the start and end of each call, behind records.c. Frida compiles both there, with a
   compiler that does not optimize: https://frida.re/docs/javascript-api/#cmodule. Each thread has a stack of its open calls.
   The machine code around it is in agent.js. */

static void
pop (Thread *thread, guint64 time)
{
  Function *function = thread->calls[--thread->depth].function;
  if (function == NULL)
    {
      thread->inherited = thread->depth;
      return;
    }
  put (thread, time, EXIT, function);
  thread->gates -= function->is_gate;
}

/* Whether a place is on the thread's own stack. */
static int
is_own (Thread *thread, gpointer *slot)
{
  return (char *) slot < thread->high && (char *) slot > thread->high - STACK;
}

/* Whether two places are on one stack: that of the thread, or another one, such as those of signals. */
static int
is_one_stack (Thread *thread, char *one, char *other)
{
  int is_of_thread = is_own (thread, (gpointer *) one);
  if (is_of_thread != is_own (thread, (gpointer *) other))
    return 0;
  return is_of_thread || (one - other < NEAR && other - one < NEAR);
}

/* Whether a call that began at `slot` can be within this one: then it was not left by a jump or an exception. */
static int
is_open (Thread *thread, Call *call, gpointer *slot)
{
  if (slot == ALL)
    return 0;
  if (!is_one_stack (thread, (char *) call->slot, (char *) slot))
    return 1;
  /* A call in place of a return has its caller's slot. */
  return call->slot >= slot && *call->slot == (call->bare != NULL && call->slot != slot ? call->bare : shared.trap);
}

/* Ends a call that did not return: where it is on another stack, it still may. Its own stack may be gone by now. */
static void
abandon (Thread *thread, guint64 time)
{
  Call *call = &thread->calls[thread->depth - 1];
  if (!is_own (thread, call->slot) || *call->slot == shared.trap)
    {
      Stray *stray = &thread->strays[thread->stray_count++ % STRAYS];
      stray->slot = call->slot;
      stray->back = call->back;
    }
  pop (thread, time);
}

static void
leave_above (Thread *thread, gpointer *slot, guint64 time)
{
  while (thread->depth > 0 && !is_open (thread, &thread->calls[thread->depth - 1], slot))
    abandon (thread, time);
}

/* The index of the last stray of a place, or -1. Linear in strays. */
static gint64
stray_at (Thread *thread, gpointer *slot)
{
  gint64 at, count = thread->stray_count, first = count > STRAYS ? count - STRAYS : 0;
  for (at = count - 1; at >= first; at--)
    if (thread->strays[at % STRAYS].slot == slot)
      return at % STRAYS;
  return -1;
}

/* Where a call returns to that is no open one of this thread: a coroutine goes on, maybe in another thread. */
static gpointer
stray_back (Thread *own, gpointer *slot)
{
  Thread *thread = own;
  gint64 at = stray_at (own, slot);
  int depth;
  for (thread = shared.threads; at < 0 && thread != NULL; thread = thread->next)
    {
      at = stray_at (thread, slot);
      if (at >= 0)
        {
          own = thread;
          break;
        }
      for (depth = thread->depth - 1; depth >= 0; depth--)
        if (thread->calls[depth].slot == slot)
          return thread->calls[depth].back;
    }
  if (at < 0)
    return NULL;
  own->strays[at].slot = NULL;
  return own->strays[at].back;
}

/* Whether memory can be read, where a stack may be gone. */
static int
is_mapped (gpointer *slot)
{
  unsigned char is_there;
  return slot != NULL && mincore ((void *) ((gsize) slot & ~(gsize) (PAGE - 1)), PAGE, &is_there) == 0;
}

/* Puts the return addresses of strays back; gives how many. */
static int
restore_strays (Thread *thread)
{
  int at, found = 0;
  for (at = 0; at < STRAYS && (guint64) at < thread->stray_count; at++)
    {
      Stray *stray = &thread->strays[at];
      if (is_mapped (stray->slot) && *stray->slot == shared.trap)
        found += shared.replace (stray->slot, shared.trap, stray->back);
    }
  thread->stray_count = 0;
  return found;
}

static void
ended (void *of)
{
  Thread *thread = of;
  pthread_setspecific (shared.key, DEAD);
  if (thread == DEAD)
    return;
  thread->inside = ALL;
  leave_above (thread, ALL, now ());
  settle (thread);
  thread->inside = NULL;
}

/* Writes down a thread as `task.txt` has it. */
static void
announce (void *of)
{
  Thread *thread = of;
  char line[PATH + 32];
  guint64 time = now ();
  int file, length;
  snprintf (line, sizeof line, "%s/task.txt", shared.folder);
  file = open (line, TO_APPEND, 0600);
  if (file < 0)
    return;
  if (of != NULL)
    length = snprintf (line, sizeof line, "TASK timestamp=%d.%09d tid=%d pid=%d\n", (int) (time / 1000000000),
        (int) (time % 1000000000), thread->id, getpid ());
  else
    length = snprintf (line, sizeof line, "FORK timestamp=%d.%09d pid=%d ppid=%d\n", (int) (time / 1000000000),
        (int) (time % 1000000000), getpid (), getppid ());
  write (file, line, length);
  close (file);
}

static void
register_thread (void *of)
{
  Thread *thread = of, *first;
  pthread_setspecific (shared.key, thread);
  announce (thread);
  do
    {
      first = shared.threads;
      thread->next = first;
    }
  while (!shared.replace ((gpointer *) &shared.threads, first, thread));
}

static Thread *
begin (void)
{
  Thread *thread = memory (sizeof (Thread) + 64 + SAVED + sizeof (Call) * CALLS + sizeof (Stray) * STRAYS);
  if (thread == NULL)
    return NULL;
  thread->saved = (char *) (((gsize) (thread + 1) + 63) / 64 * 64);
  thread->calls = (Call *) (thread->saved + SAVED);
  thread->strays = (Stray *) (thread->calls + CALLS);
  thread->id = syscall (GETTID);
  thread->high = thread->id == getpid () ? __libc_stack_end : (char *) pthread_self ();
  if (shared.most != 0)
    thread->exits = memory (sizeof (Exits) * (shared.functions + 1));
  thread->period = shared.state->periods;
  thread->inside = ALL;
  shared.with_saved (register_thread, thread, thread->saved);
  return thread;
}

/* In a process that was forked: its memory is a copy, but the maps are of its parent's files. */
static void
begin_process (Thread *thread)
{
  int depth;
  *shared.is_same_process = 1;
  shared.threads = NULL;
  if (thread == NULL)
    return;
  thread->next = NULL;
  shared.threads = thread;
  thread->id = syscall (GETTID);
  thread->chunk = thread->at = thread->end = NULL;
  thread->whole = 0;
  shared.with_saved (announce, NULL, thread->saved);
  thread->inherited = thread->depth;
  for (depth = 0; depth < thread->depth; depth++)
    thread->calls[depth].function = NULL;
}

static void
count (Thread *thread, Function *function, guint64 time, int is_exit)
{
  Exits *exits;
  /* Windows follow each other, each from the first event after the one before: Bohnet's thesis, 4.3.2. */
  if (time - thread->window_begin >= shared.within)
    {
      thread->window_begin = time;
      thread->window++;
    }
  if (!is_exit || thread->exits == NULL)
    return;
  exits = &thread->exits[function->number];
  if (exits->window != thread->window)
    {
      exits->window = thread->window;
      exits->exits = 0;
    }
  exits->exits++;
  if (exits->exits > shared.most && !function->is_out)
    {
      Massive *massive = &shared.massive[g_atomic_int_add ((volatile gint *) shared.found, 1)];
      function->is_out = 1;
      massive->time = time;
      massive->address = function->address;
    }
}

/* Awaits the ends of calls again, of those above a place on the stack. */
static void
await_again (Thread *thread, gpointer *slot)
{
  int depth;
  for (depth = 0; depth < thread->depth; depth++)
    {
      Call *call = &thread->calls[depth];
      if (call->bare != NULL && call->slot > slot && *call->slot == call->bare)
        *call->slot = shared.trap;
      call->bare = NULL;
    }
  thread->unwinder = NULL;
}

void
enter (Function *function, gpointer *slot)
{
  int error = *__errno_location ();
  Thread *thread;
  Call *call;
  guint64 time;
  if (shared.state->is_off)
    return;
  thread = pthread_getspecific (shared.key);
  if (thread == DEAD)
    return;
  if (thread == NULL)
    thread = begin ();
  /* A signal may have come while this ran; or a jump may have left it. */
  else if (thread->inside != NULL && thread->inside >= slot)
    thread = NULL;
  if (thread == NULL)
    return;
  thread->inside = slot;
  if (*shared.is_same_process == 0)
    begin_process (thread);
  if (thread->period != shared.state->periods)
    {
      /* Of calls that began before recording was switched off nothing is known. One that was on its way into this code then
         may have set the trap. */
      while (thread->depth > 0)
        {
          call = &thread->calls[--thread->depth];
          if (is_mapped (call->slot) && *call->slot == shared.trap)
            *call->slot = call->back;
        }
      thread->period = shared.state->periods;
      thread->depth = thread->inherited = thread->gates = 0;
      thread->unwinder = NULL;
    }
  time = now ();
  leave_above (thread, slot, time);
  /* What it calls itself has its place below it, such as Rust's personality function: it is not over yet. */
  if (thread->unwinder != NULL && slot >= thread->unwinder && is_one_stack (thread, (char *) slot, (char *) thread->unwinder))
    await_again (thread, slot);
  if (shared.most != 0)
    count (thread, function, time, 0);
  if (thread->depth == CALLS)
    (*shared.lost)++;
  else if ((!shared.has_gate || function->is_gate || thread->gates != 0) &&
           (shared.deepest == 0 || thread->depth < (int) shared.deepest))
    {
      call = &thread->calls[thread->depth];
      call->function = function;
      call->slot = slot;
      call->back = *slot;
      call->bare = NULL;
      put (thread, time, ENTRY, function);
      thread->depth++;
      thread->gates += function->is_gate;
      *slot = shared.trap;
    }
  thread->inside = NULL;
  *__errno_location () = error;
}

/* Gives where the call returns to whose return address lay at `slot`. */
gpointer
leave (gpointer *slot)
{
  Thread *thread = pthread_getspecific (shared.key);
  int error = *__errno_location (), depth = thread->depth - 1;
  guint64 time;
  gpointer back;
  /* Calls that ended before were left by a jump. */
  while (depth >= 0 && thread->calls[depth].slot != slot)
    depth--;
  if (depth < 0)
    return stray_back (thread, slot);
  back = thread->calls[depth].back;
  if (thread->inside != NULL && thread->inside < slot)
    thread->inside = NULL;
  if (*shared.is_same_process == 0)
    begin_process (thread);
  if (shared.state->is_off || thread->period != shared.state->periods || thread->inside != NULL)
    {
      thread->depth = depth;
      return back;
    }
  thread->inside = slot;
  time = now ();
  while (thread->depth > depth + 1)
    abandon (thread, time);
  if (shared.most != 0 && thread->calls[depth].function != NULL)
    count (thread, thread->calls[depth].function, time, 1);
  pop (thread, time);
  thread->inside = NULL;
  *__errno_location () = error;
  return back;
}

static Thread *
known_thread (void)
{
  Thread *thread = shared.has_key ? pthread_getspecific (shared.key) : NULL;
  return thread == DEAD ? NULL : thread;
}

/* Before a stack is unwound: return addresses have to be those of the program itself. */
void
unwind (GumInvocationContext *context)
{
  Thread *thread = known_thread ();
  gpointer *slot = (gpointer *) context->cpu_context->rsp;
  int depth;
  if (thread == NULL)
    return;
  leave_above (thread, slot, now ());
  for (depth = thread->depth - 1; depth >= 0; depth--)
    {
      Call *call = &thread->calls[depth];
      if (*call->slot != shared.trap)
        continue;
      call->bare = call->back;
      *call->slot = call->bare;
    }
  restore_strays (thread);
  /* One within another leaves that as it is. */
  if (thread->unwinder == NULL || slot > thread->unwinder || !is_one_stack (thread, (char *) slot, (char *) thread->unwinder))
    thread->unwinder = slot;
}

/* After it. */
void
unwound (GumInvocationContext *context)
{
  Thread *thread = known_thread ();
  gpointer *slot = (gpointer *) context->cpu_context->rsp;
  if (thread == NULL || thread->unwinder == NULL)
    return;
  leave_above (thread, slot, now ());
  await_again (thread, slot);
}

/* Before another program begins in this process or in one that it started: asks following.py, which reads the fifo, whether it
   follows, and waits for its answer; not where nobody reads it any more. Functions of libraries may be ones in which a thread
   can be cancelled: these are none. */
static void
ask (const char *path)
{
  volatile guint64 answer;
  guint64 message[5];
  struct { int file; short events, told; } fifo = { 0, 0, 0 };
  int turns = 0;
  if (syscall (ACCESS, path, MAY_EXECUTE) != 0)
    return;
  fifo.file = syscall (OPEN, shared.requests, TO_ASK, 0);
  answer = message[0] = (now () << 16 | ANSWERS) ^ (guint64) (gsize) &answer << 32;
  message[1] = getpid ();
  message[2] = syscall (GETTID);
  message[3] = (guint64) (gsize) path;
  message[4] = (guint64) (gsize) &answer;
  if (fifo.file < 0 || syscall (WRITE, fifo.file, message, sizeof message) != sizeof message)
    shared.found[1] = 1;
  else
    {
      while (answer == message[0] && turns++ < PATIENCE && syscall (POLL, &fifo, 1, 1) != 1)
        ;
      if (answer == message[0])
        shared.found[1] = 1;
    }
  /* Nobody takes it for an answer that is awaited. */
  answer = 0;
  if (fifo.file >= 0)
    syscall (CLOSE, fifo.file);
}

/* The same of the file that is open as `file`, or of one in the folder that is. */
static void
ask_of_open (int file, const char *name)
{
  static const char begin[] = "/proc/self/fd/";
  char path[PATH], digits[12];
  int length = 0, count = 0;
  while (begin[length] != 0)
    {
      path[length] = begin[length];
      length++;
    }
  for (; count == 0 || file > 0; file /= 10)
    digits[count++] = '0' + file % 10;
  while (count > 0)
    path[length++] = digits[--count];
  if (*name != 0)
    path[length++] = '/';
  while (*name != 0 && length < PATH - 1)
    path[length++] = *name++;
  path[length] = 0;
  ask (path);
}

void
execute (GumInvocationContext *context)
{
  ask ((const char *) context->cpu_context->rdi);
}

void
execute_at (GumInvocationContext *context)
{
  GumCpuContext *registers = context->cpu_context;
  const char *path = (const char *) registers->rsi;
  int file = (int) registers->rdi;
  if (*path == 0 && (registers->r8 & EMPTY_PATH) == 0)
    return;
  if (*path == '/' || file == HERE)
    ask (path);
  else if (file >= 0)
    ask_of_open (file, path);
}

void
execute_open (GumInvocationContext *context)
{
  int file = (int) context->cpu_context->rdi;
  if (file >= 0)
    ask_of_open (file, "");
}

int
prepare (void)
{
  shared.is_same_process = mmap (NULL, PATH, READ_WRITE, PRIVATE | ANONYMOUS, -1, 0);
  if (shared.is_same_process == (void *) -1 || pthread_key_create (&shared.key, ended) != 0)
    return 0;
  madvise ((void *) shared.is_same_process, PATH, WIPE_ON_FORK);
  *shared.is_same_process = 1;
  shared.has_key = 1;
  return 1;
}

/* Puts all return addresses back, when nothing is recorded any more; gives how many there were, and threads in this code. */
int
restore (void)
{
  Thread *thread;
  int depth, found = 0;
  for (thread = shared.threads; thread != NULL; thread = thread->next)
    {
      for (depth = thread->depth - 1; depth >= 0; depth--)
        {
          Call *call = &thread->calls[depth];
          if (*call->slot == shared.trap)
            found += shared.replace (call->slot, shared.trap, call->back);
        }
      found += restore_strays (thread) + (thread->inside != NULL);
    }
  return found;
}

/* Lets threads end without this code. */
int
forget_threads (void)
{
  shared.has_key = 0;
  return pthread_key_delete (shared.key);
}

/* The end: what the threads wrote. */
void
settle_all (void)
{
  Thread *thread;
  for (thread = shared.threads; thread != NULL; thread = thread->next)
    if (thread->inside == NULL)
      settle (thread);
}

/* Whether a byte of a function may begin a jump to its first `beginning` bytes: then its instructions have to be read. */
int
may_jump_back (guint8 *code, int size, int beginning)
{
  int at, to;
  for (at = 0; at + 2 <= size; at++)
    {
      guint8 byte = code[at];
      if (at < 140 && ((byte & 0xf0) == 0x70 || byte == 0xeb || (byte & 0xfc) == 0xe0))
        {
          to = at + 2 + (gint8) code[at + 1];
          if (to >= 0 && to < beginning)
            return 1;
        }
      if (at + 6 <= size && (byte == 0xe9 || (byte == 0x0f && (code[at + 1] & 0xf0) == 0x80)))
        {
          int opcode = byte == 0x0f ? 2 : 1;
          to = at + opcode + 4 + *(gint32 *) (code + at + opcode);
          if (to >= 0 && to < beginning)
            return 1;
        }
    }
  return 0;
}
