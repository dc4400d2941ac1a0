//! A recording that another thread steers, such as one that a window began: what the program writes, and whether it goes on.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::error::RecordError;
use super::rates::{Rate, Rates};
use super::seen::Seen;
use super::signals::{self, Switch};
use super::switching::{self, SOON};

/// So many bytes of what a program writes are kept: the last ones.
const KEPT: usize = 16 << 10;

/// The handle of one recording, for whoever began it and for the thread that runs it.
#[derive(Clone, Debug, Default)]
pub struct Control(Arc<Mutex<Shared>>);

#[derive(Debug, Default)]
struct Shared {
    /// The process of the program, while it runs; of the recorder, where that records another process.
    program: Option<u32>,
    /// The process that is recorded, where it ran already: it is never stopped.
    attached: Option<u32>,
    stops: u32,
    seen: Seen,
    /// What the program wrote on both streams.
    wrote: Vec<u8>,
    /// How much it wrote in all.
    written: u64,
    counted: Rates,
    rates: Vec<Rate>,
}

impl Control {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the program to end; makes it end when it was asked before.
    pub fn stop(&self) {
        let mut shared = self.lock();
        shared.stops += 1;
        if let Some(program) = shared.program {
            signals::send(program, stopping(&shared));
        }
    }

    /// How often the program was asked to end.
    pub fn stops(&self) -> u32 {
        self.lock().stops
    }

    /// Switches recording of the program on or off.
    pub fn switch(&self, to: Switch) -> Result<(), RecordError> {
        let shared = self.lock();
        let program = shared.attached.or(shared.program);
        drop(shared);
        let none = || RecordError::Recorder("the program is not running".to_owned());
        switching::switch(program.ok_or_else(none)?, to, SOON)
    }

    /// How far the recording is.
    pub fn seen(&self) -> Seen {
        self.lock().seen
    }

    /// What the program wrote last, with how many bytes it has written; none where that are `known` already.
    pub fn wrote(&self, known: u64) -> Option<(u64, String)> {
        let shared = self.lock();
        let is_new = shared.written != known;
        is_new.then(|| {
            let text = String::from_utf8_lossy(&shared.wrote);
            (shared.written, text.into_owned())
        })
    }

    /// The functions that are called most often, with their calls a second, and those that were excluded last; none if the
    /// recorder does not tell.
    pub fn rates(&self) -> Vec<Rate> {
        self.lock().rates.clone()
    }

    /// Counts calls in a recording that is being made, each second.
    pub(super) fn count(&self, recording: &Path) {
        // Who asks meanwhile does not wait.
        let mut counted = std::mem::take(&mut self.lock().counted);
        let rates = counted.look(recording);
        let mut shared = self.lock();
        shared.counted = counted;
        if let Some(rates) = rates {
            shared.rates = rates;
        }
    }

    /// Keeps how far the recording is.
    pub fn see(&self, seen: Seen) {
        self.lock().seen = seen;
    }

    /// Tells which process is recorded that ran already.
    pub(super) fn attach(&self, pid: u32) {
        self.lock().attached = Some(pid);
    }

    /// Tells which process is the program; one that was to be stopped before it ran is stopped now.
    pub(super) fn runs(&self, program: Option<u32>) {
        let mut shared = self.lock();
        if shared.program == program {
            return;
        }
        shared.program = program;
        if let Some(program) = program.filter(|_| shared.stops > 0) {
            signals::send(program, stopping(&shared));
        }
    }

    /// Has a program write to this, and read nothing.
    pub(super) fn prepare(command: &mut Command) {
        command.stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
    }

    /// Reads what it writes, on threads of their own, which end when nobody can write any more.
    pub(super) fn listen(&self, child: &mut Child) {
        let streams: [Option<Box<dyn Read + Send>>; 2] = [
            child.stdout.take().map(|it| Box::new(it) as _),
            child.stderr.take().map(|it| Box::new(it) as _),
        ];
        for mut stream in streams.into_iter().flatten() {
            let control = self.clone();
            // Without a thread the pipe is closed, and what the program writes into it fails.
            let _ = std::thread::Builder::new()
                .name("program's output".to_owned())
                .spawn(move || {
                    let mut part = [0; 8192];
                    while let Ok(length @ 1..) = stream.read(&mut part) {
                        control.add(part.get(..length).unwrap_or_default());
                    }
                });
        }
    }

    fn add(&self, bytes: &[u8]) {
        let mut shared = self.lock();
        shared.written += bytes.len() as u64;
        shared.wrote.extend_from_slice(bytes);
        let above = shared.wrote.len().saturating_sub(KEPT);
        if above > 0 {
            // From the next line on.
            let rest = shared.wrote.get(above..).unwrap_or_default();
            let line = rest
                .iter()
                .position(|&it| it == b'\n')
                .map_or(0, |it| it + 1);
            shared.wrote.drain(..above + line);
        }
    }
}

/// What a program is sent that is asked to end for the first time, and for another one; a recorder of another process leaves
/// off.
fn stopping(shared: &Shared) -> i32 {
    match (shared.stops, shared.attached) {
        (2.., _) => signals::KILL,
        (_, Some(_)) => signals::INTERRUPT,
        (_, None) => signals::TERMINATE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_what_a_program_writes_is_kept_from_the_start_of_a_line() {
        let control = Control::default();
        assert_eq!(control.wrote(0), None);
        let mut all = 0;
        for number in 0..5_000 {
            let line = format!("line {number}\n");
            all += line.len() as u64;
            control.add(line.as_bytes());
        }
        let (written, text) = control.wrote(0).expect("something new");
        assert_eq!(written, all);
        assert!(text.len() <= KEPT && text.len() > KEPT / 2);
        assert!(text.starts_with("line ") && text.ends_with("line 4999\n"));
        assert_eq!(control.wrote(all), None);
    }

    #[test]
    fn what_does_not_run_is_not_switched() {
        let control = Control::default();
        assert!(control.switch(Switch::On).is_err());
        control.stop();
        assert_eq!(control.stops(), 1);
    }
}
