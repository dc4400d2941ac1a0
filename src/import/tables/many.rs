//! Several recordings of a folder of tables as one: a set of runs, without a clock. What functions, calls between them
//! and calling contexts cost is added up by their names and modules.

use std::collections::HashMap;

use super::contexts::{ContextTable, relations};
use super::folder::Folder;
use super::functions::{self, FunctionTable};
use super::recording::{About, count};
use crate::error::ImportError;
use crate::input::Input;
use callscape_base::progress::Progress;
use callscape_base::units::{ContextId, FunctionId};
use callscape_base::warnings::Reporter;
use callscape_facts::contexts::{Contexts, ContextsBuilder, NodeId};
use callscape_facts::hashing::BuildFast;
use callscape_facts::profile::{OfValue, Profile, Sums, Value, Weights};
use callscape_facts::recording::Recording;
use callscape_facts::trace::Relation;

/// What all recordings so far add up to.
struct Runs<'r> {
    table: FunctionTable,
    /// By name and module, the function that it is in all recordings.
    known: HashMap<(String, String), FunctionId>,
    relations: HashMap<(FunctionId, FunctionId), Relation, BuildFast>,
    /// None once a recording tells no contexts.
    contexts: Option<ContextsBuilder<'r>>,
    value: Option<(Value, String)>,
    samples: u64,
    repaired: u64,
}

/// Opens all recordings of a folder as one.
pub(super) fn open(
    folder: &Folder,
    input: &Input,
    (format, progress): (&'static str, &Progress),
) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut runs = Runs {
        table: FunctionTable::default(),
        known: HashMap::new(),
        relations: HashMap::default(),
        contexts: Some(ContextsBuilder::new(1, &reporter)),
        value: None,
        samples: 0,
        repaired: 0,
    };
    // Contexts are told of all recordings or left out: sums of some of them would not be those of functions.
    if folder
        .ids
        .iter()
        .any(|id| folder.files("contexts", id).is_empty())
    {
        runs.contexts = None;
    }
    for id in &folder.ids {
        progress.check()?;
        runs.add(folder, id, progress, &reporter)?;
    }
    count(folder, runs.repaired, &reporter);
    let functions = runs.table.functions.len();
    let weights = match runs.contexts {
        Some(contexts) => Weights::Contexts(contexts.finish()),
        None => Weights::Sums(Sums::new(
            vec![OfValue {
                functions: runs.table.metrics,
                relations: runs.relations.into_values().collect(),
            }],
            runs.table.counts_calls,
            &reporter,
            || folder.place(),
        )),
    };
    let values = runs.value.into_iter().map(|(value, _)| value).collect();
    let profile = Profile::new(values, 0, weights, functions);
    let profile = (runs.table.functions, profile);
    let warnings = reporter.warnings();
    Ok(Recording::of_profile(
        input,
        format,
        runs.samples,
        profile,
        warnings,
    ))
}

impl Runs<'_> {
    fn add(
        &mut self,
        folder: &Folder,
        id: &str,
        progress: &Progress,
        reporter: &Reporter,
    ) -> Result<(), ImportError> {
        let about = About::read(folder.files("recordings", id), progress, reporter)?;
        self.check_value(folder, id, &about.value)?;
        self.samples = self.samples.saturating_add(about.samples);
        self.repaired = self.repaired.saturating_add(about.repaired);
        let mut table = FunctionTable::default();
        // By function of this recording, which it is of all.
        let mut global: Vec<FunctionId> = Vec::new();
        let files = folder.needed("functions", id)?;
        functions::each(files, progress, reporter, |row| {
            let key = (row.function.name.to_owned(), row.module.to_owned());
            let all = &mut self.table;
            let known = self.known.entry(key);
            let of_all =
                *known.or_insert_with(|| all.functions.intern_at(row.function, row.column));
            all.add(of_all, row.metrics, reporter, row.place);
            all.counts_calls |= row.counts_calls;
            let own = table.functions.intern_at(row.function, row.column);
            if own.index() == global.len() {
                global.push(of_all);
            }
            Ok(table.numbering.insert(row.number, own.0))
        })?;
        if self.contexts.is_some() {
            let files = folder.files("contexts", id);
            let read = ContextTable::read(files, about.value, &mut table, progress, reporter)?;
            self.know_unknown(&table, &mut global);
            return self.add_contexts(read, &global);
        }
        let files = folder.files("relations", id);
        let relations = relations(files, &mut table, progress, reporter)?;
        self.know_unknown(&table, &mut global);
        let all = |id: FunctionId| global.get(id.index()).copied().unwrap_or(id);
        for relation in relations {
            let pair = (all(relation.caller), all(relation.callee));
            let of = self.relations.entry(pair).or_insert(Relation {
                caller: pair.0,
                callee: pair.1,
                ..Relation::NOTHING
            });
            if of.calls.checked_add(relation.calls).is_none() {
                reporter.warn("calls-out-of-range", || folder.place());
            }
            of.add(&relation);
        }
        Ok(())
    }

    /// Costs of different things have no sum.
    fn check_value(&mut self, folder: &Folder, id: &str, value: &Value) -> Result<(), ImportError> {
        let (first, of) = self
            .value
            .get_or_insert_with(|| (value.clone(), id.to_owned()));
        if first == value {
            return Ok(());
        }
        let show = |value: &Value| format!("{} in {}", value.name, value.unit.name());
        Err(ImportError::malformed(
            folder.place(),
            format!(
                "recordings whose costs are of one kind, or one of them: {}",
                folder.place_of(of)
            ),
            format!("{} of {of} and {} of {id}", show(first), show(value)),
        ))
    }

    /// A function that the table of a recording does not have.
    fn know_unknown(&mut self, table: &FunctionTable, global: &mut Vec<FunctionId>) {
        for id in table.functions.ids().skip(global.len()) {
            global.push(self.table.functions.intern(table.functions.get(id)));
        }
    }

    fn add_contexts(
        &mut self,
        mut read: ContextTable,
        global: &[FunctionId],
    ) -> Result<(), ImportError> {
        let Some(builder) = &mut self.contexts else {
            return Ok(());
        };
        let columns = std::mem::take(&mut read.columns);
        let counts = !columns.calls.is_empty();
        let (tree, _) = columns.finish().map_err(|error| read.no_tree(error))?;
        let place = || read.place().clone();
        let mut nodes: Vec<NodeId> = Vec::with_capacity(tree.len());
        for id in tree.ids() {
            let around = around(&tree, id, &nodes);
            let function = tree.function(id);
            let function = global.get(function.index()).copied().unwrap_or(function);
            let node = builder.child(around, function, place);
            builder.add(node, 0, tree.self_weight(0, id), place);
            if counts {
                builder.add_calls(node, tree.calls(id).unwrap_or_default(), place);
            }
            nodes.push(node);
        }
        Ok(())
    }
}

fn around(tree: &Contexts, id: ContextId, nodes: &[NodeId]) -> NodeId {
    let parent = tree.parent(id);
    let node = parent.and_then(|parent| nodes.get(parent.index()));
    node.copied().unwrap_or(NodeId::ROOT)
}
