//! What is known of the sampler of a recording.

use std::io::{self, Write};

use serde::Serialize;

use callscape_base::units::Cost;
use callscape_facts::recording::Recording;
use callscape_import::samplers::{self, Sees};

/// What is known of a sampler.
#[derive(Serialize)]
pub(super) struct SampledBy {
    sees: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval_ns: Option<Cost>,
}

impl SampledBy {
    /// None of a trace, and of profiles of which that is not known.
    pub(super) fn of(recording: &Recording) -> Option<SampledBy> {
        let value = recording.values().first()?;
        let sampler = samplers::of(recording.format, &value.name);
        let sees = match value.name.as_str() {
            samplers::WALL_TIME => Sees::Waiting,
            _ if recording.weighed.is_some() => Sees::Running,
            _ => sampler.filter(|_| value.unit.is_time())?.sees,
        };
        Some(SampledBy {
            sees: match sees {
                Sees::Running => "running threads",
                Sees::Waiting => "running and waiting threads",
            },
            interval_ns: recording.known_to(),
        })
    }

    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let every = self.interval_ns.map_or(String::new(), |it| {
            format!(", every {it}; begins and ends of calls are known to that")
        });
        writeln!(out, "sampler    sees {}{every}", self.sees)
    }
}
