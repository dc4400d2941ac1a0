//! Questions that a map of a source tree answers: what the colour says for each, and which modules stand out.

use std::collections::{BTreeMap, BTreeSet};

use super::metric::Metric;
use super::metrics::ModuleMetrics;
use super::surface::Surface;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;
use callscape_facts::kinds::{Made, Purpose, Purposes};

/// How many modules stand out.
pub const MOST: usize = 10;

/// How long it is that what is not touched has not been, in days.
const UNTOUCHED_DAYS: f64 = 730.0;

/// A question and how it is answered.
#[derive(Debug)]
pub struct Preset {
    /// As the command line and session files name it.
    pub id: &'static str,
    /// The question.
    pub title: &'static str,
    /// What is seen, and what stands out.
    pub sentence: &'static str,
    /// What the files that stand out have most of.
    pub metric: Metric,
    /// What their values count.
    pub unit: &'static str,
    /// What the colour of the landscape says.
    pub surface: Surface,
    among: Among,
}

/// Which files may stand out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Among {
    All,
    /// The largest of each language.
    Languages,
    Tests,
    /// Those that one person changed alone.
    OneAuthor,
    /// Those without a change in the two years before the newest.
    Untouched,
    /// The one of each import cycle that the most of its files import.
    Cycles,
}

/// All of them, in the order of a menu.
pub static PRESETS: [Preset; 14] = [
    Preset {
        id: "complexity",
        title: "Which code is complex?",
        sentence: "The more decisions in a function, the stronger its colour. The files with the most decisions in \
                   their functions stand out.",
        metric: Metric::Complexity,
        unit: "complexity of all functions",
        surface: Surface::Metric(Metric::Complexity),
        among: Among::All,
    },
    Preset {
        id: "hotspots",
        title: "What is complex and changes often?",
        sentence: "Complexity times the commits of the last year. Files that are hard to read and change often stand \
                   out.",
        metric: Metric::Hotspots,
        unit: "complexity × commits",
        surface: Surface::Metric(Metric::Hotspots),
        among: Among::All,
    },
    Preset {
        id: "change",
        title: "What changes often?",
        sentence: "Commits of the last year, counted back from the newest. The files changed by most of them stand \
                   out.",
        metric: Metric::RecentChanges,
        unit: "commits",
        surface: Surface::Metric(Metric::RecentChanges),
        among: Among::All,
    },
    Preset {
        id: "people",
        title: "Who works on it?",
        sentence: "Number of people who changed each file. A file changed by only one person may be known to nobody \
                   else. The files with the most people stand out.",
        metric: Metric::Authors,
        unit: "people",
        surface: Surface::Metric(Metric::Authors),
        among: Among::All,
    },
    Preset {
        id: "one-author",
        title: "Which files does a single person know?",
        sentence: "One colour per main author. Files that only one person ever changed stand out by their lines: nobody \
                   else may know them.",
        metric: Metric::LinesOfCode,
        unit: "lines of code",
        surface: Surface::Person,
        among: Among::OneAuthor,
    },
    Preset {
        id: "fixes",
        title: "Where were faults fixed?",
        sentence: "Number of commits whose summaries speak of a fix, a bug, a fault or a crash. The files with most of \
                   them stand out.",
        metric: Metric::Fixes,
        unit: "fixes",
        surface: Surface::Metric(Metric::Fixes),
        among: Among::All,
    },
    Preset {
        id: "together",
        title: "Which files change together?",
        sentence: "Arcs join files that change in the same commits more often than by chance. Those that change together \
                   with most other files stand out. Click one to see its arcs alone, and ask of each whether there is an \
                   import that explains it.",
        metric: Metric::Coupled,
        unit: "files that change together with it",
        surface: Surface::Metric(Metric::Coupled),
        among: Among::All,
    },
    Preset {
        id: "untouched",
        title: "Which files run, but have not changed for years?",
        sentence: "Day of the newest change. Files that run in the recording, but were not changed in the two years \
                   before the newest commit, stand out by their calls.",
        metric: Metric::Calls,
        unit: "calls",
        surface: Surface::Metric(Metric::LastChange),
        among: Among::Untouched,
    },
    Preset {
        id: "size",
        title: "Which files are large?",
        sentence: "Lines of code. The longest files stand out.",
        metric: Metric::LinesOfCode,
        unit: "lines of code",
        surface: Surface::Metric(Metric::LinesOfCode),
        among: Among::All,
    },
    Preset {
        id: "depended-on",
        title: "Which files are depended on?",
        sentence: "Number of files that import each file. Changes in the most imported files have effects everywhere. \
                   Click a file to show its importers.",
        metric: Metric::FanIn,
        unit: "files that import it",
        surface: Surface::Metric(Metric::FanIn),
        among: Among::All,
    },
    Preset {
        id: "tangled",
        title: "Which files are tangled?",
        sentence: "Files in a cycle of imports, and the size of the cycle. In each cycle, the file imported by most of \
                   the others stands out. Click it to draw the cycle.",
        metric: Metric::ImportCycle,
        unit: "files in the cycle",
        surface: Surface::Metric(Metric::ImportCycle),
        among: Among::Cycles,
    },
    Preset {
        id: "languages",
        title: "Languages",
        sentence: "One colour per language. The longest file of each of the ten most used languages stands out.",
        metric: Metric::LinesOfCode,
        unit: "lines of code",
        surface: Surface::Language,
        among: Among::Languages,
    },
    Preset {
        id: "never-run",
        title: "Which code never runs?",
        sentence: "Lines of the functions that the recording never calls. The files with most such lines stand out.",
        metric: Metric::NeverRun,
        unit: "lines of code",
        surface: Surface::Metric(Metric::NeverRun),
        among: Among::All,
    },
    Preset {
        id: "tests",
        title: "Tests and product",
        sentence: "One colour per purpose: product, tests, examples, benches and documentation. The longest test files \
                   stand out.",
        metric: Metric::LinesOfCode,
        unit: "lines of code",
        surface: Surface::Purpose,
        among: Among::Tests,
    },
];

/// A module that stands out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StandsOut {
    pub module: ModuleId,
    pub value: f64,
}

/// The preset of this id.
pub fn find(id: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.id == id)
}

impl Preset {
    /// Whether what it shows is known.
    pub fn is_possible(&self, metrics: &ModuleMetrics) -> bool {
        self.metrics().all(|it| metrics.has(it))
    }

    /// What it is answered by.
    pub fn metrics(&self) -> impl Iterator<Item = Metric> {
        let among = match self.among {
            Among::OneAuthor => Some(Metric::Authors),
            Among::Untouched => Some(Metric::LastChange),
            Among::All | Among::Languages | Among::Tests | Among::Cycles => None,
        };
        [Some(self.metric), self.surface.metric(), among]
            .into_iter()
            .flatten()
    }

    /// Whether it is told by imports, whatever a recording says.
    pub fn needs_imports(&self) -> bool {
        self.metric == Metric::ImportCycle
    }

    /// The files that stand out, the first the most, at most [`MOST`]: written by hand, and with a value at all. Those
    /// of equal value are in order of the hierarchy. Files of the purposes in `without` are left out. O(n log n).
    pub fn stand_out(
        &self,
        hierarchy: &Hierarchy,
        metrics: &ModuleMetrics,
        without: Purposes,
    ) -> Vec<StandsOut> {
        let values = match self.metric {
            // Of a file the sum of its functions, as of a footprint.
            Metric::Complexity => metrics.areas(hierarchy, self.metric),
            // Of a history those of its files that are there.
            Metric::LinesOfCode if metrics.played().is_some() => {
                metrics.values(hierarchy, Metric::LastLines)
            }
            _ => metrics.values(hierarchy, self.metric),
        };
        let mut found: Vec<StandsOut> = hierarchy
            .outermost_files()
            .filter(|&module| self.may_stand_out(hierarchy, module, without))
            .map(|module| StandsOut {
                module,
                value: values[module.index()],
            })
            .filter(|it| it.value > 0.0)
            .collect();
        self.keep(hierarchy, metrics, &mut found);
        found.sort_by(|a, b| b.value.total_cmp(&a.value).then(a.module.cmp(&b.module)));
        match self.among {
            Among::All | Among::Tests | Among::OneAuthor | Among::Untouched => {}
            Among::Languages => found = longest_of_each(hierarchy, &found),
            Among::Cycles => found = one_of_each(metrics, &found),
        }
        found.truncate(MOST);
        found
    }

    /// Leaves out what the history says has no part in it.
    fn keep(&self, hierarchy: &Hierarchy, metrics: &ModuleMetrics, files: &mut Vec<StandsOut>) {
        let (metric, range) = match self.among {
            Among::OneAuthor => (Metric::Authors, 1.0..2.0),
            Among::Untouched => {
                let days = metrics.values(hierarchy, Metric::LastChange);
                let newest = days.iter().copied().fold(0.0, f64::max);
                (Metric::LastChange, 1.0..newest - UNTOUCHED_DAYS + 1.0)
            }
            Among::All | Among::Languages | Among::Tests | Among::Cycles => return,
        };
        let values = metrics.values(hierarchy, metric);
        files.retain(|it| range.contains(&values[it.module.index()]));
    }

    fn may_stand_out(&self, hierarchy: &Hierarchy, file: ModuleId, without: Purposes) -> bool {
        let kind = hierarchy.file_kind(file);
        kind.made == Made::Hand
            && !without.contains(kind.purpose)
            && (self.among != Among::Tests || kind.purpose == Purpose::Test)
    }
}

/// Of each import cycle with any of `files` the one that most of the cycle's files import, the largest cycle first.
fn one_of_each(metrics: &ModuleMetrics, files: &[StandsOut]) -> Vec<StandsOut> {
    let Some(imports) = metrics.imports() else {
        return Vec::new();
    };
    let taken: BTreeSet<ModuleId> = files.iter().map(|it| it.module).collect();
    let one = |cycle: &Vec<ModuleId>| {
        let within = imports.within(cycle);
        let mut counts: BTreeMap<ModuleId, usize> = BTreeMap::new();
        for (_, to) in within.filter(|(_, to)| taken.contains(to)) {
            *counts.entry(to).or_default() += 1;
        }
        let most = counts.into_iter();
        let most = most.max_by_key(|&(file, count)| (count, std::cmp::Reverse(file)));
        most.map(|(module, _)| StandsOut {
            module,
            value: cycle.len() as f64,
        })
    };
    imports.cycles().iter().filter_map(one).take(MOST).collect()
}

/// The first of each language among `files`, those of the languages with the largest sums.
fn longest_of_each(hierarchy: &Hierarchy, files: &[StandsOut]) -> Vec<StandsOut> {
    let mut languages: BTreeMap<&str, (f64, StandsOut)> = BTreeMap::new();
    for &file in files {
        let language = hierarchy.module(file.module).language;
        let (sum, _) = languages.entry(language).or_insert((0.0, file));
        *sum += file.value;
    }
    let mut ranked: Vec<(f64, StandsOut)> = languages.into_values().collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.module.cmp(&b.1.module)));
    ranked.truncate(MOST);
    let mut longest: Vec<StandsOut> = ranked.into_iter().map(|(_, longest)| longest).collect();
    longest.sort_by(|a, b| b.value.total_cmp(&a.value).then(a.module.cmp(&b.module)));
    longest
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_facts::hierarchy::{HierarchyBuilder, Module, ModuleKind, NodeId};
    use callscape_facts::kinds::FileKind;
    use callscape_source::history::{FileHistory, History};

    /// Files of a random size each, of which every fifth was generated and every seventh is a test.
    fn tree(files: u32) -> Hierarchy {
        let mut builder = HierarchyBuilder::new("root");
        for file in 0..files {
            let size = file.wrapping_mul(2_654_435_761) >> 20;
            let node = builder.add(
                NodeId::ROOT,
                Module {
                    language: ["C", "Rust", "Go"][file as usize % 3],
                    loc: size,
                    complexity: size / 7,
                    functions: 1,
                    file_kind: FileKind {
                        made: [Made::Hand, Made::Generated][usize::from(file % 5 == 0)],
                        purpose: [Purpose::Product, Purpose::Test][usize::from(file % 7 == 0)],
                    },
                    ..Module::named(ModuleKind::File, &format!("f{file}"))
                },
            );
            // A part of an amalgamation is no file of its own.
            let part = Module {
                loc: 1 << 20,
                ..Module::named(ModuleKind::File, "part")
            };
            builder.add(node, part);
        }
        builder.build().0
    }

    fn history(files: u32) -> History {
        let files = (0..files).map(|file| {
            let history = FileHistory {
                changes: file + 1,
                recent_changes: file % 11,
                authors: (0..file % 13).collect(),
                ..FileHistory::default()
            };
            (format!("f{file}"), history)
        });
        let mut history = History::default();
        history.files.extend(files);
        history
    }

    #[test]
    fn those_stand_out_that_no_other_exceeds() {
        let hierarchy = tree(200);
        let mut metrics = ModuleMetrics::default();
        assert!(!find("hotspots").expect("there").is_possible(&metrics));
        metrics.set_history(&hierarchy, &history(200), |id| hierarchy.path(id));
        let number = |id: ModuleId| -> u32 { hierarchy.name(id)[1..].parse().expect("a number") };
        let of = |id: ModuleId| hierarchy.module(id);
        type Value<'a> = &'a dyn Fn(ModuleId) -> f64;
        let cases: [(&str, Value<'_>); 6] = [
            ("complexity", &|id| f64::from(of(id).complexity)),
            ("hotspots", &|id| {
                f64::from(of(id).complexity * (number(id) % 11))
            }),
            ("change", &|id| f64::from(number(id) % 11)),
            ("people", &|id| f64::from(number(id) % 13)),
            ("size", &|id| f64::from(of(id).loc)),
            ("tests", &|id| f64::from(of(id).loc)),
        ];
        for (id, value) in cases {
            let preset = find(id).expect("there");
            assert!(preset.is_possible(&metrics));
            let found = preset.stand_out(&hierarchy, &metrics, Purposes::NONE);
            let mut expected: Vec<(ModuleId, f64)> = hierarchy
                .children(ModuleId::ROOT)
                .filter(|&file| number(file) % 5 != 0)
                .filter(|&file| id != "tests" || number(file) % 7 == 0)
                .map(|file| (file, value(file)))
                .collect();
            expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            expected.truncate(MOST);
            let found: Vec<_> = found.iter().map(|it| (it.module, it.value)).collect();
            assert_eq!(found, expected, "{id}");
        }
        let languages = find("languages").expect("there");
        let found = languages.stand_out(&hierarchy, &metrics, Purposes::NONE);
        assert_eq!(found.len(), 3);
        for one in found {
            let language = of(one.module).language;
            let mut same = hierarchy
                .children(ModuleId::ROOT)
                .filter(|&it| of(it).language == language && number(it) % 5 != 0);
            assert!(same.all(|it| f64::from(of(it).loc) <= one.value));
        }
    }

    #[test]
    fn each_has_an_id_of_its_own_that_finds_it() {
        for preset in &PRESETS {
            assert_eq!(find(preset.id).map(|it| it.title), Some(preset.title));
            assert!(preset.sentence.ends_with('.'), "{}", preset.sentence);
        }
        assert!(find("").is_none());
    }
}
