//! What is mapped into processes and the kernel.

/// A mapped file by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FileId(pub u32);

/// Where an address is in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub file: FileId,
    pub offset: u64,
}

/// What is mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// A file, by places in it.
    File,
    /// What a just-in-time compiler made, by addresses of the process like the next ones.
    Compiled,
    /// The kernel; perf found its first symbol at this address.
    Kernel { text: u64 },
    /// A module of the kernel.
    Module,
    /// A symbol of its own.
    Symbol,
}

/// A mapped file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Mapped {
    pub name: Box<[u8]>,
    /// `None` if it is not recorded.
    pub build_id: Option<Box<[u8]>>,
    pub kind: Kind,
}

impl Mapped {
    /// Whether this is the build that was mapped; `None` if the recording does not say.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn is_of(&self, id: Option<&[u8]>) -> Option<bool> {
        // Perf fills short ones up with zeros.
        let trimmed = |id: &[u8]| {
            id.iter()
                .rposition(|&byte| byte != 0)
                .map_or(0, |at| at + 1)
        };
        let recorded = self.build_id.as_deref()?;
        let id = id.unwrap_or_default();
        Some(recorded[..trimmed(recorded)] == id[..trimmed(id)])
    }
}
