//! The recording that `perf record` writes, `perf.data`, with Android's `simpleperf record` in the same container.
//! Specification: `tools/perf/Documentation/perf.data-file-format.txt` of Linux, perf_event_open(2),
//! <https://man7.org/linux/man-pages/man2/perf_event_open.2.html>, and for simpleperf
//! <https://android.googlesource.com/platform/system/extras/+/main/simpleperf/record_file.h>.
//!
//! Read are the samples as `perf script` prints them, file or pipe, in either order of bytes, compressed (`-z`) or not: whose
//! they are, their times, events, periods and chains of calls, with what the kernel tells of processes, threads and mapped
//! files between them. Records are put in order of time as perf does, round by round. What perf lost is counted. A thread
//! is one of its process, which the text does not say.
//!
//! Frames get names from the files that were mapped, as in `perf script` of Linux 6.5 and later: [`symbols`] says where
//! these are looked for. Lines are those of `-F +srcline` with the whole path. A frame without a symbol is `[unknown]`.
//! Stacks that were copied to be unwound (`--call-graph dwarf`, of simpleperf `-g` with `--no-unwind`) and branches
//! (`--call-graph lbr`) hold no chain, and the recording is refused with the command that unwinds it.
//!
//! The crates that read this format are not used: linux-perf-data 0.13 allocates what a damaged header says and loses the
//! round at hand with the first damaged record, linux-perf-event-reader 0.10 overflows at a damaged length of a chain
//! and mixes up the forms of `PERF_SAMPLE_READ`.

mod addresses;
mod attributes;
mod bytes;
mod chains;
mod features;
mod header;
mod mapped;
mod maps;
mod records;
mod rounds;
mod samples;
mod simpleperf;
mod symbols;
mod table;
#[cfg(test)]
mod tests;
mod told;

use super::error::ImportError;
use super::input::Input;
use super::perf_samples::{Head, PerfSamples, When};
use super::stream::Window;
use super::wakeups::Stage;
use addresses::{Addresses, Mode};
use attributes::{Attributes, Layout};
use bytes::{Bytes, Order};
use callscape_base::progress::Progress;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::recording::Recording;
use chains::Chains;
use features::Features;
use header::{Header, MAGIC};
use maps::Processes;
use records::{Record, Records, kind};
use rounds::Rounds;
use samples::Sample;

/// The identifier in `info`.
pub(crate) const FORMAT: &str = "perf-data";

/// Whether a file that begins with `head` is one.
pub(crate) fn sniff(head: &[u8]) -> bool {
    MAGIC.iter().any(|magic| head.starts_with(magic))
}

/// Whether another reading may find more names: files with symbols come and go, and the recording stays as it is.
pub(crate) fn lacks_symbols(recording: &Recording) -> bool {
    const KINDS: [&str; 4] = [
        "symbols-missing",
        "symbols-of-another-build",
        "symbols-not-read",
        "lines-not-read",
    ];
    let mut warnings = recording.warnings.iter();
    recording.format == FORMAT && warnings.any(|it| KINDS.contains(&it.kind.as_ref()))
}

/// Reads the samples. O(n log n) in a round; memory for functions and calls, one round, and the symbols of mapped files.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut features = Features::read(input, progress, &reporter)?;
    let mut window = Window::open_binary(input, progress, &reporter)?;
    let header = Header::read(&mut window)?;
    let attributes = Attributes::read(&mut window, &header, &features)?;
    let name = window.name().to_owned();
    let mut records = Records::new(&mut window, &header, &reporter);
    let mut reader = Reader {
        samples: PerfSamples::new(FORMAT, &reporter),
        processes: Processes::new(input.size().unwrap_or(0)),
        chains: Chains::new(input, progress, &reporter),
        layout: None,
        attributes,
        reporter: &reporter,
        order: header.order,
        name: &name,
    };
    reader.samples.samples.allow(u64::MAX);
    reader.chains.learn(&mut features);
    let mut rounds = Rounds::new(features.is_simpleperf());
    while let Some(record) = records.next()? {
        reader.take(&record, &mut rounds)?;
    }
    rounds.end(|record| reader.record(record))?;
    reader.samples.wake(&|at| Place::offset(name.clone(), at));
    let place = || Place::offset(name.clone(), 0);
    reader.samples.finish(input, "none", place)
}

struct Reader<'a> {
    samples: PerfSamples<'a>,
    processes: Processes,
    chains: Chains<'a>,
    attributes: Attributes,
    /// How records of the attributes are laid out, once these are all known.
    layout: Option<Layout>,
    reporter: &'a Reporter,
    order: Order,
    name: &'a str,
}

impl Reader<'_> {
    fn warn(&self, kind: &'static str, at: u64) {
        self.reporter.warn(kind, || Place::offset(self.name, at));
    }

    /// Takes a record as the file has it: what perf itself wrote is read at once, the rest waits for its round.
    fn take(&mut self, record: &Record<'_>, rounds: &mut Rounds) -> Result<(), ImportError> {
        let mut body = Bytes::new(record.body, self.order);
        match record.kind {
            kind::ATTRIBUTE => {
                let added = self.attributes.add(record.body, self.order);
                added.unwrap_or_else(|| self.warn("malformed-record", record.at));
            }
            kind::EVENT_UPDATE => self.attributes.update(&mut body),
            kind::FEATURE => {
                if let Some(feature) = body.u64() {
                    let mut features = Features::default();
                    features.take(feature, body.rest(), self.order);
                    self.attributes.name(&features);
                    self.chains.learn(&mut features);
                }
            }
            kind::BUILD_ID => {
                let mut features = Features::default();
                features.build_id(record.misc, record.body, self.order);
                self.chains.learn(&mut features);
            }
            kind::ROUND => rounds.round(|record| self.record(record))?,
            kind if kind < kind::FIRST_OF_PERF => {
                let layout = match self.layout {
                    Some(layout) => layout,
                    None => *self.layout.insert(self.first_layout(record.at)?),
                };
                let time = layout.time(record, self.order);
                match time {
                    Some(time) if time > 0 && time < u64::MAX => {
                        rounds.push(time, record, |record| self.record(record))?;
                    }
                    _ => self.record(record)?,
                }
            }
            // What perf notes for itself, and simpleperf for its report.
            _ => {}
        }
        Ok(())
    }

    /// How records are laid out, now that the first comes.
    fn first_layout(&self, at: u64) -> Result<Layout, ImportError> {
        self.attributes.layout().ok_or_else(|| {
            let place = Place::offset(self.name, at);
            ImportError::malformed(place, "attributes of events before records", "none")
        })
    }

    /// Takes a record in its turn.
    fn record(&mut self, record: &Record<'_>) -> Result<(), ImportError> {
        let is_whole = match record.kind {
            kind::SAMPLE => return self.sample(record),
            kind::MAP | kind::MAP2 | kind::SYMBOL => {
                self.processes.map(record, self.order, &mut self.chains)
            }
            kind::COMMAND => self.processes.command(record, self.order),
            kind::FORK => self.processes.fork(record, self.order),
            // Samples may follow.
            kind::EXIT => Some(()),
            kind::LOST | kind::LOST_SAMPLES => {
                self.lost(record);
                Some(())
            }
            _ => {
                self.warn("record-not-shown", record.at);
                Some(())
            }
        };
        if is_whole.is_none() {
            self.warn("malformed-record", record.at);
        }
        if self.processes.has_left_out() {
            self.warn("mapping-left-out", record.at);
        }
        Ok(())
    }

    /// Counts what perf lost.
    fn lost(&self, record: &Record<'_>) {
        let mut body = Bytes::new(record.body, self.order);
        let count = match record.kind {
            kind::LOST => body.u64().and_then(|_| body.u64()),
            _ => body.u64(),
        };
        let place = || Place::offset(self.name, record.at);
        self.reporter
            .warn_many("samples-lost", count.unwrap_or(1), place);
    }

    fn sample(&mut self, record: &Record<'_>) -> Result<(), ImportError> {
        let Some(number) = self.attributes.of_sample(record, self.order) else {
            self.warn("sample-without-event", record.at);
            return Ok(());
        };
        let event = self.attributes.get(number);
        let Some(sample) = event.sample(record, self.order) else {
            self.warn("malformed-record", record.at);
            return Ok(());
        };
        if sample.has_stack || event.is_by_branches() {
            let found = "copies of stacks or branches; open what 'perf script' prints of it, or of simpleperf its 'report_sample.py'";
            let place = Place::offset(self.name, record.at);
            return Err(ImportError::malformed(place, "chains of calls", found));
        }
        if let (Some(place), Some(fields)) = (event.woken, sample.raw.clone())
            && let Some(field) = record.body[fields].get(place..)
            && let Some(woken) = Bytes::new(field, self.order).i32()
            && let (Some(thread), Some(time)) = (sample.thread, sample.time)
            && let Some(stage) = Stage::of_event(&event.name)
        {
            let threads = [thread, woken].map(i64::from);
            let time = i64::try_from(time).unwrap_or(i64::MAX);
            self.samples.wakeups.push(stage, threads, time, record.at);
        }
        for (number, period) in self.attributes.counts(number, &sample) {
            self.count(record, &sample, (number, period))?;
        }
        Ok(())
    }

    /// Adds a sample of the event of this number, which stands for so much of it.
    fn count(
        &mut self,
        record: &Record<'_>,
        sample: &Sample,
        (number, period): (usize, u64),
    ) -> Result<(), ImportError> {
        let when = match sample.time.map(i64::try_from) {
            Some(Ok(time)) => When::At(time),
            Some(Err(_)) => {
                self.warn("time-out-of-range", record.at);
                When::Same
            }
            None => {
                self.warn("missing-time", record.at);
                When::Next
            }
        };
        self.samples.begin(&Head {
            command: &self.processes.command_of(sample.thread),
            process: sample.process.map(i64::from),
            thread: sample.thread.map(i64::from),
            processor: sample.processor.map(u64::from),
            when,
            event: self.attributes.get(number).name.as_bytes(),
            period: Some(period),
        });
        let process = sample.process.unwrap_or(-1);
        for address in Addresses::of(sample, record, self.order) {
            let found = match address.mode {
                Mode::Other => None,
                mode => self
                    .processes
                    .find(process, address.at, mode == Mode::Kernel),
            };
            self.chains
                .frame(found, address, &mut self.samples, record.at)?;
        }
        self.samples.flush(|| Place::offset(self.name, record.at));
        Ok(())
    }
}
