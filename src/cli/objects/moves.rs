//! Objects that another module released than created.

use std::io::{self, Write};

use anyhow::bail;
use serde::Serialize;

use super::amounts::bytes;
use super::answers::Answer;
use super::args::{ObjectsArgs, Owner};
use crate::output::{Align, Table};
use crate::progress::with_progress;
use callscape_analysis::mapping::Mapping;
use callscape_analysis::releases::{Between, Released, Releasers};
use callscape_analysis::session::{Resolved, Session};
use callscape_base::units::{FunctionId, ModuleId, counted};
use callscape_facts::memory::{Memory, Object};

/// Objects by the modules, or entities, that created and released them.
#[derive(Serialize)]
pub(super) struct Moves {
    /// Those released elsewhere, most bytes first.
    elsewhere: Vec<Move>,
    /// Released by the module that created them.
    at_home: u64,
    /// Released by an unknown module, or created by one.
    unknown: u64,
    /// Whether the recording has the calls at releases.
    releasers_known: bool,
}

/// Objects that one module created and another released.
#[derive(Serialize)]
struct Move {
    creator: String,
    releaser: String,
    objects: u64,
    /// None if sizes are not recorded.
    bytes: Option<u64>,
}

impl Moves {
    /// Finds them for the arguments.
    pub(super) fn find(
        args: &ObjectsArgs,
        (session, resolved): (&Session, &Resolved),
        memory: &Memory,
        answer: &Answer<'_>,
    ) -> anyhow::Result<Moves> {
        let (Some(events), Some(within)) = (memory.events(), answer.within) else {
            bail!("{}: it contains no releases", resolved.recording.name());
        };
        let releasers = Releasers::new(&resolved.recording);
        let count = |creator: &(dyn Fn(&Object) -> Option<u32> + Sync),
                     releaser: &(dyn Fn(FunctionId) -> Option<u32> + Sync)| {
            with_progress(|progress| releasers.count(events, within, creator, releaser, progress))
        };
        let modules = &resolved.resolution.modules;
        let hierarchy = &session.hierarchy;
        let mut moves = match &args.map {
            None => {
                let around = |function: FunctionId| {
                    let module = *modules.get(function.index())?;
                    Some(hierarchy.parent(module).unwrap_or(module).0)
                };
                let creator = |it: &Object| around(memory.stacks.function(it.stack)?);
                let between = count(&creator, &around)??;
                Moves::of(between, |it| hierarchy.path(ModuleId(it)))
            }
            Some(path) => {
                let mapping = Mapping::open(path)?;
                let functions = (&resolved.recording.functions, &modules[..]);
                let by_class = args.owner == Owner::Class;
                let objects = mapping.apply_to_objects(memory, functions, hierarchy, by_class);
                let mapped = mapping.apply(functions.0, hierarchy, functions.1);
                let number = |entity: Option<Option<usize>>| entity.flatten().map(|it| it as u32);
                let creator = |it: &Object| number(objects.entities.get(it.cell as usize).copied());
                let releaser = |it: FunctionId| number(mapped.entities.get(it.index()).copied());
                let entities = mapping.entities();
                let name = |it: u32| entities.get(it as usize).cloned().unwrap_or_default();
                Moves::of(count(&creator, &releaser)??, name)
            }
        };
        moves.releasers_known = releasers.are_known();
        if !memory.sizes_known {
            moves.elsewhere.iter_mut().for_each(|it| it.bytes = None);
        }
        Ok(moves)
    }

    fn of(between: Between, name: impl Fn(u32) -> String) -> Moves {
        let mut moves = Moves {
            elsewhere: Vec::new(),
            at_home: 0,
            unknown: 0,
            releasers_known: true,
        };
        for ((creator, releaser), Released { objects, bytes }) in between {
            match (creator, releaser) {
                (Some(creator), Some(releaser)) if creator == releaser => moves.at_home += objects,
                (Some(creator), Some(releaser)) => moves.elsewhere.push(Move {
                    creator: name(creator),
                    releaser: name(releaser),
                    objects,
                    bytes: Some(bytes),
                }),
                _ => moves.unknown += objects,
            }
        }
        let most = |it: &Move| std::cmp::Reverse((it.bytes, it.objects));
        moves.elsewhere.sort_by_key(most);
        moves
    }

    /// Writes the sums, then the first rows as a table.
    pub(super) fn write(&self, top: usize, out: &mut dyn Write) -> io::Result<()> {
        let elsewhere: u64 = self.elsewhere.iter().map(|it| it.objects).sum();
        writeln!(
            out,
            "released   {elsewhere} elsewhere, {} by the module that created them, {} by unknown modules\n",
            self.at_home, self.unknown
        )?;
        if !self.releasers_known {
            let objects = counted(self.unknown, "object", "objects");
            return writeln!(
                out,
                "The recording has no calls at releases, so the modules that released {objects} are unknown."
            );
        }
        let mut table = Table::new(&[
            ("bytes", Align::Right),
            ("objects", Align::Right),
            ("created by", Align::Left),
            ("released by", Align::Left),
        ]);
        for it in self.elsewhere.iter().take(top) {
            table.row([
                bytes(it.bytes),
                it.objects.to_string(),
                it.creator.clone(),
                it.releaser.clone(),
            ]);
        }
        table.write(out)
    }
}
