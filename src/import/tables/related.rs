//! What a query has answered of call relations, as one table of callers, callees, calls and costs: a profile with what
//! these add up to for each function.

use std::collections::BTreeMap;

use super::columns::{self, Units, place_of};
use super::functions::FunctionTable;
use super::values::Cell;
use crate::error::ImportError;
use crate::input::Input;
use callscape_base::units::{Cost, FunctionId};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::functions::Function;
use callscape_facts::profile::{GraphBuilder, OfValue, Profile, Sums, Value, Weights};
use callscape_facts::recording::Recording;
use callscape_facts::trace::Relation;

/// Names of the cost of calls with all below them, and of their self cost.
const TOTAL: [&str; 4] = ["total", "total_ns", "cost", "cost_ns"];
const OWN: [&str; 2] = ["self", "self_ns"];

/// Columns of numbers that are known and not shown of a relation.
const NOT_SHOWN: [&str; 3] = ["recordings", "waiting", "self_waiting"];

/// What a column is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Caller,
    CallerModule,
    Callee,
    CalleeModule,
    Unit,
    Calls,
    Total,
    Own,
    Nothing,
}

/// What is added up of one relation, costs in thousandths.
#[derive(Clone, Copy, Default)]
struct Sum {
    calls: i128,
    total: i128,
    own: i128,
}

/// A table of call relations, as it is read.
pub(super) struct RelationAnswer<'r> {
    roles: Vec<Role>,
    /// Name of the column of costs.
    value: String,
    table: FunctionTable,
    sums: BTreeMap<(FunctionId, FunctionId), Sum>,
    counts_calls: bool,
    has_fractions: bool,
    units: Units,
    reporter: &'r Reporter,
}

impl<'r> RelationAnswer<'r> {
    /// None where no caller and callee are named. `texts` says which columns are of text, where types are known.
    pub(super) fn new(
        names: &[String],
        texts: Option<&[bool]>,
        place: &Place,
        reporter: &'r Reporter,
    ) -> Result<Option<RelationAnswer<'r>>, ImportError> {
        let is_text = |at: usize| texts.is_none_or(|it| it.get(at).copied().unwrap_or(false));
        let is_number = |at: usize| texts.is_none_or(|it| !it.get(at).copied().unwrap_or(true));
        let first = |wanted: &str| names.iter().position(|it| it == wanted);
        let text = |wanted: &str| first(wanted).filter(|&at| is_text(at));
        let (Some(caller), Some(callee)) = (text("caller"), text("callee")) else {
            return Ok(None);
        };
        let number = |wanted: &str| first(wanted).filter(|&at| is_number(at));
        let Some(total) = TOTAL.into_iter().find_map(number) else {
            if text("name").or_else(|| text("function")).is_some() {
                return Ok(None);
            }
            let expected = "a numeric column 'total' or 'cost' with 'caller' and 'callee'";
            let found = format!("columns {}", super::folder::listed(names));
            return Err(ImportError::malformed(place.clone(), expected, found));
        };
        let mut roles = vec![Role::Nothing; names.len()];
        let used = [
            (Some(caller), Role::Caller),
            (text("caller_module"), Role::CallerModule),
            (Some(callee), Role::Callee),
            (text("callee_module"), Role::CalleeModule),
            (text("unit"), Role::Unit),
            (number("calls"), Role::Calls),
            (Some(total), Role::Total),
            (OWN.into_iter().find_map(number), Role::Own),
        ];
        for (at, role) in used {
            if let Some(at) = at {
                roles[at] = role;
            }
        }
        for (at, name) in names.iter().enumerate() {
            let is_known = roles[at] != Role::Nothing || NOT_SHOWN.contains(&name.as_str());
            // What a column of CSV holds, only its rows say.
            if !is_known && is_number(at) {
                reporter.warn("column-left-out", || place.clone());
            }
        }
        Ok(Some(RelationAnswer {
            roles,
            value: names[total].clone(),
            table: FunctionTable::default(),
            sums: BTreeMap::new(),
            counts_calls: false,
            has_fractions: false,
            units: Units::default(),
            reporter,
        }))
    }

    pub(super) fn columns(&self) -> usize {
        self.roles.len()
    }

    /// Forgets the columns that nothing is taken from, and says which are left.
    pub(super) fn keep_used(&mut self) -> Vec<usize> {
        let roles = self.roles.iter().enumerate();
        let used = roles.filter(|(_, role)| **role != Role::Nothing);
        let used: Vec<usize> = used.map(|(at, _)| at).collect();
        self.roles.retain(|role| *role != Role::Nothing);
        used
    }

    /// Adds a row, of which `cell` gives what stands in a column, as a text or not.
    pub(super) fn row<'c>(
        &mut self,
        cell: impl Fn(usize, bool) -> Cell<'c>,
        place: impl Fn() -> Place,
    ) {
        let at = |role: Role| self.roles.iter().position(|it| *it == role);
        let text = |role: Role| match at(role).map(|at| cell(at, true)) {
            Some(Cell::Text(bytes)) => crate::text::decode(bytes).0.into_owned(),
            _ => String::new(),
        };
        let names = [
            [Role::Caller, Role::CallerModule],
            [Role::Callee, Role::CalleeModule],
        ];
        let names = names.map(|of| of.map(text));
        let amount = |role: Role| {
            let cell = cell(at(role)?, false);
            columns::amount(cell, self.reporter, &place)
        };
        if at(Role::Unit).is_some() {
            self.units.add(&text(Role::Unit), self.reporter, &place);
        }
        let [calls, total, own] = [Role::Calls, Role::Total, Role::Own].map(amount);
        let pair = names.map(|[name, module]| {
            let (file, library) = place_of(&name, &module);
            let function = Function {
                name: &name,
                file: &file,
                line: 0,
                library: &library,
            };
            self.table.functions.intern(function)
        });
        self.counts_calls |= calls.is_some();
        let costs = [total, own].into_iter().flatten();
        self.has_fractions |= costs.into_iter().any(|(_, has_fraction)| has_fraction);
        let add = |sum: &mut i128, amount: Option<(i128, bool)>| {
            *sum = sum.saturating_add(amount.map_or(0, |(amount, _)| amount));
        };
        let [caller, callee] = pair;
        let sum = self.sums.entry((caller, callee)).or_default();
        add(&mut sum.calls, calls);
        add(&mut sum.total, total);
        add(&mut sum.own, own);
    }

    pub(super) fn finish(
        self,
        input: &Input,
        format: &'static str,
        reporter: &Reporter,
    ) -> Recording {
        let (unit, factor) = self.units.of(&self.value, self.has_fractions);
        let place = || Place::file(input.display().to_string());
        let whole = |sum: i128, factor: i128| {
            Cost::signed(
                i64::try_from(columns::rounded(sum, factor)).unwrap_or_else(|_| {
                    reporter.warn("weight-out-of-range", place);
                    i64::MAX
                }),
            )
        };
        let relation = |(&(caller, callee), sum): (&(FunctionId, FunctionId), &Sum)| Relation {
            caller,
            callee,
            calls: whole(sum.calls, 1000).ns(),
            cost: whole(sum.total, factor),
            self_cost: whole(sum.own, factor),
            ..Relation::NOTHING
        };
        let relations: Vec<Relation> = self.sums.iter().map(relation).collect();
        let functions = self.table.functions.len();
        let own = match self.roles.contains(&Role::Own) {
            true => told_own(&relations, functions),
            false => inferred_own(&relations, functions, || {
                reporter.warn("self-cost-inferred", place);
            }),
        };
        // Totals of functions are those of a graph of calls: recursion counts once.
        let mut graph = GraphBuilder::new(reporter);
        graph.add_value();
        let nodes = (0..functions as u32).map(|id| graph.node(FunctionId(id), false));
        let nodes: Vec<_> = nodes.collect();
        for (&node, &own) in nodes.iter().zip(&own) {
            graph.add(node, 0, own, place);
        }
        for of in &relations {
            let ends = [of.caller, of.callee].map(|it| nodes[it.index()]);
            graph.add_calls(ends[0], ends[1], of.calls, [(0, of.cost.weight())], place);
        }
        let graph = graph.finish();
        let raised = graph.raised(0, functions);
        reporter.warn_many("total-below-self", raised, place);
        let of_value = OfValue {
            functions: graph.function_metrics(0, functions),
            relations,
        };
        let values = vec![Value {
            name: self.value,
            unit,
        }];
        let sums = Weights::Sums(Sums::new(
            vec![of_value],
            self.counts_calls,
            reporter,
            place,
        ));
        let profile = Profile::new(values, 0, sums, functions);
        let profile = (self.table.functions, profile);
        Recording::of_profile(input, format, 0, profile, reporter.warnings())
    }
}

/// By function, the self cost of all calls of it.
fn told_own(relations: &[Relation], functions: usize) -> Vec<Cost> {
    let mut own = vec![Cost::ZERO; functions];
    for of in relations {
        own[of.callee.index()] += of.self_cost;
    }
    own
}

/// By function, what calls of it cost beyond the calls that it makes; `infer` is told of each that has any.
fn inferred_own(relations: &[Relation], functions: usize, infer: impl Fn()) -> Vec<Cost> {
    let mut called = vec![Cost::ZERO; functions];
    let mut calls = vec![Cost::ZERO; functions];
    for of in relations {
        called[of.callee.index()] += of.cost;
        calls[of.caller.index()] += of.cost;
    }
    // With negative costs, less than nothing may be left.
    let is_signed = relations.iter().any(|of| of.cost < Cost::ZERO);
    let own = called
        .iter()
        .zip(&calls)
        .map(|(&of, &below)| match is_signed {
            true => of - below,
            false => of.saturating_sub(below),
        });
    let own: Vec<Cost> = own.collect();
    own.iter()
        .filter(|own| **own != Cost::ZERO)
        .for_each(|_| infer());
    own
}
