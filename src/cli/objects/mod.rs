//! `callscape objects`: What lives in memory

mod amounts;
mod answers;
mod args;
mod document;
mod groups;
mod moves;

use anyhow::bail;

use super::output;
use answers::Answer;
use args::By;
pub(crate) use args::ObjectsArgs;
use callscape_facts::memory::Known;
use document::Document;
use groups::Groups;
use moves::Moves;

pub(crate) fn run(args: ObjectsArgs) -> anyhow::Result<()> {
    let session = output::open(&args.input)?;
    let resolved = output::recording(&session)?;
    let recording = &resolved.recording;
    let Some(memory) = &recording.memory else {
        bail!(
            "{}: it contains no allocations; use heaptrack, DHAT, massif, V8's heap profiles, uftrace with arguments, \
             Java Flight Recorder or Chrome traces with objects",
            recording.name()
        );
    };
    let answer = Answer::find(&args, recording, memory)?;
    let has_types = memory.types.iter().any(|name| !name.is_empty());
    if args.by == By::Type && !has_types {
        bail!("{}: it contains no object types", recording.name());
    }
    let groups = match &args.map {
        Some(path) => Groups::of_entities(path, args.owner, memory, &session, resolved)?,
        None => Groups::of(args.by, memory, &session, resolved),
    };
    let of = (&session, resolved);
    let released = match args.released_elsewhere {
        true => Some(Moves::find(&args, of, memory, &answer)?),
        false => None,
    };
    let document = Document {
        released,
        ..groups.document(memory, answer)
    };
    output::ensure_whole(recording)?;
    if args.json {
        return output::print_json(&document);
    }
    output::print(|out| {
        document::head(&document, memory, out)?;
        if let Some(moves) = &document.released {
            return moves.write(args.top, out);
        }
        if let (false, Known::Sums(sums)) = (document.entries_known, &memory.known) {
            let known = sums.instants.iter().filter(|it| !it.cells.is_empty());
            let known: Vec<String> = known.map(|it| it.time.to_string()).collect();
            return writeln!(
                out,
                "The recording has no allocation stacks for this instant; it has them for --at {}",
                known.join(", ")
            );
        }
        document::table(&document, args.top).write(out)
    })
}
