//! Batches, of which a trace is a row.

use super::wire;
use crate::error::ImportError;
use crate::stream::Window;

/// What is longer is no batch.
const LONGEST: usize = 64 << 10;

/// A batch of events of a thread, or of a table.
pub(super) struct Batch {
    pub generation: u64,
    pub machine: u64,
    /// In the clock's ticks.
    pub time: u64,
    pub data: Vec<u8>,
    /// Where its data begins.
    pub offset: u64,
}

pub(super) enum Read {
    Batch(Batch),
    EndOfGeneration,
    Experiment,
    /// Nothing more can be read, and why if something should be there.
    End(Option<&'static str>),
}

/// Reads the next batch.
pub(super) fn read(window: &mut Window<'_>) -> Result<Read, ImportError> {
    const LONGEST_HEADER: usize = 64;
    window.have(LONGEST_HEADER)?;
    let data = window.data();
    let is_experiment = match data.first() {
        None => return Ok(Read::End(None)),
        Some(&wire::END_OF_GENERATION) => {
            window.consume(1);
            return Ok(Read::EndOfGeneration);
        }
        Some(&wire::EVENT_BATCH) => false,
        Some(&wire::EXPERIMENTAL_BATCH) => true,
        Some(_) => return Ok(Read::End(Some("malformed-batch"))),
    };
    let mut at = 1 + usize::from(is_experiment);
    let mut number = || wire::number(data, &mut at);
    let header = (|| Some([number()?, number()?, number()?, number()?]))();
    let Some([generation, machine, time, size]) = header else {
        return Ok(Read::End(Some("truncated-file")));
    };
    let Some(size) = usize::try_from(size).ok().filter(|&it| it <= LONGEST) else {
        return Ok(Read::End(Some("malformed-batch")));
    };
    if !window.have(at + size)? {
        return Ok(Read::End(Some("truncated-file")));
    }
    let offset = window.offset() + at as u64;
    let data = window.data()[at..at + size].to_vec();
    window.consume(at + size);
    Ok(match is_experiment {
        true => Read::Experiment,
        false => Read::Batch(Batch {
            generation,
            machine,
            time,
            data,
            offset,
        }),
    })
}
