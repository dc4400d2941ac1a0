//! What phases are called: names that tell a phase from its neighbours.

use std::collections::HashMap;

use super::{Phase, Phases, Pruning};
use callscape_base::units::FunctionId;
use callscape_facts::functions::{Function, Functions};

/// Names that programs have many functions of, and which say nothing of what these are for.
const COMMON: [&str; 12] = [
    "main",
    "exec_module",
    "exec",
    "run",
    "call",
    "invoke",
    "apply",
    "callback",
    "anonymous",
    "(anonymous)",
    "lambda",
    "default",
];

/// What loads a module says which one.
const LOADS: [&str; 10] = [
    "exec_module",
    "_call_with_frames_removed",
    "_load_unlocked",
    "_find_and_load",
    "_find_and_load_unlocked",
    "import_module",
    "_gcd_import",
    "_handle_fromlist",
    "exec",
    "__import__",
];

/// The name of the function that is a module's own code.
const MODULE: &str = "<module>";

/// The last part of a qualified name.
fn last_part(name: &str) -> &str {
    let name = name.rsplit("::").next().unwrap_or(name);
    // Brackets hold what is no qualification: `<module>`, `{lambda(int)#1}`, `<locals>.<genexpr>`.
    match name.rfind(['<', '{']) {
        Some(at) if at > 0 => &name[at..],
        Some(_) => name,
        None => name.rsplit('.').next().unwrap_or(name),
    }
}

/// Whether a name alone says little.
fn is_common(name: &str) -> bool {
    let last = last_part(name);
    last.is_empty()
        || last.starts_with(['<', '{'])
        || COMMON.contains(&last)
        || last.contains("lambda")
}

/// Names of functions as they are shown.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    of: HashMap<FunctionId, String>,
    /// By phase, where more is to be said than by function.
    of_phases: HashMap<u32, String>,
}

/// The last two parts of a path.
fn short_file(file: &str) -> String {
    let parts: Vec<&str> = file.rsplit(['/', '\\']).take(2).collect();
    match *parts {
        [file, folder] if !folder.is_empty() => format!("{folder}/{file}"),
        [file, ..] => file.to_owned(),
        [] => String::new(),
    }
}

/// Where a function is, as far as its recording says: its file, with the line where that is asked for; else what it
/// belongs to.
fn place(function: &Function<'_>, with_line: bool) -> Option<String> {
    let file = short_file(function.file);
    match (file.as_str(), function.library) {
        ("", "") => None,
        ("", library) => Some(short_file(library)),
        (file, _) if with_line && function.line > 0 => Some(format!("{file}:{}", function.line)),
        (file, _) => Some(file.to_owned()),
    }
}

impl Labels {
    /// The names of all that stands in `phases`.
    pub fn new(phases: &Phases, functions: &Functions, pruning: &Pruning) -> Labels {
        let of_phases = phases.phases.iter().map(|phase| phase.function);
        let of_rows = phases.gathered.iter().map(|row| row.function);
        let mut shown: Vec<FunctionId> = of_phases.chain(of_rows).collect();
        shown.sort_unstable();
        shown.dedup();
        let mut labels = Labels::default();
        let mut same: HashMap<String, Vec<FunctionId>> = HashMap::new();
        for &id in &shown {
            let name = functions.get(id).name;
            same.entry(name.to_owned()).or_default().push(id);
        }
        for (name, ids) in same {
            let is_told = ids.len() == 1 && !is_common(&name);
            let places = |with_line| {
                let places = ids.iter().map(|&id| place(&functions.get(id), with_line));
                places.collect::<Vec<Option<String>>>()
            };
            let files = places(false);
            let mut apart = files.clone();
            apart.sort_unstable();
            apart.dedup();
            let places = if apart.len() == ids.len() {
                files
            } else {
                places(true)
            };
            for (&id, place) in ids.iter().zip(places) {
                let label = match place.filter(|_| !is_told) {
                    Some(place) => format!("{name} ({place})"),
                    None => name.clone(),
                };
                labels.of.insert(id, label);
            }
        }
        labels.name_loading(phases, functions, pruning);
        labels
    }

    /// The names of all that stands in `phases`, where functions are called as `name` says.
    pub fn named(
        phases: &Phases,
        functions: &Functions,
        pruning: &Pruning,
        name: impl Fn(FunctionId) -> String,
    ) -> Labels {
        let of_phases = phases.phases.iter().map(|phase| phase.function);
        let of_rows = phases.gathered.iter().map(|row| row.function);
        let mut labels = Labels {
            of: of_phases.chain(of_rows).map(|it| (it, name(it))).collect(),
            ..Labels::default()
        };
        labels.name_loading(phases, functions, pruning);
        labels
    }

    /// What loads a module is named after it.
    fn name_loading(&mut self, phases: &Phases, functions: &Functions, pruning: &Pruning) {
        for (index, phase) in (0..).zip(&phases.phases) {
            let name = functions.get(phase.function).name;
            if !LOADS.contains(&last_part(name)) {
                continue;
            }
            if let Some(file) = loaded(phase, functions, pruning) {
                self.of_phases.insert(index, format!("{name} ({file})"));
            }
        }
    }

    /// The name of a phase.
    pub fn phase(&self, index: u32, phase: &Phase) -> &str {
        match self.of_phases.get(&index) {
            Some(label) => label,
            None => self.function(phase.function),
        }
    }

    /// The name of a function that stands in the phases.
    pub fn function(&self, function: FunctionId) -> &str {
        self.of.get(&function).map_or("", String::as_str)
    }
}

/// The file of the first module whose code runs in a phase.
fn loaded(phase: &Phase, functions: &Functions, pruning: &Pruning) -> Option<String> {
    let mut skeletons = pruning.skeletons.iter();
    let skeleton = skeletons.find(|it| it.thread == phase.thread)?;
    let node = skeleton.nodes.get(phase.node as usize)?;
    let below = skeleton.nodes.get(phase.node as usize..node.end as usize)?;
    // Whatever loads a module runs its code soon.
    const SOON: usize = 1000;
    let below = below.iter().take(SOON);
    let mut functions_below = below.map(|node| functions.get(node.function));
    let module = functions_below.find(|it| it.name == MODULE)?;
    Some(short_file(module.file)).filter(|file| !file.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_say_little() {
        for name in [
            "<module>",
            "main",
            "exec_module",
            "_LoaderBasics.exec_module",
            "Version.__init__.<locals>.<genexpr>",
            "<lambda>",
            "core::run::{closure#0}",
            "(anonymous)",
        ] {
            assert!(is_common(name), "{name}");
        }
        for name in ["Parser::parse", "json.loads", "sqlite3_exec", "visit_file"] {
            assert!(!is_common(name), "{name}");
        }
    }

    #[test]
    fn files_are_short() {
        assert_eq!(
            short_file("/usr/lib/python3/json/decoder.py"),
            "json/decoder.py"
        );
        assert_eq!(short_file("/a.py"), "a.py");
        assert_eq!(short_file("a.py"), "a.py");
        assert_eq!(short_file(""), "");
    }
}
