//! The two case studies of the paper on AVID with sampling (section 3) on traces made to have their features, with its
//! own mapping files. Counts of the second study are a tenth of the paper's.
//!
//! A. Chan, R. Holmes, G. C. Murphy, A. T. T. Ying, "Scaling an object-oriented system execution visualizer through
//! sampling", IWPC 2003.

use super::*;
use crate::mapping::{FIGURE_4, FIGURE_6};

const CORE: [&str; 3] = [
    "org.eclipse.jdt.core.JavaCore.create",
    "org.eclipse.jdt.core.ElementChangedEvent.getDelta",
    "org.eclipse.internal.jdt.core.DeltaProcessor.elementAdded",
];
const PROJECT: [&str; 3] = [
    "org.eclipse.jdt.internal.core.JavaProject.getResolvedClasspath",
    "org.eclipse.jdt.internal.core.JavaProject.getPackageFragmentRoots",
    "org.eclipse.jdt.internal.core.JavaProject.saveClasspath",
];
const LIBRARY: [&str; 3] = [
    "java.lang.String.substring",
    "java.util.StringTokenizer.nextToken",
    "java.util.Vector.elementAt",
];
const NEW: [&str; 2] = ["java.lang.String.<init>", "java.util.Vector.<init>"];
const PATH: [&str; 3] = [
    "org.eclipse.core.runtime.Path.segment",
    "org.eclipse.core.runtime.Path.append",
    "org.eclipse.core.runtime.Path.removeFirstSegments",
];
const WIZARD: &str = "org.eclipse.ui.wizards.datatransfer.ImportOperation.importFiles";
const RUNTIME: &str = "org.eclipse.core.runtime.Workspace.create";

/// A program as it runs: one thread, whole microseconds.
struct Program {
    random: Random,
    now: u64,
    begun: Vec<(String, u64)>,
    events: Vec<Value>,
}

impl Program {
    fn new(seed: u64) -> Program {
        Program {
            random: Random(seed),
            now: 0,
            begun: Vec::new(),
            events: Vec::new(),
        }
    }

    fn begin(&mut self, name: &str) {
        self.now += 1;
        self.begun.push((name.to_owned(), self.now));
    }

    fn end(&mut self) {
        self.now += 1;
        let (name, start) = self.begun.pop().expect("a call has begun");
        self.events.push(
            json!({"ph": "X", "pid": 1, "tid": 1, "ts": start, "dur": self.now - start, "name": name}),
        );
    }

    fn any(&mut self, of: &[&'static str]) -> &'static str {
        of[self.random.below(of.len() as u64) as usize]
    }

    /// A call of one of `of` that does nothing but call `each` so many times one of some others.
    fn call(&mut self, of: &[&'static str], below: &[(&[&'static str], u64)]) {
        let name = self.any(of);
        self.begin(name);
        for &(others, count) in below {
            for _ in 0..count {
                let other = self.any(others);
                self.begin(other);
                self.end();
            }
        }
        self.end();
    }

    fn write(self, scratch: &Scratch, name: &str) -> std::path::PathBuf {
        let document = json!({"traceEvents": self.events});
        scratch.write(name, document.to_string().as_bytes())
    }
}

/// JDT-CORE calls JavaProject so many times before JDT-UI calls it, and so many times after; then JDT-UI does once
/// more, or not.
fn filesystem(seed: u64, before: u64, after: u64, is_again: bool) -> Program {
    let mut program = Program::new(seed);
    program.begin("org.eclipse.core.launcher.Main.run");
    let of_core = |program: &mut Program, calls: u64| {
        for _ in 0..calls {
            let name = program.any(&CORE);
            program.begin(name);
            program.call(&PROJECT, &[(&LIBRARY, 3)]);
            program.end();
        }
    };
    of_core(&mut program, before);
    program.begin("org.eclipse.jdt.ui.JavaElementContentProvider.processDelta");
    program.call(&CORE, &[(&LIBRARY, 2)]);
    program.end();
    of_core(&mut program, after);
    if is_again {
        program.begin("org.eclipse.jdt.ui.JavaElementContentProvider.processDelta");
        program.call(&CORE, &[(&LIBRARY, 5)]);
        program.end();
    }
    program.end();
    program
}

impl Program {
    /// So many calls of Path, which share `library` calls of the JDK, of which `objects` allocate.
    fn paths(&mut self, times: u64, library: u64, objects: u64) {
        for number in 0..times {
            let share = |of: u64| of / times + u64::from(number < of % times);
            let (all, new) = (share(library), share(objects));
            self.call(&PATH, &[(&LIBRARY, all - new), (&NEW, new)]);
        }
    }

    /// The runtime creates a file.
    fn create(&mut self, paths: u64, library: u64, objects: u64) {
        self.begin(RUNTIME);
        self.paths(paths, library, objects);
        self.end();
    }

    /// The time is a third of all, at `earliest`; what follows comes after a pause.
    fn third(&mut self, earliest: u64) -> u64 {
        self.now = self.now.max(earliest);
        let third = self.now;
        self.now += third / 50;
        third
    }

    /// Ends what is open at three times `third`.
    fn finish(mut self, third: u64) -> Program {
        assert!(self.now < 3 * third, "the last stage is too long");
        self.now = 3 * third;
        while !self.begun.is_empty() {
            self.end();
        }
        self
    }
}

/// Every access to a path parses it.
fn unoptimized_import() -> Program {
    let mut program = Program::new(21);
    program.begin("org.eclipse.ui.Workbench.run");
    program.begin(WIZARD);
    program.paths(4, 62, 10);
    program.create(800, 15_944 - 62, 2_100 - 10);
    let third = program.third(0);
    program.paths(188 - 4, 25_337 - 15_944, 11_400 - 2_100);
    program.finish(third)
}

/// Paths hold their segments.
fn optimized_import() -> Program {
    let mut program = Program::new(22);
    program.begin("org.eclipse.ui.Workbench.run");
    let wizard = |program: &mut Program, paths: u64, library: u64, objects: u64| {
        program.begin(WIZARD);
        program.create(0, 0, 0);
        program.paths(paths, library, objects);
        program.end();
    };
    wizard(&mut program, 0, 0, 0);
    for number in 0..10 {
        let is_last = number == 9;
        let (library, objects) = if is_last { (48, 14) } else { (43, 13) };
        wizard(&mut program, 3, library, objects);
    }
    wizard(&mut program, 0, 0, 0);
    let third = program.third(20_000);
    for number in 0..6 {
        let share = |of: u64| of / 6 + u64::from(number < of % 6);
        wizard(
            &mut program,
            share(115 - 30),
            share(13_752 - 435),
            share(2_294 - 131),
        );
    }
    program.finish(third)
}

fn relation(document: &Value, from: &str, to: &str) -> [u64; 2] {
    let rows = document["relations"].as_array().expect("a list");
    let found = rows
        .iter()
        .find(|row| row["from"] == from && row["to"] == to);
    let calls = |side: &str| found.map_or(0, |row| row[side]["calls"].as_u64().expect("a number"));
    ["a", "b"].map(calls)
}

#[test]
fn the_filesystem_is_accessed_too_often() {
    let scratch = Scratch::new("filesystem");
    let a = filesystem(11, 20, 51, true).write(&scratch, "20020125.json");
    let b = filesystem(12, 19, 23, false).write(&scratch, "20020521.json");
    let map = scratch.write("filesystem.map", FIGURE_4.as_bytes());
    let asked = |more: &[&str]| {
        let mut arguments = vec![text(&a), text(&b), "--map", text(&map)];
        arguments.extend(more);
        document(&arguments)
    };
    let of_project = |found: &Value| relation(found, "JDT-CORE", "JavaProject");
    let of_ui = |found: &Value| relation(found, "JDT-UI", "JDT-CORE");
    let whole = asked(&[]);
    assert_eq!((of_project(&whole), of_ui(&whole)), ([71, 42], [2, 1]));
    // F-1, before any call of JDT-UI.
    let before = asked(&["--to", "JDT-UI -> *"]);
    assert_eq!((of_project(&before), of_ui(&before)), ([20, 19], [0, 0]));
    // F-2, after JDT-UI has called JDT-CORE.
    let after = asked(&["--from", "JDT-UI -> JDT-CORE"]);
    assert_eq!((of_project(&after), of_ui(&after)), ([51, 23], [2, 1]));
    // F-3, the second call, and nothing of JavaProject after it.
    let again = asked(&["--from", "JDT-UI -> JDT-CORE#2"]);
    assert_eq!((of_project(&again), of_ui(&again)), ([0, 0], [1, 0]));
    let between = asked(&[
        "--from",
        "JDT-UI -> JDT-CORE",
        "--to",
        "JDT-UI -> JDT-CORE#2",
    ]);
    assert_eq!(of_project(&between), [51, 23]);
    // What differs most is what the study is about.
    let most = asked(&["--sort", "calls"]);
    let module = &most["modules"][0];
    assert_eq!(module["module"], "JDK");
    let called = relation(&most, "JavaProject", "JDK");
    assert_eq!(called, [213, 126]);
    let wrong = run(&[
        text(&a),
        text(&b),
        "--map",
        text(&map),
        "--from",
        "JDT-IU -> *",
    ]);
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.err.contains("called JDT-IU"), "{}", wrong.err);
    let wrong = run(&[text(&a), text(&b), "--from", "JDT-UI"]);
    assert_eq!(wrong.code, Some(2));
    let none = run(&[
        text(&a),
        text(&b),
        "--map",
        text(&map),
        "--from",
        "JDT-UI -> CORE#9",
    ]);
    assert_eq!(none.code, Some(1), "{}", none.err);
}

#[test]
fn an_import_parses_its_paths_again_and_again() {
    let scratch = Scratch::new("import");
    let a = unoptimized_import().write(&scratch, "0.107.json");
    let b = optimized_import().write(&scratch, "0.137.json");
    // What allocates objects is an entity of its own.
    let objects = "category Objects class java.* method <init>\ncategory JDK";
    let map = FIGURE_6.replace("category JDK", objects);
    let map = scratch.write("import.map", map.as_bytes());
    let counts = |more: &[&str]| {
        let mut arguments = vec![text(&a), text(&b), "--map", text(&map)];
        arguments.extend(more);
        let found = document(&arguments);
        let of = |from: &str, to: &str| relation(&found, from, to);
        let (library, objects) = (of("Path", "JDK"), of("Path", "Objects"));
        [
            of("UI", "ImportWizard"),
            of("ImportWizard", "Path"),
            [library[0] + objects[0], library[1] + objects[1]],
            objects,
        ]
    };
    // F-1, when the wizard is called: before it has the first file created.
    let called = counts(&["--to", "ImportWizard -> Runtime"]);
    assert_eq!(called[1..3], [[4, 0], [62, 0]]);
    // F-2, a third of the way through.
    let third = counts(&["--to", "33.4%"]);
    assert_eq!(third, [[1, 12], [4, 30], [15_944, 435], [2_100, 131]]);
    // F-3, at the end.
    assert_eq!(
        counts(&[]),
        [[1, 18], [188, 115], [25_337, 13_752], [11_400, 2_294]]
    );
}
