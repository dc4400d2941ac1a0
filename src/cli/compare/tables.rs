//! The tables that `callscape compare` shows, in their order.

use super::args::CompareArgs;
use crate::progress::with_progress;
use callscape_analysis::comparison::amounts::{Change, Measure, Timed};
use callscape_analysis::comparison::causes::Causes;
use callscape_analysis::comparison::contexts::ContextTree;
use callscape_analysis::comparison::phases::PhasePair;
use callscape_analysis::comparison::tables::{Given, RelationChange};
use callscape_analysis::comparison::{Comparison, Row};
use callscape_analysis::mapping::regroup::Regrouped;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;
use callscape_filter::cut::Cut;

/// The rows of the comparison, in order.
pub(crate) struct Tables {
    pub measure: Measure,
    /// By row of the comparison.
    pub functions: Vec<Change>,
    /// The same as recorded, where something else is compared.
    pub raw: Option<Vec<Change>>,
    pub order: Vec<u32>,
    pub relations: Vec<NamedRelation>,
    pub modules: Vec<NamedModule>,
    /// Whether relations are between modules.
    pub is_grouped: bool,
    /// Call tree of both runs and its contexts in order, if requested.
    pub contexts: Option<ContextTree>,
    pub context_order: Vec<u32>,
    /// Causes of the difference between both totals.
    pub causes: Causes,
    /// Phases of both runs, the largest difference first; `None` if not requested or a run has no times.
    pub phases: Option<Vec<PhasePair>>,
    /// The same in the order of the runs, for a report.
    pub contents: Option<Vec<PhasePair>>,
    /// The structure through the mapping that was asked for.
    pub mapped: Option<Regrouped>,
}

/// A module, or an entity of a mapping.
pub(crate) struct NamedModule {
    pub path: String,
    pub change: Change,
    /// The same as recorded, where something else is compared.
    pub raw: Option<Change>,
}

/// A call relation with the names of its ends.
pub(crate) struct NamedRelation {
    pub from: String,
    pub to: String,
    /// Paths of the functions, as names may be ambiguous.
    pub paths: Option<[String; 2]>,
    pub change: Change,
    pub raw: Option<Change>,
}

impl Tables {
    /// Tables for `args`, through a mapping if there is one; a report includes the call tree.
    pub(crate) fn new(
        args: &CompareArgs,
        comparison: &Comparison,
        mapped: Option<Regrouped>,
        is_report: bool,
    ) -> anyhow::Result<Tables> {
        let measure = args.sort.measure();
        let is_scaled = comparison.is_by_shares
            || comparison.per.is_some()
            || comparison.timed == Timed::Running;
        let functions = comparison.functions(Given::Compared);
        let raw = is_scaled.then(|| comparison.functions(Given::Recorded));
        let asked = Asked {
            comparison,
            entity_of: entities_of(comparison, mapped.as_ref()),
            mapped: mapped.as_ref(),
            level: args.level,
            search: args.search.as_deref().map(str::to_lowercase),
            measure,
        };
        let mut order = asked.order(&functions);
        let mut relations = asked.named_relations(is_scaled);
        let mut modules = asked.modules(is_scaled);
        if args.picture.only_differences {
            order.retain(|&row| functions[row as usize].is_change());
            relations.retain(|it| it.change.is_change());
            modules.retain(|it| it.change.is_change());
        }
        let contexts = match args.contexts || is_report {
            true => Some(with_progress(|progress| comparison.contexts(progress))??),
            false => None,
        };
        let causes = with_progress(|progress| comparison.causes(progress))??;
        // Pictures do without.
        let is_listed = args.json || args.picture.output.is_none();
        let found = match is_listed || is_report {
            true => with_progress(|progress| comparison.phases(progress))??,
            false => None,
        };
        let contents = found.clone().filter(|_| is_report);
        let phases = found.filter(|_| is_listed);
        let phases = phases.map(|phases| asked.phases(phases, args.picture.only_differences));
        let context_order = contexts.as_ref().map(|tree| asked.context_order(tree));
        Ok(Tables {
            is_grouped: asked.is_grouped(),
            context_order: context_order.unwrap_or_default(),
            causes,
            phases,
            contents,
            mapped,
            contexts,
            measure,
            functions,
            raw,
            order,
            relations,
            modules,
        })
    }
}

/// By module of the comparison, the entity that it is in.
fn entities_of(comparison: &Comparison, mapped: Option<&Regrouped>) -> Vec<Option<ModuleId>> {
    let mut entity_of = vec![None; comparison.session.hierarchy.len()];
    let Some(mapped) = mapped else {
        return entity_of;
    };
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
    entity_of
}

/// Parameters of a comparison.
struct Asked<'a> {
    comparison: &'a Comparison,
    mapped: Option<&'a Regrouped>,
    /// By module of the comparison, the entity that it is in.
    entity_of: Vec<Option<ModuleId>>,
    level: Option<u16>,
    /// In lower case.
    search: Option<String>,
    measure: Measure,
}

impl Asked<'_> {
    fn hierarchy(&self) -> &Hierarchy {
        &self.comparison.session.hierarchy
    }

    /// Those that were searched for, the largest difference first.
    fn phases(&self, mut phases: Vec<PhasePair>, only_differences: bool) -> Vec<PhasePair> {
        let search = self.search.as_deref().unwrap_or_default();
        phases.retain(|it| it.name.to_lowercase().contains(search));
        if only_differences {
            phases.retain(PhasePair::differs);
        }
        phases.sort_by_key(|it| {
            let difference = match self.measure {
                Measure::Calls => it.call_difference(),
                _ => it.cost_difference(),
            };
            std::cmp::Reverse(difference.abs())
        });
        phases
    }

    /// Whether relations are between modules.
    fn is_grouped(&self) -> bool {
        self.mapped.is_some() || self.level.is_some()
    }

    /// Whether a module is in the mapping, if there is one.
    fn is_shown(&self, module: ModuleId) -> bool {
        self.mapped.is_none() || self.entity_of[module.index()].is_some()
    }

    /// Whether one of `texts` is searched for.
    fn is_found(&self, texts: &[&str]) -> bool {
        let Some(search) = &self.search else {
            return true;
        };
        texts
            .iter()
            .any(|text| text.to_lowercase().contains(search))
    }

    /// The functions that are shown, in their order.
    fn order(&self, functions: &[Change]) -> Vec<u32> {
        let comparison = self.comparison;
        let mut order: Vec<u32> = (0..functions.len() as u32)
            .filter(|&row| {
                let module = comparison.rows[row as usize].module;
                let names = [0, 1].map(|side| comparison.function_of(row, side).name);
                let path = self.hierarchy().path(module);
                self.is_shown(module) && self.is_found(&[names[0], names[1], &path])
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
            x_change.order(y_change, self.measure).then_with(by_name)
        });
        order
    }

    /// Relations between entities, modules of a level, or rows of functions.
    fn relations(&self, given: Given) -> Vec<RelationChange<u32>> {
        let as_rows = |it: RelationChange<ModuleId>| RelationChange {
            from: it.from.0,
            to: it.to.0,
            change: it.change,
        };
        let comparison = self.comparison;
        match (self.mapped, self.level) {
            (Some(_), _) => {
                let of = comparison.module_relations(given, |id| self.entity_of[id.index()]);
                of.into_iter().map(as_rows).collect()
            }
            (None, Some(level)) => {
                let cut = Cut::at_level(self.hierarchy(), level);
                let displayed = cut.displayed(self.hierarchy());
                let of =
                    comparison.module_relations(given, |id| displayed.get(id.index()).copied());
                of.into_iter().map(as_rows).collect()
            }
            (None, None) => comparison.relations(given),
        }
    }

    /// The name and the path of an end of a relation.
    fn end(&self, id: u32) -> (String, String) {
        let hierarchy = self.hierarchy();
        match self.mapped {
            Some(mapped) => {
                let name = mapped.session.hierarchy.name(ModuleId(id)).to_owned();
                (name.clone(), name)
            }
            None if self.is_grouped() => {
                let path = hierarchy.path(ModuleId(id));
                (path.clone(), path)
            }
            None => {
                let module = self.comparison.rows[id as usize].module;
                (
                    self.comparison.function(id).name.to_owned(),
                    hierarchy.path(module),
                )
            }
        }
    }

    /// The relations that are shown, in their order.
    fn named_relations(&self, is_scaled: bool) -> Vec<NamedRelation> {
        let compared = self.relations(Given::Compared);
        let raw_relations = match is_scaled {
            true => self
                .relations(Given::Recorded)
                .into_iter()
                .map(|it| Some(it.change))
                .collect(),
            false => vec![None; compared.len()],
        };
        let mut relations: Vec<NamedRelation> = compared
            .into_iter()
            .zip(raw_relations)
            .map(|(relation, raw)| {
                let (from, from_path) = self.end(relation.from);
                let (to, to_path) = self.end(relation.to);
                NamedRelation {
                    from,
                    to,
                    paths: (!self.is_grouped()).then_some([from_path, to_path]),
                    change: relation.change,
                    raw,
                }
            })
            .collect();
        relations.retain(|it| self.is_found(&[&it.from, &it.to]));
        relations.sort_by(|x, y| {
            let by_name = || (&x.from, &x.to, &x.paths).cmp(&(&y.from, &y.to, &y.paths));
            x.change.order(&y.change, self.measure).then_with(by_name)
        });
        relations
    }

    /// The modules, or entities, that are shown, in their order.
    fn modules(&self, is_scaled: bool) -> Vec<NamedModule> {
        let comparison = self.comparison;
        // What is left out stands nowhere.
        let entity = |row: &Row| self.entity_of[row.module.index()].unwrap_or(ModuleId(u32::MAX));
        let changes = |given: Given| match self.mapped {
            Some(mapped) => {
                let places: Vec<ModuleId> = comparison.rows.iter().map(entity).collect();
                comparison.modules_over(&mapped.session.hierarchy, &places, given)
            }
            None => comparison.modules(given),
        };
        let compared = changes(Given::Compared);
        let raw = is_scaled.then(|| changes(Given::Recorded));
        let mut modules: Vec<NamedModule> = self
            .listed()
            .into_iter()
            .map(|(id, path)| NamedModule {
                path,
                change: compared[id.index()],
                raw: raw.as_ref().map(|raw| raw[id.index()]),
            })
            .collect();
        modules.retain(|it| is_there(it.raw.as_ref().unwrap_or(&it.change)));
        modules.retain(|it| self.is_found(&[&it.path]));
        modules.sort_by(|x, y| {
            let order = x.change.order(&y.change, self.measure);
            order.then_with(|| x.path.cmp(&y.path))
        });
        modules
    }

    /// The modules, or entities, that may be shown, with their paths or names.
    fn listed(&self) -> Vec<(ModuleId, String)> {
        let Some(mapped) = self.mapped else {
            let hierarchy = self.hierarchy();
            let of = hierarchy.modules().filter(|&id| match self.level {
                Some(level) => hierarchy.depth(id) == level,
                None => !hierarchy.is_leaf(id),
            });
            return of.map(|id| (id, hierarchy.path(id))).collect();
        };
        let mut entities: Vec<ModuleId> = self.entity_of.iter().copied().flatten().collect();
        entities.sort_unstable();
        entities.dedup();
        let name = |id: ModuleId| mapped.session.hierarchy.name(id).to_owned();
        entities.into_iter().map(|id| (id, name(id))).collect()
    }

    /// The contexts of `tree` that are shown, in their order.
    fn context_order(&self, tree: &ContextTree) -> Vec<u32> {
        let comparison = self.comparison;
        let name = |row: u32| comparison.function(row).name;
        let mut order = tree.by_effect(self.measure, name);
        order.retain(|&number| {
            let row = tree.contexts[number as usize].row;
            let module = comparison.rows[row as usize].module;
            let path = self.hierarchy().path(module);
            self.is_shown(module) && self.is_found(&[name(row), &path])
        });
        order
    }
}

/// Whether either side has it.
fn is_there(change: &Change) -> bool {
    change.a.is_there() || change.b.is_there()
}
