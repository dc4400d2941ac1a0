//! `callscape compare`: What differs between two recordings

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::error::ErrorKind;
use serde::Serialize;

use super::output::{self, Align, Table};
use crate::analysis::comparison::amounts::{Amounts, Change, Measure};
use crate::analysis::comparison::condition::Condition;
use crate::analysis::comparison::pairing::{self, Correction, How};
use crate::analysis::comparison::tables::{RelationChange, Window};
use crate::analysis::comparison::{Comparison, Inputs, Settings};
use crate::import;
use crate::units::{Cost, ModuleId, TimeSpec, Unit, grouped};

#[derive(Debug, clap::Args)]
#[command(about = "What differs between two recordings, A before a change and B after it", after_help = EXAMPLES)]
pub struct Args {
    /// The recordings A and B; a source tree of both, or one of each
    #[arg(value_name = "A B SOURCE_DIR", required_unless_present_all = ["a", "b"])]
    inputs: Vec<PathBuf>,
    /// Several runs of A: what is noise among them is told from what differs
    #[arg(long, value_name = "TRACE", num_args = 1.., requires = "b")]
    a: Vec<PathBuf>,
    /// Several runs of B
    #[arg(long, value_name = "TRACE", num_args = 1.., requires = "a")]
    b: Vec<PathBuf>,
    /// By which difference the tables are sorted
    #[arg(long, value_enum, default_value_t = Sort::SelfCost)]
    sort: Sort,
    /// Only the first N of each table [default: 20 in text, all in JSON]
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Only what has this text in its name or path
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
    /// Modules and relations by the entities of this mapping file; what it leaves out is left out
    #[arg(long, value_name = "FILE", conflicts_with = "level")]
    map: Option<PathBuf>,
    /// Relations between the modules of this depth of the hierarchy; the root has depth 0
    #[arg(long, value_name = "N")]
    level: Option<u16>,
    /// Only calls that start after this time of each run, and the calls around them
    #[arg(long, value_name = "TIME")]
    from: Option<TimeSpec>,
    /// Only calls that end before this time of each run, and the calls around them
    #[arg(long, value_name = "TIME")]
    to: Option<TimeSpec>,
    /// Calls and costs per call of this function
    #[arg(long, value_name = "FUNCTION")]
    per: Option<String>,
    /// These two functions are one; without NEW, OLD is in A alone; may be repeated
    #[arg(long, value_name = "OLD=NEW")]
    pair: Vec<Correction>,
    /// A file of such pairs, one a line
    #[arg(long, value_name = "FILE")]
    pairs: Option<PathBuf>,
    /// Only functions of one name in one place are the same: none is taken for moved or renamed
    #[arg(long)]
    exact: bool,
    /// Exit with 1 when this holds, such as 'total(parse) > 1.1x'; may be repeated
    #[arg(long, value_name = "CONDITION")]
    fail_if: Vec<Condition>,
    /// What to show of profiles that hold several values, such as alloc_space; `info` lists them
    #[arg(long, value_name = "NAME")]
    value: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  callscape compare before.json after.json
  callscape compare before after src --sort calls --top 10 --json
  callscape compare before.json after.json src-1.0 src-2.0 --pair parse_slow=parse
  callscape compare --a before*.json --b after*.json
  callscape compare before.json after.json --fail-if 'total(parse) > 1.1x'

Functions are paired by name and place, then by name and file name, then by a name that is unique on both sides,
then by likeness of names and of callers and callees (renamed); --exact stops after the first, --pair corrects it.
Of several runs of a side the mean is shown; with two or more on each, what Welch's test and the bound of Benjamini
and Hochberg (5 % false discoveries) do not tell from chance counts as noise, and stands last.
Recordings of different kinds are compared by the shares that functions have in their run.

A condition is total|self|calls|average(FUNCTION), or duration, then > >= < or <=, then a limit: 1.1x (of A),
+10% (the same), +5ms (more than A), 5ms or 100 (B alone). * in a name stands for anything. The exit code is 1 when
one holds, or when no function has the name; 2 when it cannot be read; else 0.";

/// The largest difference first.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Sort {
    /// Cost in the function itself: where a difference arises
    #[value(name = "self")]
    SelfCost,
    /// Time in which the function is open: where a difference arrives
    Total,
    /// Number of calls
    Calls,
    /// Total cost a call
    Average,
}

impl Sort {
    fn measure(self) -> Measure {
        match self {
            Sort::SelfCost => Measure::SelfCost,
            Sort::Total => Measure::Total,
            Sort::Calls => Measure::Calls,
            Sort::Average => Measure::Average,
        }
    }
}

/// Rows of a table for people, where not asked for otherwise.
const TOP: usize = 20;

pub fn run(args: Args) -> anyhow::Result<()> {
    let inputs = sort_inputs(&args)?;
    let mut corrections = args.pair.clone();
    if let Some(path) = &args.pairs {
        let shown = || path.display().to_string();
        let text = std::fs::read_to_string(path).with_context(shown)?;
        let listed = pairing::corrections(&text);
        corrections.extend(listed.map_err(anyhow::Error::msg).with_context(shown)?);
    }
    let settings = Settings {
        corrections,
        is_exact: args.exact,
        value: args.value.clone(),
    };
    let mut comparison =
        output::with_progress(|progress| Comparison::open(&inputs, &settings, progress))??;
    if let Some(per) = &args.per {
        let rows = comparison.rows_named(per);
        let [row] = rows[..] else {
            bail!(
                "--per {per}: expected the name or path of one function, found {}",
                rows.len()
            );
        };
        comparison.per = Some(row);
    }
    for warning in &comparison.session.source_warnings {
        eprintln!("callscape: {warning}");
    }
    for doubt in &comparison.doubts {
        eprintln!("callscape: {doubt}");
    }
    for unclear in &comparison.unclear {
        eprintln!("callscape: {unclear}");
    }
    let tables = Tables::new(&args, &comparison)?;
    for resolved in &comparison.session.recordings {
        output::ensure_whole(&resolved.recording)?;
    }
    let mut findings = Vec::new();
    for condition in &args.fail_if {
        let finding = condition.check(&comparison, &tables.functions);
        findings.push((condition, finding.map_err(anyhow::Error::msg)?));
    }
    if args.json {
        output::print_json(&tables.document(&comparison, &args))?;
    } else {
        output::print(|out| tables.write(out, &comparison, &args))?;
    }
    let held = findings.iter().filter(|(_, finding)| finding.holds);
    let held: Vec<String> = held
        .map(|(condition, finding)| format!("{condition} holds: {}", finding.of.join("; ")))
        .collect();
    if !held.is_empty() {
        bail!(held.join("\n"));
    }
    Ok(())
}

/// Ends the program as wrong usage does.
fn usage(message: String) -> ! {
    clap::Error::raw(ErrorKind::WrongNumberOfValues, message + "\n").exit()
}

/// Which paths are recordings and which source trees.
fn sort_inputs(args: &Args) -> anyhow::Result<Inputs> {
    let mut inputs = Inputs {
        recordings: [args.a.clone(), args.b.clone()],
        source_dirs: Vec::new(),
    };
    let mut recordings = Vec::new();
    for path in &args.inputs {
        let is_pipe = path.as_os_str() == import::input::STANDARD_INPUT;
        let is_source = !is_pipe
            && std::fs::metadata(path)
                .with_context(|| path.display().to_string())?
                .is_dir()
            && !import::is_recording(path);
        if is_source {
            inputs.source_dirs.push(path.clone());
        } else {
            recordings.push(path.clone());
        }
    }
    if inputs.source_dirs.len() > 2 {
        let count = inputs.source_dirs.len();
        usage(format!(
            "expected at most two source trees, that of A and that of B, found {count}"
        ));
    }
    match (&recordings[..], args.a.is_empty()) {
        ([a, b], true) => inputs.recordings = [vec![a.clone()], vec![b.clone()]],
        ([], false) => {}
        (found, true) => usage(format!(
            "expected two recordings, A and B, found {}; several of a side are given with --a and --b",
            found.len()
        )),
        ([first, ..], false) => usage(format!(
            "{}: expected a source tree beside --a and --b, found a recording",
            first.display()
        )),
    }
    Ok(inputs)
}

/// What is shown: rows in their order.
struct Tables {
    measure: Measure,
    /// By row of the comparison.
    functions: Vec<Change>,
    /// The same as recorded, where something else is compared.
    raw: Option<Vec<Change>>,
    order: Vec<u32>,
    relations: Vec<NamedRelation>,
    modules: Vec<(String, Change)>,
    /// Whether relations are between modules.
    is_grouped: bool,
}

/// A call relation with the names of its ends.
struct NamedRelation {
    from: String,
    to: String,
    /// Between functions: their paths, for names alone may not tell them apart.
    paths: Option<[String; 2]>,
    change: Change,
    raw: Option<Change>,
}

impl Tables {
    fn new(args: &Args, comparison: &Comparison) -> anyhow::Result<Tables> {
        let measure = args.sort.measure();
        let window = Window {
            from: args.from,
            to: args.to,
            is_raw: false,
        };
        let raw_window = Window {
            is_raw: true,
            ..window
        };
        let is_scaled = comparison.is_by_shares || comparison.per.is_some();
        let functions = comparison.functions(window);
        let raw = is_scaled.then(|| comparison.functions(raw_window));
        let hierarchy = &comparison.session.hierarchy;
        let mapped = args.map.as_deref();
        let mapped = mapped.map(|map| super::mapping::apply(&comparison.session, map));
        let mapped = mapped.transpose()?;
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

        let relations = |window: Window| -> Vec<RelationChange<u32>> {
            let as_rows = |it: RelationChange<ModuleId>| RelationChange {
                from: it.from.0,
                to: it.to.0,
                change: it.change,
            };
            match (&mapped, args.level) {
                (Some(_), _) => {
                    let of = comparison.module_relations(window, |id| entity_of[id.index()]);
                    of.into_iter().map(as_rows).collect()
                }
                (None, Some(level)) => {
                    let cut = crate::filter::cut::Cut::at_level(hierarchy, level);
                    let displayed = cut.displayed(hierarchy);
                    let of = comparison
                        .module_relations(window, |id| displayed.get(id.index()).copied());
                    of.into_iter().map(as_rows).collect()
                }
                (None, None) => comparison.relations(window),
            }
        };
        let compared = relations(window);
        let raw_relations = match is_scaled {
            true => relations(raw_window)
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
                let mut entities = std::collections::BTreeMap::<ModuleId, Change>::new();
                for (row, change) in comparison.rows.iter().zip(&functions) {
                    if let Some(entity) = entity_of[row.module.index()] {
                        let sum = entities.entry(entity).or_default();
                        sum.a.calls += change.a.calls;
                        sum.b.calls += change.b.calls;
                        sum.a.self_cost += change.a.self_cost;
                        sum.b.self_cost += change.b.self_cost;
                        sum.a.total = sum.a.total.max(change.a.total);
                        sum.b.total = sum.b.total.max(change.b.total);
                    }
                }
                let name = |id: ModuleId| mapped.session.hierarchy.name(id).to_owned();
                entities
                    .into_iter()
                    .map(|(id, it)| (name(id), it))
                    .collect()
            }
            None => {
                let changes = comparison.modules(&functions);
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
        Ok(Tables {
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

/// Calls and costs of one side as JSON has them: whole numbers, those of several runs rounded.
#[derive(Serialize)]
struct Side {
    calls: u64,
    total_ns: u64,
    self_ns: u64,
}

impl Side {
    fn new(amounts: &Amounts) -> Side {
        Side {
            calls: amounts.calls.round() as u64,
            total_ns: amounts.total.round() as u64,
            self_ns: amounts.self_cost.round() as u64,
        }
    }
}

#[derive(Serialize)]
struct RelationSide {
    calls: u64,
    cost_ns: u64,
    self_cost_ns: u64,
}

impl RelationSide {
    fn new(amounts: &Amounts) -> RelationSide {
        let Side {
            calls,
            total_ns,
            self_ns,
        } = Side::new(amounts);
        RelationSide {
            calls,
            cost_ns: total_ns,
            self_cost_ns: self_ns,
        }
    }
}

/// What the order goes by, where that is not in the numbers of both sides: shares, or amounts per call.
#[derive(Serialize)]
struct Compared {
    a: f64,
    b: f64,
}

/// What is said of every difference.
#[derive(Serialize)]
struct Said {
    /// both, added or gone
    change: &'static str,
    /// B as so many times A, of what the table is sorted by; none where A has nothing
    ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<Compared>,
    /// Where several runs of each side are given: the probability of such a difference by chance
    #[serde(skip_serializing_if = "Option::is_none")]
    chance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    noise: Option<bool>,
}

impl Said {
    fn new(change: &Change, measure: Measure, is_scaled: bool) -> Said {
        let chance = change.chance(measure);
        Said {
            change: change.standing().name(),
            ratio: change.ratio(measure),
            compared: is_scaled.then(|| Compared {
                a: change.a.of(measure),
                b: change.b.of(measure),
            }),
            chance,
            noise: chance.map(|_| !change.is_significant(measure)),
        }
    }
}

#[derive(Serialize)]
struct FunctionRow<'a> {
    name: &'a str,
    module: String,
    file: &'a str,
    line: u32,
    a: Side,
    b: Side,
    #[serde(flatten)]
    said: Said,
    /// Of a function that moved or was renamed, or that the user has paired
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Before<'a>>,
}

#[derive(Serialize)]
struct Before<'a> {
    how: &'static str,
    name: &'a str,
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    likeness: Option<f64>,
}

#[derive(Serialize)]
struct RelationRow<'a> {
    from: &'a str,
    to: &'a str,
    a: RelationSide,
    b: RelationSide,
    #[serde(flatten)]
    said: Said,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_module: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_module: Option<&'a str>,
}

#[derive(Serialize)]
struct ModuleRow<'a> {
    module: &'a str,
    a: Side,
    b: Side,
    #[serde(flatten)]
    said: Said,
}

#[derive(Serialize)]
struct Run {
    name: String,
    format: &'static str,
    calls: u64,
    functions: usize,
    duration_ns: Cost,
}

#[derive(Serialize)]
struct Runs {
    a: Vec<Run>,
    b: Vec<Run>,
}

#[derive(Serialize)]
struct Paired {
    both: usize,
    moved: usize,
    renamed: usize,
    given: usize,
    only_a: usize,
    only_b: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moved_files: Vec<[String; 2]>,
}

#[derive(Serialize)]
struct Document<'a> {
    runs: Runs,
    /// What the tables are sorted by
    sort: &'static str,
    /// costs, shares, or per call
    compared: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'a Unit>,
    paired: Paired,
    warnings: Vec<String>,
    functions: Vec<FunctionRow<'a>>,
    relations: Vec<RelationRow<'a>>,
    modules: Vec<ModuleRow<'a>>,
}

fn runs(comparison: &Comparison, side: usize) -> Vec<Run> {
    let of = comparison.recordings(side).iter();
    of.map(|it| Run {
        name: it.recording.name(),
        format: it.recording.format,
        calls: it.recording.calls(),
        functions: it.recording.functions.len(),
        duration_ns: it.recording.trace.duration(),
    })
    .collect()
}

fn paired(comparison: &Comparison) -> Paired {
    let count =
        |is: &dyn Fn(Option<How>) -> bool| comparison.rows.iter().filter(|row| is(row.how)).count();
    let only = |side: usize| {
        let rows = comparison.rows.iter();
        rows.filter(|row| row.how.is_none() && row.names[side].is_some())
            .count()
    };
    Paired {
        both: count(&|how| how.is_some()),
        moved: count(&|how| how == Some(How::Moved)),
        renamed: count(&|how| matches!(how, Some(How::Renamed(_)))),
        given: count(&|how| how == Some(How::Given)),
        only_a: only(0),
        only_b: only(1),
        moved_files: comparison.moved_files.clone(),
    }
}

/// What a function was before, where that is not what it is now.
fn before(comparison: &Comparison, row: u32) -> Option<Before<'_>> {
    let how = comparison.rows[row as usize].how?;
    let old = comparison.function_of(row, 0);
    let likeness = match how {
        How::Renamed(likeness) => Some(likeness),
        _ => None,
    };
    (how != How::Same).then(|| Before {
        how: how.name(),
        name: old.name,
        file: old.file,
        likeness,
    })
}

impl Tables {
    fn document<'a>(&'a self, comparison: &'a Comparison, args: &Args) -> Document<'a> {
        let top = args.top.unwrap_or(usize::MAX);
        let is_scaled = self.raw.is_some();
        let measure = self.measure;
        let hierarchy = &comparison.session.hierarchy;
        let functions = self.order.iter().take(top).map(|&row| {
            let function = comparison.function(row);
            let change = &self.functions[row as usize];
            let raw = self.raw.as_ref().map_or(change, |raw| &raw[row as usize]);
            FunctionRow {
                name: function.name,
                module: hierarchy.path(comparison.rows[row as usize].module),
                file: function.file,
                line: function.line,
                a: Side::new(&raw.a),
                b: Side::new(&raw.b),
                said: Said::new(change, measure, is_scaled),
                before: before(comparison, row),
            }
        });
        let relations = self.relations.iter().take(top).map(|relation| {
            let raw = relation.raw.as_ref().unwrap_or(&relation.change);
            let path = |end: usize| relation.paths.as_ref().map(|paths| paths[end].as_str());
            RelationRow {
                from: &relation.from,
                to: &relation.to,
                a: RelationSide::new(&raw.a),
                b: RelationSide::new(&raw.b),
                said: Said::new(&relation.change, measure, is_scaled),
                from_module: path(0),
                to_module: path(1),
            }
        });
        let modules = self
            .modules
            .iter()
            .take(top)
            .map(|(module, change)| ModuleRow {
                module,
                a: Side::new(&change.a),
                b: Side::new(&change.b),
                said: Said::new(change, measure, is_scaled),
            });
        let unit = comparison.unit();
        let doubts = comparison.doubts.iter().map(ToString::to_string);
        Document {
            runs: Runs {
                a: runs(comparison, 0),
                b: runs(comparison, 1),
            },
            sort: measure.name(),
            compared: match (comparison.per, comparison.is_by_shares) {
                (Some(_), _) => "per call",
                (None, true) => "shares",
                (None, false) => "costs",
            },
            unit: (!unit.is_time()).then_some(unit),
            paired: paired(comparison),
            warnings: doubts.chain(comparison.unclear.iter().cloned()).collect(),
            functions: functions.collect(),
            relations: relations.collect(),
            modules: modules.collect(),
        }
    }

    fn write(
        &self,
        out: &mut dyn std::io::Write,
        comparison: &Comparison,
        args: &Args,
    ) -> std::io::Result<()> {
        let top = args.top.unwrap_or(TOP);
        for (side, letter) in [(0, 'A'), (1, 'B')] {
            for run in runs(comparison, side) {
                let (calls, functions) = (grouped(run.calls), grouped(run.functions as u64));
                let (name, duration) = (run.name, run.duration_ns);
                writeln!(
                    out,
                    "{letter}  {name}: {calls} calls of {functions} functions in {duration}"
                )?;
            }
        }
        let paired = paired(comparison);
        let part = |count: usize, what: &str| match count {
            0 => String::new(),
            count => format!(", {count} {what}"),
        };
        writeln!(
            out,
            "{} functions in both{}{}{}{}{}",
            paired.both,
            part(paired.moved, "of them moved"),
            part(paired.renamed, "of them renamed"),
            part(paired.given, "of them paired by you"),
            part(paired.only_a, "in A alone"),
            part(paired.only_b, "in B alone"),
        )?;
        for [old, new] in &paired.moved_files {
            writeln!(out, "{old} is now {new}")?;
        }
        let show = Show::new(comparison, self.measure);
        let hierarchy = &comparison.session.hierarchy;
        let functions = self.order.iter().map(|&row| {
            let change = self.functions[row as usize];
            let function = comparison.function(row);
            let was = before(comparison, row).map_or(String::new(), |before| {
                let likeness = before
                    .likeness
                    .map(|it| format!(" ({:.0} % alike)", it * 100.0));
                let name = if before.name == function.name {
                    before.file
                } else {
                    before.name
                };
                format!(
                    " [{}: was {name}{}]",
                    before.how,
                    likeness.unwrap_or_default()
                )
            });
            let path = hierarchy.path(comparison.rows[row as usize].module);
            (change, format!("{}{was}  {path}", function.name))
        });
        show.section(out, "function", functions, top)?;
        let modules = self
            .modules
            .iter()
            .map(|(path, change)| (*change, path.clone()));
        show.section(out, "module", modules, top.min(args.top.unwrap_or(10)))?;
        let relations = self.relations.iter();
        let relations = relations.map(|it| (it.change, format!("{} → {}", it.from, it.to)));
        let heading = if self.is_grouped {
            "call relation between modules"
        } else {
            "call relation"
        };
        show.section(out, heading, relations, top)
    }
}

/// How amounts are written in the tables for people.
struct Show<'a> {
    measure: Measure,
    unit: &'a Unit,
    is_by_shares: bool,
    is_per_call: bool,
    counts_calls: bool,
    has_noise: bool,
}

impl<'a> Show<'a> {
    fn new(comparison: &'a Comparison, measure: Measure) -> Show<'a> {
        Show {
            measure,
            unit: comparison.unit(),
            is_by_shares: comparison.is_by_shares && comparison.per.is_none(),
            is_per_call: comparison.per.is_some(),
            counts_calls: comparison.counts_calls(),
            has_noise: comparison.runs.iter().all(|&runs| runs > 1),
        }
    }

    fn amount(&self, value: f64) -> String {
        if self.is_by_shares {
            return format!("{:.2} %", value * 100.0);
        }
        if self.measure.is_cost() {
            return self.unit.show(Cost::from_ns(value.round() as u64));
        }
        self.calls(value)
    }

    fn calls(&self, value: f64) -> String {
        match (self.counts_calls, self.is_per_call) {
            (false, _) => "–".to_owned(),
            (true, true) => format!("{value:.3}"),
            (true, false) if value.fract() == 0.0 => format!("{value:.0}"),
            (true, false) => format!("{value:.1}"),
        }
    }

    fn delta(&self, change: &Change) -> String {
        let delta = change.delta(self.measure);
        let sign = match delta {
            delta if delta > 0.0 => "+",
            delta if delta < 0.0 => "−",
            _ => "",
        };
        format!("{sign}{}", self.amount(delta.abs()))
    }

    fn section(
        &self,
        out: &mut dyn std::io::Write,
        heading: &'static str,
        rows: impl Iterator<Item = (Change, String)>,
        top: usize,
    ) -> std::io::Result<()> {
        let mut columns = vec![
            ("Δ", Align::Right),
            ("ratio", Align::Right),
            ("A", Align::Right),
            ("B", Align::Right),
        ];
        if self.measure != Measure::Calls {
            columns.extend([("calls A", Align::Right), ("calls B", Align::Right)]);
        }
        if self.has_noise {
            columns.push(("chance", Align::Right));
        }
        columns.push((heading, Align::Left));
        let mut table = Table::new(&columns);
        let mut more = 0;
        let mut shown = 0;
        for (change, name) in rows.filter(|(change, _)| change.is_change()) {
            if shown == top {
                more += 1;
                continue;
            }
            shown += 1;
            let ratio = match (change.standing().name(), change.ratio(self.measure)) {
                ("both", Some(ratio)) if ratio >= 100.0 => format!("×{ratio:.0}"),
                ("both", Some(ratio)) => format!("×{ratio:.2}"),
                ("both", None) => "–".to_owned(),
                (standing, _) => standing.to_owned(),
            };
            let mut cells = vec![
                self.delta(&change),
                ratio,
                self.amount(change.a.of(self.measure)),
                self.amount(change.b.of(self.measure)),
            ];
            if self.measure != Measure::Calls {
                cells.extend([self.calls(change.a.calls), self.calls(change.b.calls)]);
            }
            if self.has_noise {
                cells.push(match change.chance(self.measure) {
                    Some(chance) if change.is_significant(self.measure) => format!("{chance:.3}"),
                    Some(_) => "noise".to_owned(),
                    None => "–".to_owned(),
                });
            }
            cells.push(name);
            table.row(cells);
        }
        writeln!(out)?;
        if shown == 0 {
            return writeln!(out, "no {heading} differs");
        }
        table.write(out)?;
        if more > 0 {
            writeln!(out, "and {more} more that differ")?;
        }
        Ok(())
    }
}
