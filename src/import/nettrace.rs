//! Traces of .NET's EventPipe, `.nettrace`, versions 4 and 5. Specification:
//! <https://github.com/microsoft/perfview/blob/main/src/TraceEvent/EventPipe/NetTraceFormat_v5.md>; the payloads of the
//! runtime's events: <https://learn.microsoft.com/dotnet/fundamentals/diagnostics/runtime-method-events>.
//!
//! Read are the samples of `Microsoft-DotNETCore-SampleProfiler` with their threads, times and stacks, and the methods that
//! the runtime names while it runs and at the end (`MethodLoadVerbose`, `MethodDCStartVerbose`, `MethodDCEndVerbose`), with
//! the files of their modules. Addresses without a method are functions `(unknown)`, and counted (`unknown-address`). All
//! other events are counted (`event-not-shown`). Not read: whether a sample found its thread in managed code.

use std::collections::HashMap;

use super::error::ImportError;
use super::gathered::{About, Gathered};
use super::input::Input;
use super::samples::{StackId, Stacks};
use super::stream::Window;
use blobs::{Blob, Blobs};
use bytes::Bytes;
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, ThreadId};
use callscape_base::warnings::Reporter;
use callscape_facts::builder::TraceBuilder;
use callscape_facts::functions::Function;
use callscape_facts::hashing::BuildFast;
use callscape_facts::recording::Recording;

mod blobs;
mod bytes;
#[cfg(test)]
mod tests;

/// The identifier of the format in `info`.
pub(crate) const FORMAT: &str = "nettrace";

const BEGINNING: &[u8] = b"Nettrace\x14\0\0\0!FastSerialization.1";

/// Tags of the serialization.
const NULL: u8 = 1;
const BEGIN: u8 = 5;
const END: u8 = 6;

/// No name of a type is longer.
const LONGEST_NAME: usize = 64;

/// Whether a file that begins with `head` is one of these versions.
pub(crate) fn sniff(head: &[u8]) -> bool {
    head.starts_with(BEGINNING)
}

/// Reads a trace. O(size + samples log samples), samples and methods in memory.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut window = Window::open_binary(input, progress, &reporter)?;
    let mut reader = Reader {
        reporter: &reporter,
        pointer: 8,
        process: String::new(),
        origin: 0,
        frequency: 1_000_000_000,
        kinds: HashMap::default(),
        stacks: HashMap::default(),
        pending: Vec::new(),
        raw: HashMap::default(),
        taken: Vec::new(),
        methods: Vec::new(),
        modules: HashMap::default(),
    };
    reader.objects(&mut window)?;
    reader.settle(&window);
    window.finish()?;
    let mut builder = TraceBuilder::new(&reporter);
    let mut stacks = Stacks::default();
    let gathered = reader.gather(&mut builder, &mut stacks, &window);
    let about = About {
        format: FORMAT,
        every: None,
        bytes: window.offset(),
    };
    Ok(gathered.recording(input, &about, &stacks, builder, &reporter))
}

/// What is read of an event.
#[derive(Clone, Copy)]
enum Kind {
    Sample,
    Method,
    Module,
    Other,
}

impl Kind {
    fn new(provider: &str, event: u32) -> Kind {
        const RUNTIME: &str = "Microsoft-Windows-DotNETRuntime";
        const RUNDOWN: &str = "Microsoft-Windows-DotNETRuntimeRundown";
        match (provider, event) {
            ("Microsoft-DotNETCore-SampleProfiler", _) => Kind::Sample,
            (RUNTIME, 143) | (RUNDOWN, 143 | 144) => Kind::Method,
            // Elsewhere these numbers are those of other events.
            (RUNTIME, 152) | (RUNDOWN, 153 | 154) => Kind::Module,
            _ => Kind::Other,
        }
    }
}

struct Method {
    start: u64,
    size: u32,
    name: String,
    module: u64,
}

/// A sample: its thread, its time on the trace's clock, and its stack.
type Taken = (u64, u64, u32);

struct Reader<'r> {
    reporter: &'r Reporter,
    /// The size of an address.
    pointer: usize,
    process: String,
    /// When the trace began, in units of its clock, and how many of them a second has.
    origin: u64,
    frequency: u64,
    /// By the number of a description.
    kinds: HashMap<u32, Kind, BuildFast>,
    /// By the number of a stack since the last sequence point, its number in `raw`.
    stacks: HashMap<u32, u32, BuildFast>,
    /// Samples since then, with the first of these numbers.
    pending: Vec<Taken>,
    /// By the addresses of a stack, innermost first, its number.
    raw: HashMap<Box<[u8]>, u32, BuildFast>,
    /// With the second.
    taken: Vec<Taken>,
    methods: Vec<Method>,
    /// By id, the path of a module.
    modules: HashMap<u64, String, BuildFast>,
}

impl Reader<'_> {
    /// Reads object after object.
    fn objects(&mut self, window: &mut Window<'_>) -> Result<(), ImportError> {
        if !window.have(BEGINNING.len())? || !sniff(window.data()) {
            let found = "something else";
            return Err(ImportError::malformed(
                window.place(0),
                "the beginning of a .nettrace file",
                found,
            ));
        }
        window.consume(BEGINNING.len());
        loop {
            let offset = window.offset();
            // The longest beginning of an object.
            window.have(3 + 12 + LONGEST_NAME + 1)?;
            match window.data().first() {
                Some(&NULL) => {
                    window.consume(1);
                    return Ok(());
                }
                None => {
                    self.reporter
                        .warn("truncated-file", || window.place(offset));
                    return Ok(());
                }
                Some(_) => {}
            }
            let Some((name, length)) = type_of(window.data()) else {
                let is_cut = window.data().len() < 3 + 12 + LONGEST_NAME;
                let kind = if is_cut {
                    "truncated-file"
                } else {
                    "damaged-object"
                };
                self.reporter.warn(kind, || window.place(offset));
                return Ok(());
            };
            window.consume(length);
            let is_whole = match name.as_str() {
                "Trace" => self.trace(window)?,
                name => self.block(name, window)?,
            };
            if !is_whole {
                self.reporter
                    .warn("truncated-file", || window.place(offset));
                return Ok(());
            }
            window.have(1)?;
            if window.data().first() != Some(&END) {
                self.reporter
                    .warn("damaged-object", || window.place(offset));
                return Ok(());
            }
            window.consume(1);
        }
    }

    /// Reads what the trace says of itself; whether it is whole.
    fn trace(&mut self, window: &mut Window<'_>) -> Result<bool, ImportError> {
        const LENGTH: usize = 48;
        if !window.have(LENGTH)? {
            return Ok(false);
        }
        let mut fields = Bytes(window.data());
        // The time of day.
        fields.take(16);
        self.origin = fields.eight().unwrap_or(0);
        self.frequency = fields.eight().unwrap_or(0).max(1);
        if fields.four() == Some(4) {
            self.pointer = 4;
        }
        self.process = fields.four().unwrap_or(0).to_string();
        window.consume(LENGTH);
        Ok(true)
    }

    /// Reads a block; whether it is whole.
    fn block(&mut self, name: &str, window: &mut Window<'_>) -> Result<bool, ImportError> {
        if !window.have(4)? {
            return Ok(false);
        }
        let size = Bytes(window.data()).four().unwrap_or(0) as usize;
        window.consume(4);
        let padding = (window.offset().next_multiple_of(4) - window.offset()) as usize;
        if !window.have(padding)? {
            return Ok(false);
        }
        window.consume(padding);
        let is_whole = window.have(size)?;
        let offset = window.offset();
        let block = &window.data()[..size.min(window.data().len())];
        let is_sound = match name {
            "MetadataBlock" => self.descriptions(block),
            "EventBlock" => self.events(block, window),
            "StackBlock" => self.stack_block(block).is_some(),
            "SPBlock" => {
                self.settle(window);
                true
            }
            _ => true,
        };
        if is_whole && !is_sound {
            self.reporter.warn("damaged-block", || window.place(offset));
        }
        let length = block.len();
        window.consume(length);
        Ok(is_whole)
    }

    fn descriptions(&mut self, block: &[u8]) -> bool {
        let Some(mut blobs) = Blobs::of(block) else {
            return false;
        };
        let mut is_sound = true;
        for blob in &mut blobs {
            let mut payload = Bytes(blob.payload);
            let description = (|| {
                let number = payload.four()?;
                let provider = payload.text()?;
                Some((number, Kind::new(&provider, payload.four()?)))
            })();
            is_sound &= description.is_some();
            self.kinds.extend(description);
        }
        is_sound && blobs.has_ended()
    }

    fn events(&mut self, block: &[u8], window: &Window<'_>) -> bool {
        let Some(mut blobs) = Blobs::of(block) else {
            return false;
        };
        let (mut others, mut is_sound) = (0, true);
        for blob in &mut blobs {
            match self.kinds.get(&blob.metadata) {
                Some(Kind::Sample) => self.pending.push((blob.thread, blob.time, blob.stack)),
                Some(Kind::Method) => is_sound &= self.method(&blob).is_some(),
                Some(Kind::Module) => is_sound &= self.module(&blob).is_some(),
                Some(Kind::Other) | None => others += 1,
            }
        }
        let place = || window.place(window.offset());
        self.reporter.warn_many("event-not-shown", others, place);
        is_sound && blobs.has_ended()
    }

    fn method(&mut self, blob: &Blob<'_>) -> Option<()> {
        let mut payload = Bytes(blob.payload);
        payload.eight()?;
        let (module, start, size) = (payload.eight()?, payload.eight()?, payload.four()?);
        // Token and flags.
        payload.take(8)?;
        let [class, name, signature] = [payload.text()?, payload.text()?, payload.text()?];
        // Without what it returns.
        let parameters = signature.find('(').and_then(|at| signature.get(at..));
        let dot = if class.is_empty() { "" } else { "." };
        let name = format!("{class}{dot}{name}{}", parameters.unwrap_or_default());
        self.methods.push(Method {
            start,
            size,
            name,
            module,
        });
        Some(())
    }

    fn module(&mut self, blob: &Blob<'_>) -> Option<()> {
        let mut payload = Bytes(blob.payload);
        let id = payload.eight()?;
        // Assembly and flags.
        payload.take(16)?;
        let path = payload.text()?;
        self.modules.insert(id, path);
        Some(())
    }

    fn stack_block(&mut self, block: &[u8]) -> Option<()> {
        let mut block = Bytes(block);
        let (first, count) = (block.four()?, block.four()?);
        for number in 0..count {
            let size = block.four()? as usize;
            let addresses = block.take(size)?;
            let next = self.raw.len() as u32;
            let raw = match self.raw.get(addresses) {
                Some(&known) => known,
                None => *self.raw.entry(addresses.into()).or_insert(next),
            };
            self.stacks.insert(first.wrapping_add(number), raw);
        }
        Some(())
    }

    /// A sequence point, or the end: numbers of stacks mean others behind it.
    fn settle(&mut self, window: &Window<'_>) {
        for (thread, time, stack) in self.pending.drain(..) {
            match self.stacks.get(&stack) {
                Some(&raw) => self.taken.push((thread, time, raw)),
                None => {
                    let place = || window.place(window.offset());
                    self.reporter.warn("sample-without-stack", place);
                }
            }
        }
        self.stacks.clear();
    }

    /// The samples with their stacks as functions.
    fn gather(
        &mut self,
        builder: &mut TraceBuilder<'_>,
        stacks: &mut Stacks,
        window: &Window<'_>,
    ) -> Gathered {
        // Of methods at one address, the last that was told.
        self.methods.reverse();
        self.methods.sort_by_key(|method| method.start);
        self.methods.dedup_by_key(|method| method.start);
        // Most methods are in no stack.
        let mut functions: Vec<Option<FunctionId>> = vec![None; self.methods.len()];
        let mut of_raw = vec![StackId::EMPTY; self.raw.len()];
        // In order of number, so that the same file gives the same answer.
        let mut raw: Vec<(&[u8], u32)> = self.raw.iter().map(|it| (&**it.0, *it.1)).collect();
        raw.sort_unstable_by_key(|it| it.1);
        let mut missing = 0;
        for (addresses, number) in raw {
            let mut stack = StackId::EMPTY;
            for (index, address) in addresses.chunks_exact(self.pointer).enumerate().rev() {
                let mut bytes = [0; 8];
                bytes[..self.pointer].copy_from_slice(address);
                let address = u64::from_le_bytes(bytes);
                // Those of callers are where they go on, which may be behind their end.
                let function = self.method_at(address.wrapping_sub(u64::from(index > 0)));
                missing += u64::from(function.is_none());
                let function = match function {
                    Some(it) => *functions[it].get_or_insert_with(|| self.function(it, builder)),
                    None => builder.function(Function {
                        name: "(unknown)",
                        ..Function::default()
                    }),
                };
                stack = stacks.push(stack, function);
            }
            of_raw[number as usize] = stack;
        }
        let place = || window.place(window.offset());
        self.reporter.warn_many("unknown-address", missing, place);
        let mut threads: HashMap<u64, ThreadId, BuildFast> = HashMap::default();
        let mut gathered = Gathered::default();
        for &(thread, time, raw) in &self.taken {
            let of = threads.entry(thread);
            let of = *of.or_insert_with(|| builder.thread(&self.process, &thread.to_string()));
            gathered.push(of, self.nanoseconds(time), of_raw[raw as usize]);
        }
        gathered
    }

    fn function(&self, method: usize, builder: &mut TraceBuilder<'_>) -> FunctionId {
        let method = &self.methods[method];
        let path = self.modules.get(&method.module);
        let path = path.map_or("", String::as_str);
        builder.function(Function {
            name: &method.name,
            library: path.rsplit(['/', '\\']).next().unwrap_or(path),
            ..Function::default()
        })
    }

    /// The method whose code is at an address.
    fn method_at(&self, address: u64) -> Option<usize> {
        let behind = self.methods.partition_point(|it| it.start <= address);
        let number = behind.checked_sub(1)?;
        let method = self.methods.get(number)?;
        (address - method.start < u64::from(method.size)).then_some(number)
    }

    /// A time since the trace began.
    fn nanoseconds(&self, time: u64) -> i64 {
        const A_SECOND: i128 = 1_000_000_000;
        /// Times beyond are taken for damage.
        const LARGEST: i128 = 1 << 62;
        let since = i128::from(time) - i128::from(self.origin);
        let since = since * A_SECOND / i128::from(self.frequency);
        since.clamp(-LARGEST, LARGEST) as i64
    }
}

/// The name of the type of the object that begins here, and how long its beginning is.
fn type_of(data: &[u8]) -> Option<(String, usize)> {
    let mut rest = Bytes(data);
    if rest.array()? != [BEGIN, BEGIN, NULL] {
        return None;
    }
    // Versions.
    rest.take(8)?;
    let length = rest.four()? as usize;
    let name = rest.take(length).filter(|_| length <= LONGEST_NAME)?;
    if rest.array()? != [END] {
        return None;
    }
    let name = String::from_utf8_lossy(name).into_owned();
    Some((name, data.len() - rest.0.len()))
}
