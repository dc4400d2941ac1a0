/* The first half of what the recorded program runs: what its threads have, and their records. Each thread has a file of its
   own to which records are written as uftrace writes them, through a shared map: what was written stays however the program
   ends. */
#include <glib.h>
#include <gum/guminterceptor.h>

typedef struct { gint64 seconds, nanoseconds; } Time;

extern int clock_gettime (int, Time *);
extern int pthread_key_create (unsigned *, void (*) (void *));
extern int pthread_key_delete (unsigned);
extern int getrlimit (int, guint64 *);
extern int mincore (void *, gsize, unsigned char *);
extern void *pthread_getspecific (unsigned);
extern int pthread_setspecific (unsigned, const void *);
extern void *mmap (void *, gsize, int, int, int, gint64);
extern int munmap (void *, gsize);
extern int madvise (void *, gsize, int);
extern int open (const char *, int, ...);
extern int close (int);
extern gint64 lseek (int, gint64, int);
extern gssize write (int, const void *, gsize);
extern int ftruncate (int, gint64);
extern int posix_fallocate (int, gint64, gint64);
extern int getpid (void);
extern int getppid (void);
extern long syscall (long, ...);
extern int snprintf (char *, gsize, const char *, ...);
extern int *__errno_location (void);
extern gsize pthread_self (void);
extern void *__libc_stack_end;

/* Of Linux on x86-64. */
enum { WRITE = 1, OPEN = 2, CLOSE = 3, POLL = 7, ACCESS = 21, GETTID = 186, MAY_EXECUTE = 1, EMPTY_PATH = 0x1000, HERE = -100, TO_ASK = 02004001, FILE_SIZE = 1, MONOTONIC = 1, READ_WRITE = 3, SHARED = 1, PRIVATE = 2, ANONYMOUS = 0x20, NO_RESERVE = 0x4000,
  WIPE_ON_FORK = 18, TO_APPEND = 02002101, TO_MAP = 02000102, AT_END = 2 };
/* Of uftrace's records: https://github.com/namhyung/uftrace/blob/master/libmcount/internal.h */
enum { ENTRY = 0, EXIT = 1, MAGIC = 5 << 3, DEPTH = 1023 };
/* Bytes of a file that are mapped at once, and a limit of open calls of a thread. */
enum { FIRST = 1 << 16, MORE = 1 << 22, CALLS = 1 << 18, STRAYS = 1 << 16, PAGE = 4096, PATH = 4096, SAVED = 8192, STACK = 1 << 23, NEAR = 1 << 16 };

/* A question to following.py differs from answers by these bits, and is waited for so many milliseconds. */
enum { ANSWERS = 0xff, PATIENCE = 60000 };

#define DEAD ((Thread *) 1)
#define ALL ((gpointer *) ((gsize) 1 << 62))

/* A function; agent.js knows the places of its fields. Processes that were forked share them. */
typedef struct { guint64 address; guint32 number; volatile guint32 is_out; guint64 is_gate; } Function;

/* A function that is called too often, and since when that is known. */
typedef struct { guint64 address, time; } Massive;

/* An open call: where its return address lies, what that was, and what it is for one who unwinds the stack, while that lasts.
   Without function, one that another process began. */
typedef struct { Function *function; gpointer *slot; gpointer back; gpointer bare; } Call;

/* An open call on another stack than the thread's at the moment, as coroutines have them: that it goes on later is not
   recorded, but it has to find back. */
typedef struct { gpointer *slot; gpointer back; } Stray;

typedef struct { guint32 window, exits; } Exits;

typedef struct Thread Thread;
struct Thread {
  guint64 *at, *end, *chunk;
  gsize length;
  gint64 whole;
  int depth, id;
  /* Where what unwinds this stack returns to, while return addresses are those of the program itself. */
  gpointer *unwinder;
  /* Open calls of functions within which alone is recorded. */
  int gates;
  /* Open calls that began in the process that this one was forked from. */
  int inherited;
  guint32 period;
  gpointer *volatile inside;
  char *high;
  guint64 window_begin;
  guint32 window;
  Exits *exits;
  Call *calls;
  Stray *strays;
  /* How many have been, of which the last ones are kept. */
  guint64 stray_count;
  Thread *next;
  char *saved;
};

/* Whether recording is off, and how often it was switched off; processes that were forked share it. */
typedef struct { volatile guint32 is_off, periods; } State;

/* Shared with agent.js, which knows the places. */
typedef struct {
  char folder[PATH];
  /* Calls within `deepest` others are not recorded; 0 for all. */
  volatile guint32 functions, most, has_gate, deepest;
  guint64 within;
  volatile guint64 *lost;
  /* How many have been found, behind it whether another program began, and those. */
  volatile guint32 *found;
  Massive *massive;
  gpointer trap;
  void (*with_saved) (void (*) (void *), void *, char *);
  int (*replace) (gpointer *, gpointer, gpointer);
  State *state;
  /* The fifo that following.py reads. */
  char *requests;
  /* Of this file alone. */
  guint32 key, has_key;
  volatile guint32 *is_same_process;
  Thread *volatile threads;
} Shared;

extern Shared shared;

static guint64
now (void)
{
  Time time;
  clock_gettime (MONOTONIC, &time);
  return time.seconds * 1000000000ull + time.nanoseconds;
}

static void *
memory (gsize size)
{
  void *at = mmap (NULL, size, READ_WRITE, PRIVATE | ANONYMOUS | NO_RESERVE, -1, 0);
  return at == (void *) -1 ? NULL : at;
}

static int
records (Thread *thread)
{
  char path[PATH + 32];
  snprintf (path, sizeof path, "%s/%d.dat", shared.folder, thread->id);
  return open (path, TO_MAP, 0600);
}

/* Ends the file of a thread behind its last record. */
static void
settle (Thread *thread)
{
  gint64 left = (char *) thread->end - (char *) thread->at;
  int file;
  if (thread->chunk == NULL)
    return;
  munmap (thread->chunk, thread->length);
  thread->chunk = thread->at = thread->end = NULL;
  file = records (thread);
  if (file < 0)
    return;
  ftruncate (file, thread->whole - left);
  close (file);
}

/* Maps the next part of a thread's file; where there is no room, nothing. */
static void
grow (void *of)
{
  Thread *thread = of;
  gsize length = thread->whole >= MORE ? MORE : FIRST;
  gint64 from;
  guint64 limits[2];
  void *chunk = (void *) -1;
  int file;
  if (thread->chunk != NULL)
    munmap (thread->chunk, thread->length);
  thread->chunk = thread->at = thread->end = NULL;
  file = records (thread);
  if (file < 0)
    return;
  from = lseek (file, 0, AT_END);
  /* A thread may have the number of one that ended: behind its records zeros follow up to a whole page. */
  from = (from + FIRST - 1) / FIRST * FIRST;
  /* Beyond its limit the process would get a signal. */
  if (getrlimit (FILE_SIZE, limits) == 0 && (guint64) from + length <= limits[0] && posix_fallocate (file, from, length) == 0)
    chunk = mmap (NULL, length, READ_WRITE, SHARED, file, from);
  close (file);
  if (chunk == (void *) -1)
    return;
  thread->chunk = thread->at = chunk;
  thread->length = length;
  thread->end = (guint64 *) ((char *) chunk + length);
  thread->whole = from + length;
}

static void
put (Thread *thread, guint64 time, guint64 kind, Function *function)
{
  guint64 *at;
  /* What a process that was forked has mapped ends with the recording. */
  if (shared.state->is_off)
    return;
  if (thread->at == thread->end)
    shared.with_saved (grow, thread, thread->saved);
  at = thread->at;
  if (at == NULL)
    {
      (*shared.lost)++;
      return;
    }
  at[0] = time;
  at[1] = kind | MAGIC | (guint64) ((thread->depth - thread->inherited) & DEPTH) << 6 | function->address << 16;
  thread->at = at + 2;
}
