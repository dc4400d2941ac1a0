//! Profiles of one file that weigh different things, such as time and bytes: values of one profile, which is what its
//! stacks weigh in each. Profiles of one unit are added up.

use super::events::{self, Item};
use super::outline::{FORMAT, Outline, functions, time_unit};
use crate::decimal::Unit;
use crate::document::Document;
use crate::error::ImportError;
use crate::input::Input;
use crate::samplers;
use callscape_base::progress::Progress;
use callscape_base::units::{self, FunctionId};
use callscape_base::warnings::Reporter;
use callscape_facts::builder::TraceBuilder;
use callscape_facts::contexts::{ContextsBuilder, NodeId};
use callscape_facts::functions::Function;
use callscape_facts::profile::{Profile, Value, Weights};
use callscape_facts::recording::Recording;

/// Reads the weights of the stacks of all profiles. O(size).
pub(super) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut outline = Outline::read(input, progress)?;
    let mut values: Vec<Value> = Vec::new();
    let of_profiles = outline.units.iter().map(|name| {
        let value = value(name);
        let known = values.iter().position(|it| *it == value);
        let known = known.unwrap_or_else(|| {
            values.push(value);
            values.len() - 1
        });
        (known, time_unit(name))
    });
    let of_profiles: Vec<(usize, Option<Unit>)> = of_profiles.collect();
    let mut functions_of = TraceBuilder::new(&reporter);
    let frames = outline.frames.take().unwrap_or_default();
    let frames = functions(&frames, &outline.exporter, &mut functions_of);
    let mut reader = Reader {
        frames: frames.into_iter().map(|(function, _)| function).collect(),
        functions: functions_of,
        builder: ContextsBuilder::new(values.len(), &reporter),
        of_samples: values.len(),
        samples: 0,
    };
    let mut document = Document::open(input, progress, &reporter)?;
    let mut profiles = of_profiles.into_iter();
    if document.object()? {
        while let Some(key) = document.member()? {
            if key != b"profiles" {
                document.skip()?;
            } else if document.array()? {
                while document.element()? {
                    let (value, unit) = profiles.next().unwrap_or_default();
                    reader.profile(value, unit, &mut document)?;
                }
            }
        }
    }
    document.close()?;
    let shown = values
        .iter()
        .position(|value| value.unit == units::Unit::Nanoseconds);
    if reader.samples > 0 {
        values.push(samplers::samples());
    }
    let (functions, _) = reader.functions.finish(|| document.place());
    let weights = Weights::Contexts(reader.builder.finish());
    let profile = Profile::new(values, shown.unwrap_or(0), weights, functions.len());
    let warnings = reporter.warnings();
    let profile = (functions, profile);
    Ok(Recording::of_profile(
        input,
        FORMAT,
        reader.samples,
        profile,
        warnings,
    ))
}

/// What profiles with a unit of this name weigh.
fn value(unit: &str) -> Value {
    let (name, unit) = match unit {
        _ if time_unit(unit).is_some() => ("time", units::Unit::Nanoseconds),
        "bytes" => ("bytes", units::Unit::Bytes),
        "none" | "" => ("weight", units::Unit::Things("units".to_owned())),
        other => (other, units::Unit::Things(other.to_owned())),
    };
    Value {
        name: name.to_owned(),
        unit,
    }
}

struct Reader<'r> {
    functions: TraceBuilder<'r>,
    /// By frame.
    frames: Vec<FunctionId>,
    builder: ContextsBuilder<'r>,
    /// The value that samples are, and how many there are.
    of_samples: usize,
    samples: u64,
}

impl Reader<'_> {
    /// The context of a frame that is called in another.
    fn inside(&mut self, around: NodeId, frame: u32, document: &Document<'_>) -> NodeId {
        let function = self.frames.get(frame as usize).copied();
        let function = function.unwrap_or_else(|| {
            document.warn("unknown-frame");
            self.functions.function(Function {
                name: &format!("frame {frame}"),
                ..Function::default()
            })
        });
        self.builder.child(around, function, || document.place())
    }

    fn profile(
        &mut self,
        value: usize,
        unit: Option<Unit>,
        document: &mut Document<'_>,
    ) -> Result<(), ImportError> {
        if !document.object()? {
            return Ok(());
        }
        let mut contexts = Vec::new();
        let mut weights = Vec::new();
        while let Some(key) = document.member()? {
            match key {
                b"samples" => {
                    if document.array()? {
                        while document.element()? {
                            contexts.push(self.stack(document)?);
                        }
                    }
                }
                b"weights" => {
                    if document.array()? {
                        while document.element()? {
                            weights.push(match unit {
                                Some(unit) => document.time(unit)?,
                                None => document.amount()?,
                            });
                        }
                    }
                }
                b"events" => self.events(value, unit, document)?,
                _ => document.skip()?,
            }
        }
        let missing = contexts.len().saturating_sub(weights.len()) as u64;
        document.warn_many("missing-weight", missing);
        let extra = weights.len().saturating_sub(contexts.len()) as u64;
        document.warn_many("extra-weight", extra);
        if self.samples == 0 && !contexts.is_empty() {
            self.builder.add_value();
        }
        self.samples += contexts.len() as u64;
        weights.resize(contexts.len(), None);
        for (context, weight) in contexts.into_iter().zip(weights) {
            self.add(context, value, weight.unwrap_or(0), document);
            self.add(context, self.of_samples, 1, document);
        }
        Ok(())
    }

    fn add(&mut self, context: NodeId, value: usize, weight: i64, document: &Document<'_>) {
        if weight < 0 {
            document.warn("negative-weight");
        }
        self.builder
            .add(context, value, weight, || document.place());
    }

    /// The context of the stack that stands next.
    fn stack(&mut self, document: &mut Document<'_>) -> Result<NodeId, ImportError> {
        let mut context = NodeId::ROOT;
        if document.array()? {
            while document.element()? {
                match document.index()? {
                    Some(frame) => context = self.inside(context, frame, document),
                    None => document.warn("unknown-frame"),
                }
            }
        }
        Ok(context)
    }

    /// The events of a profile: what passes between two belongs to the innermost open frame.
    fn events(
        &mut self,
        value: usize,
        unit: Option<Unit>,
        document: &mut Document<'_>,
    ) -> Result<(), ImportError> {
        if !document.array()? {
            return Ok(());
        }
        let unit = unit.unwrap_or(Unit::Nanoseconds);
        let mut open: Vec<(u32, NodeId)> = Vec::new();
        let mut last: Option<i64> = None;
        loop {
            let event = match document.whole(|cursor| events::next(cursor, unit))? {
                Some(Item::Event(event)) => event,
                Some(Item::Other) => {
                    document.warn("not-an-event");
                    document.skip()?;
                    continue;
                }
                Some(Item::End) | None => break,
            };
            let (Some(kind), Some(frame), Some(Ok(at))) = (event.kind, event.frame, event.at)
            else {
                document.warn("missing-field");
                continue;
            };
            let before = *last.get_or_insert(at);
            if at < before {
                document.warn("time-goes-back");
            }
            let passed = at.saturating_sub(before).max(0);
            last = Some(at.max(before));
            let around = open.last().map_or(NodeId::ROOT, |(_, context)| *context);
            if !open.is_empty() {
                self.add(around, value, passed, document);
            }
            match kind {
                b'O' => {
                    let inside = self.inside(around, frame, document);
                    open.push((frame, inside));
                }
                _ => match open.iter().rposition(|(of, _)| *of == frame) {
                    Some(at) => open.truncate(at),
                    None => document.warn("end-without-begin"),
                },
            }
        }
        document.warn_many("open-at-end", open.len() as u64);
        Ok(())
    }
}
