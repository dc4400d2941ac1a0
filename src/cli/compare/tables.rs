//! The tables that `callscape compare` shows, in their order.

use super::Args;
use crate::analysis::comparison::amounts::{Change, Measure};
use crate::analysis::comparison::contexts::ContextTree;
use crate::analysis::comparison::tables::{Given, RelationChange};
use crate::analysis::comparison::{Comparison, Row};
use crate::filter::regroup::Regrouped;
use crate::units::ModuleId;

/// What is shown: rows in their order.
pub struct Tables {
    pub measure: Measure,
    /// By row of the comparison.
    pub functions: Vec<Change>,
    /// The same as recorded, where something else is compared.
    pub raw: Option<Vec<Change>>,
    pub order: Vec<u32>,
    pub relations: Vec<NamedRelation>,
    pub modules: Vec<(String, Change)>,
    /// Whether relations are between modules.
    pub is_grouped: bool,
    /// Where it is asked for, the call tree of both, and its contexts in their order.
    pub contexts: Option<ContextTree>,
    pub context_order: Vec<u32>,
    /// The structure through the mapping that was asked for.
    pub mapped: Option<Regrouped>,
}

/// A call relation with the names of its ends.
pub struct NamedRelation {
    pub from: String,
    pub to: String,
    /// Between functions: their paths, for names alone may not tell them apart.
    pub paths: Option<[String; 2]>,
    pub change: Change,
    pub raw: Option<Change>,
}

impl Tables {
    /// The tables that `args` ask for, through a mapping if there is one, the call tree among them with
    /// `with_contexts`.
    pub fn new(
        args: &Args,
        comparison: &Comparison,
        mapped: Option<Regrouped>,
        with_contexts: bool,
    ) -> anyhow::Result<Tables> {
        let measure = args.sort.measure();
        let is_scaled = comparison.is_by_shares || comparison.per.is_some();
        let functions = comparison.functions(Given::Compared);
        let raw = is_scaled.then(|| comparison.functions(Given::Recorded));
        let hierarchy = &comparison.session.hierarchy;
        // By module of the comparison, the entity that it is in.
        let mut entity_of: Vec<Option<ModuleId>> = vec![None; hierarchy.len()];
        if let Some(mapped) = &mapped {
            for (recording, resolved) in mapped.session.recordings.iter().enumerate() {
                let rows = &comparison.row_of[recording];
                for (&row, &module) in rows.iter().zip(&resolved.resolution.modules) {
                    let mut around = mapped.session.hierarchy.ancestors(module);
                    let entity = around.find(|id| mapped.entities.contains(&Some(*id)));
                    let module = comparison.rows[row as usize].module;
                    // Where the two names of a renamed function are in different entities, that of B counts.
                    entity_of[module.index()] = entity.or(entity_of[module.index()]);
                }
            }
        }
        let is_shown = |module: ModuleId| mapped.is_none() || entity_of[module.index()].is_some();
        let is_found = |texts: &[&str]| {
            let Some(search) = &args.search else {
                return true;
            };
            let search = search.to_lowercase();
            texts
                .iter()
                .any(|text| text.to_lowercase().contains(&search))
        };
        let mut order: Vec<u32> = (0..functions.len() as u32)
            .filter(|&row| {
                let module = comparison.rows[row as usize].module;
                let names = [0, 1].map(|side| comparison.function_of(row, side).name);
                is_shown(module) && is_found(&[names[0], names[1], &hierarchy.path(module)])
            })
            .collect();
        order.sort_by(|&x, &y| {
            let (x_change, y_change) = (&functions[x as usize], &functions[y as usize]);
            let by_name = || {
                let name = |row: u32| {
                    (
                        comparison.function(row).name,
                        comparison.rows[row as usize].module,
                    )
                };
                name(x).cmp(&name(y))
            };
            x_change.order(y_change, measure).then_with(by_name)
        });

        let relations = |given: Given| -> Vec<RelationChange<u32>> {
            let as_rows = |it: RelationChange<ModuleId>| RelationChange {
                from: it.from.0,
                to: it.to.0,
                change: it.change,
            };
            match (&mapped, args.level) {
                (Some(_), _) => {
                    let of = comparison.module_relations(given, |id| entity_of[id.index()]);
                    of.into_iter().map(as_rows).collect()
                }
                (None, Some(level)) => {
                    let cut = crate::filter::cut::Cut::at_level(hierarchy, level);
                    let displayed = cut.displayed(hierarchy);
                    let of =
                        comparison.module_relations(given, |id| displayed.get(id.index()).copied());
                    of.into_iter().map(as_rows).collect()
                }
                (None, None) => comparison.relations(given),
            }
        };
        let compared = relations(Given::Compared);
        let raw_relations = match is_scaled {
            true => relations(Given::Recorded)
                .into_iter()
                .map(|it| Some(it.change))
                .collect(),
            false => vec![None; compared.len()],
        };
        let is_grouped = mapped.is_some() || args.level.is_some();
        let end = |id: u32| -> (String, String) {
            match &mapped {
                Some(mapped) => {
                    let name = mapped.session.hierarchy.name(ModuleId(id)).to_owned();
                    (name.clone(), name)
                }
                None if is_grouped => {
                    let path = hierarchy.path(ModuleId(id));
                    (path.clone(), path)
                }
                None => {
                    let module = comparison.rows[id as usize].module;
                    (
                        comparison.function(id).name.to_owned(),
                        hierarchy.path(module),
                    )
                }
            }
        };
        let mut relations: Vec<NamedRelation> = compared
            .into_iter()
            .zip(raw_relations)
            .map(|(relation, raw)| {
                let (from, from_path) = end(relation.from);
                let (to, to_path) = end(relation.to);
                NamedRelation {
                    from,
                    to,
                    paths: (!is_grouped).then_some([from_path, to_path]),
                    change: relation.change,
                    raw,
                }
            })
            .collect();
        relations.retain(|it| is_found(&[&it.from, &it.to]));
        relations.sort_by(|x, y| {
            let by_name = || (&x.from, &x.to, &x.paths).cmp(&(&y.from, &y.to, &y.paths));
            x.change.order(&y.change, measure).then_with(by_name)
        });

        let mut modules: Vec<(String, Change)> = match &mapped {
            Some(mapped) => {
                // What is left out stands nowhere.
                let place = |row: &Row| entity_of[row.module.index()].unwrap_or(ModuleId(u32::MAX));
                let places: Vec<ModuleId> = comparison.rows.iter().map(place).collect();
                let of = &mapped.session.hierarchy;
                let changes = comparison.modules_over(of, &places, Given::Compared);
                let mut entities: Vec<ModuleId> = entity_of.iter().copied().flatten().collect();
                entities.sort_unstable();
                entities.dedup();
                let is_there = |id: &ModuleId| {
                    changes[id.index()].a.is_there() || changes[id.index()].b.is_there()
                };
                let entities = entities.into_iter().filter(is_there);
                entities
                    .map(|id| (of.name(id).to_owned(), changes[id.index()]))
                    .collect()
            }
            None => {
                let changes = comparison.modules(Given::Compared);
                let of = hierarchy.modules().filter(|&id| match args.level {
                    Some(level) => hierarchy.depth(id) == level,
                    None => !hierarchy.is_leaf(id),
                });
                of.filter(|&id| {
                    changes[id.index()].a.is_there() || changes[id.index()].b.is_there()
                })
                .map(|id| (hierarchy.path(id), changes[id.index()]))
                .collect()
            }
        };
        modules.retain(|(path, _)| is_found(&[path]));
        modules.sort_by(|x, y| x.1.order(&y.1, measure).then_with(|| x.0.cmp(&y.0)));
        if args.picture.only_differences {
            order.retain(|&row| functions[row as usize].is_change());
            relations.retain(|it| it.change.is_change());
            modules.retain(|(_, change)| change.is_change());
        }
        let contexts = match with_contexts {
            true => Some(super::super::output::with_progress(|progress| {
                comparison.contexts(progress)
            })??),
            false => None,
        };
        let mut context_order = Vec::new();
        if let Some(tree) = &contexts {
            let name = |row: u32| comparison.function(row).name;
            context_order = tree.by_effect(measure, name);
            context_order.retain(|&number| {
                let row = tree.contexts[number as usize].row;
                let module = comparison.rows[row as usize].module;
                is_shown(module) && is_found(&[name(row), &hierarchy.path(module)])
            });
        }
        Ok(Tables {
            mapped,
            contexts,
            context_order,
            measure,
            functions,
            raw,
            order,
            relations,
            modules,
            is_grouped,
        })
    }
}
