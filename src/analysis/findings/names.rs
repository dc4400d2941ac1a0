//! What functions do, by their names: runtimes and systems name what waits, collects and loads.

use callscape_facts::functions::Functions;

/// What a function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Does {
    Locks,
    Sleeps,
    Syncs,
    Reads,
    Communicates,
    /// Waits for work.
    Idles,
    /// Waits for another thread or process to end.
    Joins,
    Collects,
    Compiles,
    Loads,
    Throws,
}

/// How a name is matched.
#[derive(Clone, Copy)]
enum By {
    /// The whole name: common words that programs also use for other things.
    Name,
    /// The whole name, or its part after the last `.` or `::`.
    Last,
}

#[rustfmt::skip]
const NAMES: [(Does, By, &[&str]); 17] = [
    (Does::Locks, By::Last, &["pthread_mutex_lock", "__pthread_mutex_lock", "___pthread_mutex_lock", "__lll_lock_wait", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "lll_lock_wait"]),
    (Does::Locks, By::Name, &["_thread.lock.acquire", "lock.acquire", "lock.__enter__", "_thread.lock.__enter__", "_thread.RLock.acquire", "sync.(*Mutex).Lock", "sync.(*RWMutex).Lock", "runtime.lock2", "futex", "acquire"]),
    (Does::Sleeps, By::Last, &["nanosleep", "usleep", "clock_nanosleep", "sleep"]),
    (Does::Syncs, By::Last, &["fsync", "fdatasync", "msync", "sync_file_range", "fsyncSync"]),
    (Does::Reads, By::Name, &["read", "__read", "pread", "pread64", "write", "__write", "pwrite", "pwrite64", "readv", "writev", "_io.BufferedReader.read", "_io.FileIO.read", "_io.BufferedWriter.write", "_io.TextIOWrapper.read", "readFileSync", "writeFileSync", "unlink", "__unlink"]),
    (Does::Communicates, By::Name, &["recv", "__recv", "recvfrom", "recvmsg", "connect", "__connect", "getaddrinfo", "socket.recv", "_socket.socket.recv", "_socket.socket.recv_into", "_socket.socket.connect", "socket.connect", "_socket.getaddrinfo", "_ssl._SSLSocket.read", "net.(*conn).Read"]),
    (Does::Idles, By::Last, &["epoll_wait", "epoll_pwait", "ppoll", "kevent", "pthread_cond_wait", "pthread_cond_timedwait", "___pthread_cond_wait", "LockSupport.park", "Unsafe.park", "gopark", "futex_wait", "__futex_abstimed_wait_common"]),
    (Does::Idles, By::Name, &["(idle)", "_queue.SimpleQueue.get", "poll", "__poll", "select", "__select", "select.select", "select.poll", "select.epoll.poll", "accept", "accept4", "Object.wait", "java.lang.Object.wait", "swapper"]),
    (Does::Joins, By::Last, &["pthread_join", "pthread_timedjoin_np", "_wait_for_tstate_lock", "waitpid", "wait4", "__wait4"]),
    (Does::Joins, By::Name, &["Thread.join", "join", "java.lang.Thread.join", "std::thread::join", "std::thread::JoinHandle<T>::join"]),
    (Does::Collects, By::Last, &["luaC_step", "luaC_fullgc", "gc_collect_main", "gc_collect_generations", "rb_gc", "GC_collect_or_expand", "gcBgMarkWorker", "gcDrain", "zend_gc_collect_cycles", "GCScavenger", "MinorGC", "MajorGC"]),
    (Does::Collects, By::Name, &["(garbage collector)", "gc.collect", "GC", "System.gc", "java.lang.System.gc"]),
    (Does::Compiles, By::Last, &["compile_method", "compile_java_method", "jit_compile", "CompileBroker::invoke_compiler_on_method", "_PyJIT_Compile"]),
    (Does::Loads, By::Last, &["_find_and_load", "__import__", "import_module", "_dl_start", "_dl_relocate_object", "_dl_map_object", "_dl_lookup_symbol_x", "dlopen", "loadClass", "<clinit>"]),
    (Does::Loads, By::Name, &["require", "Class.forName", "java.lang.Class.forName"]),
    (Does::Throws, By::Last, &["__cxa_throw", "_Unwind_RaiseException", "fillInStackTrace", "captureStackTrace", "prepareStackTrace", "rust_panic", "PyErr_SetObject"]),
    (Does::Throws, By::Name, &["longjmp", "siglongjmp", "luaD_throw", "runtime.gopanic"]),
];

fn does(name: &str) -> Option<Does> {
    // A name may go on with its arguments or its version.
    let name = name.split(['(', '@']).next().filter(|it| !it.is_empty());
    let whole = name?;
    let last = whole.rsplit(['.', ':']).next().unwrap_or(whole);
    let found = NAMES.iter().find(|(_, by, names)| {
        let wanted = match by {
            By::Name => whole,
            By::Last => last,
        };
        names.contains(&wanted)
    });
    found.map(|it| it.0)
}

/// By function, what it does, where its name says so.
pub(super) fn all(functions: &Functions) -> Vec<Option<Does>> {
    let of = |id| {
        let name = functions.get(id).name;
        let found = NAMES.iter().find(|(_, _, names)| names.contains(&name));
        found.map(|it| it.0).or_else(|| does(name))
    };
    functions.ids().map(of).collect()
}

impl Does {
    /// Whether it is a wait.
    pub(super) fn waits(self) -> bool {
        !matches!(
            self,
            Does::Collects | Does::Compiles | Does::Loads | Does::Throws
        )
    }

    /// Whether nobody waits for a thread that does so.
    pub(super) fn is_idle(self) -> bool {
        matches!(self, Does::Idles | Does::Joins)
    }

    /// What a function that does so waits for.
    pub(super) fn waits_for(self) -> &'static str {
        match self {
            Does::Locks => " for a lock",
            Does::Syncs => " for the disk",
            Does::Reads => " for files",
            Does::Communicates => " for the network",
            Does::Idles => " for work",
            Does::Joins => " for other threads",
            _ => "",
        }
    }
}
