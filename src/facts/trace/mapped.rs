//! A file as memory, which stays readable when the file is cut.
//!
//! Where a mapped file has become shorter, the system kills whoever reads behind its new end, by SIGBUS. Here the missing
//! part reads as zeros from then on, and the map says that it was cut: whoever has an answer asks for that before telling
//! it.

#[cfg(not(target_arch = "wasm32"))]
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;

#[cfg(target_arch = "wasm32")]
use callscape_base::files::held::{Held, held};
#[cfg(not(target_arch = "wasm32"))]
use callscape_base::files::open_regular;
#[cfg(not(target_arch = "wasm32"))]
use memmap2::Mmap;

/// A file where there are no maps: held in memory, where nobody cuts it.
#[cfg(target_arch = "wasm32")]
#[derive(Debug)]
pub(crate) struct Mapped(Held);

#[cfg(target_arch = "wasm32")]
impl Mapped {
    pub(crate) fn open(path: &Path) -> io::Result<Mapped> {
        held(path).map(Mapped)
    }

    pub(crate) fn was_cut(&self) -> bool {
        false
    }

    pub(crate) fn look(&self) {}
}

#[cfg(target_arch = "wasm32")]
impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.bytes()
    }
}

/// A mapped file.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Debug)]
pub(crate) struct Mapped {
    /// Goes before the map.
    #[cfg(unix)]
    guard: guard::Guard,
    map: Mmap,
    file: File,
}

#[cfg(not(target_arch = "wasm32"))]
impl Mapped {
    /// Maps all of the file at `path`.
    pub(crate) fn open(path: &Path) -> io::Result<Mapped> {
        Mapped::new(&open_regular(path)?)
    }

    /// Maps all of `file`. An error where too many files are mapped already.
    pub(crate) fn new(file: &File) -> io::Result<Mapped> {
        // SAFETY: the file is an index or an import under way. Both are written by Callscape alone, into
        // a file of their own, and an index is replaced by renaming another over it, never in place. Where somebody
        // else cuts it, the guard puts zeros in the place of what is missing.
        let map = unsafe { Mmap::map(file)? };
        Ok(Mapped {
            #[cfg(unix)]
            guard: guard::Guard::new(&map)?,
            file: file.try_clone()?,
            map,
        })
    }

    /// Whether what is missing of the file has been read. O(1), without asking the system.
    pub(crate) fn was_cut(&self) -> bool {
        #[cfg(unix)]
        return self.guard.was_cut();
        #[cfg(not(unix))]
        false
    }

    /// Looks whether the file is shorter than its map now. What is read behind the end of a file within its last page is
    /// zero without a signal.
    pub(crate) fn look(&self) {
        let length = self.file.metadata().map(|it| it.len());
        if length.is_ok_and(|it| it < self.map.len() as u64) {
            #[cfg(unix)]
            self.guard.set_cut();
        }
    }
}

/// Whether any map that is in use was cut.
pub(crate) fn any_was_cut() -> bool {
    #[cfg(unix)]
    return guard::any_was_cut();
    #[cfg(not(unix))]
    false
}

#[cfg(not(target_arch = "wasm32"))]
impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map
    }
}

#[cfg(unix)]
mod guard {
    use std::cell::UnsafeCell;
    use std::io;
    use std::mem::MaybeUninit;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    /// Maps at once; more than a hundred recordings are never open.
    const MOST: usize = 1024;

    /// A map that the handler knows.
    struct Slot {
        is_taken: AtomicBool,
        /// 0 while there is none.
        start: AtomicUsize,
        end: AtomicUsize,
        was_cut: AtomicBool,
    }

    static SLOTS: [Slot; MOST] = [const {
        Slot {
            is_taken: AtomicBool::new(false),
            start: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            was_cut: AtomicBool::new(false),
        }
    }; MOST];

    /// Has the handler know a map for as long as this lives.
    #[derive(Debug)]
    pub(super) struct Guard(usize);

    impl Guard {
        pub(super) fn new(map: &[u8]) -> io::Result<Guard> {
            install()?;
            let take = |slot: &Slot| !slot.is_taken.swap(true, Ordering::AcqRel);
            let number = SLOTS.iter().position(take);
            let number = number.ok_or_else(|| io::Error::other("too many mapped files"))?;
            let slot = &SLOTS[number];
            let start = map.as_ptr() as usize;
            slot.was_cut.store(false, Ordering::Relaxed);
            slot.end.store(start + map.len(), Ordering::Relaxed);
            slot.start.store(start, Ordering::Release);
            Ok(Guard(number))
        }

        pub(super) fn was_cut(&self) -> bool {
            SLOTS[self.0].was_cut.load(Ordering::Acquire)
        }

        pub(super) fn set_cut(&self) {
            SLOTS[self.0].was_cut.store(true, Ordering::Release);
        }
    }

    pub(super) fn any_was_cut() -> bool {
        let mut taken = SLOTS
            .iter()
            .filter(|it| it.is_taken.load(Ordering::Acquire));
        taken.any(|it| it.was_cut.load(Ordering::Acquire))
    }

    impl Drop for Guard {
        fn drop(&mut self) {
            let slot = &SLOTS[self.0];
            slot.start.store(0, Ordering::Release);
            slot.is_taken.store(false, Ordering::Release);
        }
    }

    /// What handled the signal before: the standard library, which looks for overflows of the stack.
    struct Before(UnsafeCell<MaybeUninit<libc::sigaction>>);

    // SAFETY: written once, before the handler that reads it is installed.
    unsafe impl Sync for Before {}

    static BEFORE: Before = Before(UnsafeCell::new(MaybeUninit::uninit()));
    /// Bytes of a page, for the handler, which may not ask.
    static PAGE: AtomicUsize = AtomicUsize::new(0);

    fn install() -> io::Result<()> {
        static INSTALLED: OnceLock<Result<(), i32>> = OnceLock::new();
        let installed = INSTALLED.get_or_init(|| {
            // SAFETY: plain calls with pointers to what lives until they are over. `BEFORE` is written before anything
            // can read it, for the handler is only then installed.
            unsafe {
                let page = libc::sysconf(libc::_SC_PAGESIZE);
                PAGE.store(usize::try_from(page).unwrap_or(1 << 16), Ordering::Relaxed);
                let before = BEFORE.0.get().cast::<libc::sigaction>();
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = handle as *const () as libc::sighandler_t;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                let is_done = libc::sigaction(libc::SIGBUS, std::ptr::null(), before) == 0
                    && libc::sigaction(libc::SIGBUS, &raw const action, std::ptr::null_mut()) == 0;
                match is_done {
                    true => Ok(()),
                    false => Err(io::Error::last_os_error().raw_os_error().unwrap_or(0)),
                }
            }
        });
        installed.map_err(io::Error::from_raw_os_error)
    }

    /// Puts zeros where a map cannot be read. Uses atomics and plain calls of the system alone, as a handler must.
    extern "C" fn handle(signal: i32, about: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: the system hands over what it knows of the signal.
        let address = unsafe { (*about).si_addr() } as usize;
        for slot in &SLOTS {
            let start = slot.start.load(Ordering::Acquire);
            let end = slot.end.load(Ordering::Relaxed);
            if start == 0 || address < start || address >= end {
                continue;
            }
            // To the end at once: it is missing too, and each part is a map of its own to the system.
            let from = address - address % PAGE.load(Ordering::Relaxed);
            slot.was_cut.store(true, Ordering::Release);
            // SAFETY: within a map that is registered, for it is read right now: nothing else lies there.
            let zeros = unsafe {
                libc::mmap(
                    from as *mut libc::c_void,
                    end - from,
                    libc::PROT_READ,
                    libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_FIXED,
                    -1,
                    0,
                )
            };
            if zeros != libc::MAP_FAILED {
                return;
            }
        }
        hand_on(signal, about, context);
    }

    /// Does what was done with the signal before.
    fn hand_on(signal: i32, about: *mut libc::siginfo_t, context: *mut libc::c_void) {
        // SAFETY: it was written before the handler was installed, and says itself what kind of function it names.
        unsafe {
            let before = BEFORE.0.get().cast::<libc::sigaction>();
            match (*before).sa_sigaction {
                libc::SIG_DFL | libc::SIG_IGN => {
                    // What caused the signal happens again, and then ends the process.
                    libc::sigaction(signal, before, std::ptr::null_mut());
                }
                handler if (*before).sa_flags & libc::SA_SIGINFO != 0 => {
                    let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) =
                        std::mem::transmute(handler);
                    handler(signal, about, context);
                }
                handler => {
                    let handler: extern "C" fn(i32) = std::mem::transmute(handler);
                    handler(signal);
                }
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_map_is_read_on_when_its_file_is_cut() {
        let name = format!("callscape-mapped-test-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let bytes = 1 << 18;
        std::fs::write(&path, vec![7; bytes]).expect("there is room");
        let options = || File::options().read(true).write(true).open(&path);
        let file = options().expect("it is there");
        let sum = |map: &Mapped| map.iter().map(|&it| usize::from(it)).sum::<usize>();
        for left in [bytes - 1, 100_000, 0] {
            file.set_len(bytes as u64).expect("there is room");
            std::fs::write(&path, vec![7; bytes]).expect("there is room");
            let map = Mapped::new(&file).expect("it can be mapped");
            assert_eq!(sum(&map), 7 * bytes);
            map.look();
            assert!(!map.was_cut());
            options()
                .expect("it is there")
                .set_len(left as u64)
                .expect("cut");
            // Twice: the second time no signal comes.
            for _ in 0..2 {
                assert_eq!(sum(&map), 7 * left);
            }
            map.look();
            assert!(map.was_cut(), "{left} bytes are left");
        }
        std::fs::remove_file(&path).expect("it is there");
    }
}
