//! What the sub-commands that read a recording share: opening it with progress, tables, JSON.

use std::io::{self, Write};

use anyhow::{Context, bail, ensure};
use serde_json::ser::{Formatter, PrettyFormatter};

use super::progress::with_progress;
use super::trace_arg::TraceArg;
use callscape_analysis::session::{Inputs, OpenError, Resolved, Session};
use callscape_base::escape;
use callscape_base::files;
use callscape_base::progress::Progress;
use callscape_export::pack;
use callscape_facts::recording::Recording;

/// Opens the recording of a sub-command, resolved against its source tree if it names one.
pub(crate) fn open(input: &TraceArg) -> anyhow::Result<Session> {
    open_as(input, Session::open)
}

/// Does the same for a subcommand that only counts resolved functions.
pub(crate) fn open_counting(input: &TraceArg) -> anyhow::Result<Session> {
    open_as(input, Session::open_counting)
}

/// How a session is opened.
type Open = fn(&Inputs, &Progress) -> Result<Session, OpenError>;

fn open_as(input: &TraceArg, open: Open) -> anyhow::Result<Session> {
    let mut inputs = Inputs {
        source_dir: input.source.clone(),
        recordings: vec![input.trace.clone()],
        ..Inputs::default()
    };
    if pack::is_pack(&input.trace) {
        let opened = super::input::unpacked(&input.trace)?;
        inputs.source_dir = inputs.source_dir.or(opened.source_dir);
        inputs.recordings = opened.recordings;
        ensure!(
            !inputs.recordings.is_empty(),
            "{}: expected a pack with a recording, found none in it",
            input.trace.display()
        );
    }
    let mut session = open_inputs_as(&inputs, open)?;
    let found = &session.recordings;
    if found.len() > 1 {
        /// An error message names this many.
        const NAMED: usize = 8;
        let names = found.iter().take(NAMED);
        let mut names: Vec<String> = names.map(|it| it.recording.name()).collect();
        if found.len() > NAMED {
            names.push(format!("and {} more", found.len() - NAMED));
        }
        bail!(
            "{}: expected one recording, found {} unrelated recordings: {}",
            input.trace.display(),
            found.len(),
            names.join(", ")
        );
    }
    show_value(&mut session, input.value.as_deref())?;
    input.left_out.apply(&mut session)?;
    Ok(session)
}

/// Shows the value of this name in the first recording, or its default value for `None`.
pub(crate) fn show_value(session: &mut Session, value: Option<&str>) -> anyhow::Result<()> {
    let Some(value) = value else {
        return Ok(());
    };
    let Some(resolved) = session.recordings.first_mut() else {
        bail!("--value needs a recording");
    };
    let name = resolved.recording.name();
    Recording::show_value_in(&mut resolved.recording, value).with_context(|| name)
}

/// Fails for a profile where `what` needs times.
pub(crate) fn ensure_times(recording: &Recording, what: &str) -> anyhow::Result<()> {
    if recording.profile.is_none() {
        return Ok(());
    }
    if let (Some(_), [timed, ..], Some(shown)) = (
        &recording.weighed,
        recording.values(),
        recording.value_shown(),
    ) {
        bail!(
            "{}: only '{}' has times, not '{}', so {what}; omit --value",
            recording.name(),
            timed.name,
            shown.name
        );
    }
    bail!(
        "{}: a profile contains weights without times, so {what}; see `callscape functions` and `callscape graph`",
        recording.name()
    )
}

/// Opens a session. Shows a progress bar on standard error if that is a terminal, and reports if source tree and
/// recording have nothing in common.
pub(crate) fn open_inputs(inputs: &Inputs) -> anyhow::Result<Session> {
    open_inputs_as(inputs, Session::open)
}

fn open_inputs_as(inputs: &Inputs, open: Open) -> anyhow::Result<Session> {
    let session = with_progress(|progress| open(inputs, progress))??;
    for Resolved {
        recording,
        resolution,
    } in &session.recordings
    {
        let functions = recording.functions.len();
        if session.source_dir.is_some() && functions > 0 && resolution.found() == 0 {
            let name = recording.name();
            say!(
                "callscape: none of the {functions} functions of {name} was found in the source tree"
            );
        }
    }
    Ok(session)
}

/// The recording of a session that was opened with one.
pub(crate) fn recording(session: &Session) -> anyhow::Result<&Resolved> {
    let first = session.recordings.first();
    first.ok_or_else(|| anyhow::anyhow!("no recording was opened"))
}

/// Fails if a query hit damage that could not be repaired. Called between the last query and the first output, so that
/// no wrong number is ever printed.
pub(crate) fn ensure_whole(recording: &Recording) -> anyhow::Result<()> {
    recording.damage().map_or(Ok(()), |damage| bail!(damage))
}

/// Writes to standard output through a buffer. A closed reader, such as `head`, is not an error.
pub(crate) fn print_data(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    let mut out = io::BufWriter::new(standard_output()?);
    written(write(&mut out).and_then(|()| out.flush()))
}

/// Where data for other programs goes.
pub(crate) fn standard_output() -> anyhow::Result<impl Write> {
    files::standard_output().context(STANDARD_OUTPUT)
}

/// What comes of writing to standard output.
pub(crate) fn written(result: io::Result<()>) -> anyhow::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context(STANDARD_OUTPUT),
    }
}

const STANDARD_OUTPUT: &str = "cannot write to standard output";

/// The same for people: terminal control characters are shown as escapes. Names must have been passed through
/// [`escape::name`] to stay on one line.
pub(crate) fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    let mut text = Vec::new();
    write(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    print_data(|out| out.write_all(escape::lines(&text).as_bytes()))
}

/// Number of calls for a table; a dash if the recording does not count them.
pub(crate) fn calls(calls: u64, are_counted: bool) -> String {
    match are_counted {
        true => calls.to_string(),
        false => "–".to_owned(),
    }
}

/// Prints one JSON document and a newline.
pub(crate) fn print_json(document: &impl serde::Serialize) -> anyhow::Result<()> {
    print_data(|out| {
        document.serialize(&mut json(&mut *out))?;
        out.write_all(b"\n")
    })
}

/// Writes JSON for a terminal too: the same document, with what would steer one in the escapes of JSON.
fn json<W: Write>(out: W) -> serde_json::Serializer<W, Escaping> {
    serde_json::Serializer::with_formatter(out, Escaping::default())
}

/// A text as JSON.
pub(crate) fn json_text(text: &str) -> String {
    let mut out = Vec::new();
    // Memory takes all, and a text can always be written.
    let _ = serde::Serialize::serialize(text, &mut json(&mut out));
    String::from_utf8_lossy(&out).into_owned()
}

/// Indents as `PrettyFormatter` does.
#[derive(Default)]
struct Escaping(PrettyFormatter<'static>);

impl Formatter for Escaping {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        out.write_all(escape::json(fragment).as_bytes())
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_array(out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array(out)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array_value(out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object_value(out)
    }
}

/// Alignment of a cell in its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A table for people: a heading for each column, two spaces between them.
pub(crate) struct Table {
    columns: Vec<(&'static str, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(columns: &[(&'static str, Align)]) -> Table {
        Table {
            columns: columns.to_vec(),
            rows: Vec::new(),
        }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells = cells.into_iter();
        let cells = cells.map(|cell| escape::name(&cell).into_owned());
        self.rows.push(cells.collect());
    }

    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let width = |text: &str| text.chars().count();
        let widths: Vec<usize> = self
            .columns
            .iter()
            .enumerate()
            .map(|(column, (heading, _))| {
                let cells = self.rows.iter().filter_map(|row| row.get(column));
                cells
                    .map(|cell| width(cell))
                    .fold(width(heading), usize::max)
            })
            .collect();
        let headings = self.columns.iter().map(|(heading, _)| *heading);
        let mut line = String::new();
        let rows = self.rows.iter().map(|row| {
            let cells: Vec<&str> = row.iter().map(String::as_str).collect();
            cells
        });
        for cells in std::iter::once(headings.collect::<Vec<_>>()).chain(rows) {
            line.clear();
            for ((cell, width), (_, align)) in cells.iter().zip(&widths).zip(&self.columns) {
                if !line.is_empty() {
                    line.push_str("  ");
                }
                match align {
                    Align::Left => line.push_str(&format!("{cell:width$}")),
                    Align::Right => line.push_str(&format!("{cell:>width$}")),
                }
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
