//! Mapping files: those of the papers' figures applied to recordings with their packages, and sessions regrouped.

use std::collections::{BTreeMap, BTreeSet};

use callscape::analysis::mapping::Mapping;
use callscape::analysis::mapping::regroup::{Regrouped, assign, regroup};
use callscape::analysis::resolve::resolve;
use callscape::analysis::session::{Resolved, Session};
use callscape::facts::builder::{Timestamp, TraceBuilder};
use callscape::facts::functions::Function;
use callscape::facts::hierarchy::{Hierarchy, HierarchyBuilder, Module, ModuleKind, NodeId};
use callscape::facts::recording::{Recording, RecordingKind};
use callscape::filter::cut::Cut;
use callscape::model::landscape::LandscapeSettings;
use callscape::progress::Progress;
use callscape::state::city::City;
use callscape::units::ModuleId;
use callscape::warnings::{Place, Reporter};

use crate::common::{Random, output as run};

/// Murphy et al., figure 1: JHotDraw.
const FIGURE_1: &str = "\
category JHD-framework class CH.ifa.draw.framework.*
category JHD-standard class CH.ifa.draw.standard.*
category JHD-figures class CH.ifa.draw.figures.*
category JHD-util class CH.ifa.draw.util.*
category JARP class edu.lcmi.petri.*
";

/// Figure 4: the file system accesses of the Java tools of Eclipse.
pub const FIGURE_4: &str = "\
category JavaProject class org.eclipse.jdt.internal.core.JavaProject
category JDT-CORE class org.eclipse.jdt.core.*
category JDT-CORE class org.eclipse.internal.jdt.core.*
category JDT-UI class org.eclipse.jdt.ui.*
category JDT-UI class org.eclipse.internal.jdt.ui.*
category CORE class org.eclipse.core.*
category CORE class org.eclipse.pde.*
category JDK class java.*
";

/// Figure 6: importing a project.
pub const FIGURE_6: &str = "\
category ImportWizard class org.eclipse.ui.wizards.datatransfer.*
category UI class org.eclipse.ui.*
category Path class org.eclipse.core.runtime.Path
category Runtime class org.eclipse.core.runtime.*
category Runtime class org.eclipse.internal.runtime.*
category JDK class java.*
";

/// A session of a recording alone in which each of `names` calls the next.
fn session_of(source: &Hierarchy, names: &[&str]) -> Session {
    let reporter = Reporter::new();
    let place = || Place::file("made here");
    let mut trace = TraceBuilder::new(&reporter);
    let thread = trace.thread("1", "1");
    for (index, name) in names.iter().enumerate() {
        let function = trace.function(Function {
            name,
            ..Function::default()
        });
        let start = Timestamp::from_ns(index as i64 * 10);
        trace.enter(thread, start, function, place);
    }
    for index in (0..names.len()).rev() {
        let end = Timestamp::from_ns(100_000 - index as i64 * 10);
        trace.exit(thread, end, None, place);
    }
    let (functions, trace) = trace.finish(place);
    let (hierarchy, resolutions) = resolve(source, &[&functions]);
    let recording = Recording {
        path: "made here".into(),
        format: "chrome-json",
        kind: RecordingKind::Trace,
        functions,
        trace,
        profile: None,
        weighed: None,
        memory: None,
        lines: None,
        sampling: None,
        left_out: None,
        gaps: callscape::facts::gaps::Gaps::default(),
        failed: Vec::new(),
        played: None,
        revision: None,
        samples: 0,
        warnings: Vec::new(),
    };
    let recording = std::sync::Arc::new(recording);
    let resolved = resolutions.into_iter().map(|resolution| Resolved {
        recording: recording.clone(),
        resolution,
    });
    Session {
        source_dir: None,
        hierarchy,
        recordings: resolved.collect(),
        source_warnings: Vec::new(),
        named: Default::default(),
    }
}

fn nothing() -> Hierarchy {
    HierarchyBuilder::new("root").build().0
}

fn through(session: &Session, text: &str) -> Regrouped {
    let mapping = Mapping::read(text, "map").expect("a mapping");
    let assignment = assign(session, &mapping, &Progress::new()).expect("not cancelled");
    regroup(session, &mapping, assignment)
}

/// By recorded function: the name of the district that it stands in; none when it is left out.
fn districts(regrouped: &Regrouped) -> BTreeMap<String, Option<String>> {
    let Resolved {
        recording,
        resolution,
    } = &regrouped.session.recordings[0];
    let hierarchy = &regrouped.session.hierarchy;
    let of = |module: ModuleId| {
        let ancestors: Vec<ModuleId> = hierarchy.ancestors(module).collect();
        let district = ancestors[ancestors.len() - 2];
        (Some(district) != regrouped.left_out).then(|| hierarchy.name(district).to_owned())
    };
    let functions = &recording.functions;
    let named = functions.ids().zip(&resolution.modules);
    named
        .map(|(id, &module)| (functions.get(id).name.to_owned(), of(module)))
        .collect()
}

fn check(text: &str, expected: &[(&str, Option<&str>)]) -> Regrouped {
    let names: Vec<&str> = expected.iter().map(|(name, _)| *name).collect();
    let session = session_of(&nothing(), &names);
    let regrouped = through(&session, text);
    let found = districts(&regrouped);
    for (name, district) in expected {
        assert_eq!(found[*name].as_deref(), *district, "{name}");
    }
    regrouped
}

#[test]
fn figure_1_maps_a_drawing_editor() {
    let regrouped = check(
        FIGURE_1,
        &[
            ("edu.lcmi.petri.PetriEditor.main", Some("JARP")),
            ("CH.ifa.draw.framework.Drawing.add", Some("JHD-framework")),
            (
                "CH.ifa.draw.standard.StandardDrawingView.paint",
                Some("JHD-standard"),
            ),
            (
                "CH.ifa.draw.figures.RectangleFigure.draw",
                Some("JHD-figures"),
            ),
            ("CH.ifa.draw.util.Geom.angle", Some("JHD-util")),
            ("CH.ifa.draw.applet.DrawApplet.init", None),
            ("java.awt.Graphics.drawLine", None),
        ],
    );
    assert_eq!(regrouped.assignment.taken, [1, 1, 1, 1, 1]);
    assert_eq!(regrouped.assignment.unmatched.len(), 2);
}

#[test]
fn figure_4_takes_the_class_before_its_package() {
    let regrouped = check(
        FIGURE_4,
        &[
            ("org.eclipse.jdt.ui.JavaUI.open", Some("JDT-UI")),
            (
                "org.eclipse.jdt.internal.core.JavaProject.getPath",
                Some("JavaProject"),
            ),
            ("org.eclipse.jdt.internal.core.JavaModel.getPath", None),
            ("org.eclipse.jdt.core.JavaCore.create", Some("JDT-CORE")),
            (
                "org.eclipse.internal.jdt.core.Index.query",
                Some("JDT-CORE"),
            ),
            ("org.eclipse.internal.jdt.ui.Viewer.refresh", Some("JDT-UI")),
            ("org.eclipse.core.resources.File.exists", Some("CORE")),
            ("org.eclipse.pde.Plugin.start", Some("CORE")),
            ("java.io.File.exists", Some("JDK")),
            ("javax.swing.JFrame.show", None),
        ],
    );
    assert_eq!(regrouped.assignment.taken, [1, 1, 1, 1, 1, 1, 1, 1]);
    let names = ["JavaProject", "JDT-CORE", "JDT-UI", "CORE", "JDK"];
    let hierarchy = &regrouped.session.hierarchy;
    let districts: Vec<&str> = hierarchy
        .children(ModuleId::ROOT)
        .filter(|&id| hierarchy.kind(id) == ModuleKind::Entity)
        .map(|id| hierarchy.name(id))
        .collect();
    assert_eq!(districts, names, "in order of their first entries");
}

#[test]
fn figure_6_maps_the_wizard_apart_from_the_user_interface() {
    let regrouped = check(
        FIGURE_6,
        &[
            (
                "org.eclipse.ui.wizards.datatransfer.ImportOperation.run",
                Some("ImportWizard"),
            ),
            ("org.eclipse.ui.Workbench.run", Some("UI")),
            ("org.eclipse.core.runtime.Path.append", Some("Path")),
            ("org.eclipse.core.runtime.Platform.run", Some("Runtime")),
            ("java.util.Vector.add", Some("JDK")),
            ("org.eclipse.swt.Shell.open", None),
        ],
    );
    // org.eclipse.internal.runtime does not occur.
    assert_eq!(regrouped.assignment.taken, [1, 1, 1, 1, 0, 1]);
}

#[test]
fn a_final_catch_all_leaves_nothing_out() {
    let session = session_of(&nothing(), &["a.B.f", "main", "std::sort", "<module>"]);
    let regrouped = through(&session, "A class a.*\ncategory default class *\n");
    assert_eq!(regrouped.left_out, None);
    assert!(regrouped.assignment.unmatched.is_empty());
    assert_eq!(regrouped.assignment.taken, [1, 3]);
}

#[test]
fn an_entity_keeps_the_inner_structure_of_what_it_holds() {
    let names = [
        "org.eclipse.jdt.core.dom.Parser.parse",
        "org.eclipse.jdt.core.dom.Parser.next",
        "org.eclipse.jdt.core.JavaCore.create",
    ];
    let regrouped = through(&session_of(&nothing(), &names), FIGURE_4);
    let hierarchy = &regrouped.session.hierarchy;
    let mut paths: Vec<String> = hierarchy.modules().map(|id| hierarchy.path(id)).collect();
    paths.sort();
    assert_eq!(
        paths,
        [
            "JDT-CORE",
            "JDT-CORE/JavaCore",
            "JDT-CORE/JavaCore/create",
            "JDT-CORE/dom",
            "JDT-CORE/dom/Parser",
            "JDT-CORE/dom/Parser/next",
            "JDT-CORE/dom/Parser/parse",
            "root",
        ]
    );
}

/// A source tree of random files and functions, and the names of some of its functions.
fn random_source(seed: u64) -> (Hierarchy, Vec<String>) {
    let mut random = Random(seed);
    let mut builder = HierarchyBuilder::new("app");
    let mut names = Vec::new();
    let mut total = 0;
    for directory in 0..1 + random.below(5) {
        let name = format!("d{directory}");
        let node = builder.add(NodeId::ROOT, Module::named(ModuleKind::Directory, &name));
        let before = total;
        for file in 0..random.below(5) {
            let name = format!("f{file}.py");
            let file_node = builder.add(node, Module::named(ModuleKind::File, &name));
            let mut loc = random.below(5) as u32;
            for function in 0..random.below(6) {
                let own = format!("fn{directory}{file}{function}");
                let lines = 1 + random.below(40) as u32;
                loc += lines;
                let module = Module {
                    loc: lines,
                    functions: 1,
                    ..Module::named(ModuleKind::Function, &own)
                };
                builder.add(file_node, module);
                if random.below(2) == 0 {
                    names.push(own);
                }
            }
            total += loc;
            let module = Module {
                loc,
                bytes: u64::from(loc) * 30,
                ..Module::named(ModuleKind::File, &name)
            };
            builder.set(file_node, module);
        }
        let module = Module {
            loc: total - before,
            ..Module::named(ModuleKind::Directory, &name)
        };
        builder.set(node, module);
    }
    let root = Module {
        loc: total,
        ..Module::named(ModuleKind::Root, "app")
    };
    builder.set(NodeId::ROOT, root);
    names.push("elsewhere".to_owned());
    (builder.build().0, names)
}

#[test]
fn every_function_stands_in_its_entity_and_sizes_add_up() {
    for seed in 0..60 {
        let (source, names) = random_source(seed);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let session = session_of(&source, &names);
        let mut random = Random(seed ^ 0xabc);
        let mut text = String::new();
        for entry in 0..1 + random.below(5) {
            let entity = random.below(3);
            let (directory, file, digit) = (random.below(5), random.below(5), random.below(6));
            let condition = match random.below(5) {
                0 => format!("file /d{directory}/*"),
                1 => format!("package d{directory}"),
                2 => format!("method fn{directory}{file}*"),
                3 => format!("method ~{digit}$ class *"),
                _ => format!("file f{file}.py method ~[0-{digit}]$"),
            };
            text += &format!("category E{entity} {condition}\n# {entry}\n");
        }
        let mapping = Mapping::read(&text, "map").expect("a mapping");
        let regrouped = through(&session, &text);
        let hierarchy = &regrouped.session.hierarchy;

        // Each recorded function stands where the mapping says.
        let Resolved {
            recording,
            resolution,
        } = &session.recordings[0];
        let mapped = mapping.apply(
            &recording.functions,
            &session.hierarchy,
            &resolution.modules,
        );
        let found = districts(&regrouped);
        for (id, entity) in recording.functions.ids().zip(&mapped.entities) {
            let name = recording.functions.get(id).name;
            let expected = entity.map(|entity| mapping.entities()[entity].clone());
            assert_eq!(found[name], expected, "seed {seed}: {name}\n{text}");
        }
        // Each leaf of the structure stands in one place, under its own name, and nothing else is there.
        let leaves = |hierarchy: &Hierarchy| -> Vec<String> {
            let leaves = hierarchy.modules().filter(|&id| hierarchy.is_leaf(id));
            let mut names: Vec<String> = leaves.map(|id| hierarchy.name(id).to_owned()).collect();
            names.sort();
            names
        };
        // A directory without files is no function and stays out.
        assert_eq!(
            leaves(hierarchy),
            leaves(&session.hierarchy),
            "seed {seed}\n{text}"
        );
        for (index, &origin) in regrouped.origins.iter().enumerate() {
            if origin != ModuleId::ROOT {
                let name = hierarchy.name(ModuleId(index as u32));
                assert_eq!(name, session.hierarchy.name(origin));
            }
        }
        // A module holds at least what it is made of.
        for id in hierarchy.modules() {
            let sum: u64 = hierarchy
                .children(id)
                .filter(|&child| Some(child) != regrouped.left_out)
                .map(|child| u64::from(hierarchy.module(child).loc))
                .sum();
            assert!(u64::from(hierarchy.module(id).loc) >= sum, "seed {seed}");
        }
        // What is left out has no block.
        let settings = LandscapeSettings::default();
        let cut = Cut::all().hiding(regrouped.left_out);
        let view = City::new(&regrouped.session, &settings, &cut);
        let shown: BTreeSet<ModuleId> = view.blocks().iter().map(|block| block.module).collect();
        for id in hierarchy.modules() {
            let is_left_out = regrouped
                .left_out
                .is_some_and(|district| hierarchy.contains(district, id));
            assert_eq!(shown.contains(&id), !is_left_out, "seed {seed}");
            assert_eq!(view.bounds(id).is_some(), !is_left_out, "seed {seed}");
        }
    }
}

#[test]
fn packages_below_a_source_root_are_named_without_it() {
    let mut builder = HierarchyBuilder::new("app");
    let mut node = NodeId::ROOT;
    for name in ["core", "src", "main", "java", "org", "eclipse"] {
        node = builder.add(node, Module::named(ModuleKind::Directory, name));
    }
    let file = builder.add(node, Module::named(ModuleKind::File, "Project.java"));
    let class = builder.add(file, Module::named(ModuleKind::Class, "Project"));
    builder.add(class, Module::named(ModuleKind::Function, "open"));
    let (hierarchy, _) = builder.build();
    let session = session_of(&hierarchy, &[]);
    for (entry, matches) in [
        ("class org.eclipse.*", true),
        ("class org.eclipse.Project", true),
        ("class eclipse.*", false),
        ("package org.eclipse", true),
        ("class core.src.main.java.org.eclipse.Project", true),
        ("class Project method open", true),
        ("method Project.open", true),
        ("file /core/*.java", true),
        ("file /src/*", false),
    ] {
        let regrouped = through(&session, &format!("X {entry}"));
        assert_eq!(regrouped.assignment.taken, [u64::from(matches)], "{entry}");
    }
}

/// A folder with a tree of two directories, functions in each, and beside it a recording with both.
fn small_tree(name: &str) -> std::path::PathBuf {
    let dir = std::env::temp_dir().join(format!("callscape-mapping-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    for (file, text) in [
        ("core/engine.py", "def start():\n    return 1\n"),
        (
            "ui/window.py",
            "def show():\n    return 2\n\n\ndef hide():\n    return 3\n",
        ),
    ] {
        let path = dir.join("tree").join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    let events = r#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":9,"name":"show (ui/window.py:1)"},
        {"ph":"X","pid":1,"tid":1,"ts":1,"dur":5,"name":"start (core/engine.py:1)"}]"#;
    std::fs::write(dir.join("trace.json"), events).expect("a file");
    dir
}

#[test]
fn a_starting_mapping_is_written_and_can_be_applied() {
    let dir = small_tree("start");
    let map = dir.join("start.map");
    let (dir_text, map_text) = (
        dir.join("tree").display().to_string(),
        map.display().to_string(),
    );
    let output = run(&["map", &dir_text, "-o", &map_text]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mapping = Mapping::open(&map).expect("a mapping");
    assert_eq!(mapping.entities(), ["core", "ui"]);
    let again = run(&["map", &dir_text, "-o", &map_text]);
    assert!(!again.status.success(), "it is not written over");
    let trace = dir.join("trace.json").display().to_string();
    let output = run(&[
        "graph", &trace, "--source", &dir_text, "--map", &map_text, "--json",
    ]);
    let graph: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(graph["modules"], serde_json::json!(["core", "ui"]));
    assert_eq!(graph["relations"][0]["from"], "ui");
    assert_eq!(graph["relations"][0]["to"], "core");
    let output = run(&[
        "functions",
        &trace,
        "--source",
        &dir_text,
        "--map",
        &map_text,
        "--json",
    ]);
    let functions: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(functions[0]["module"], "ui/show");
    std::fs::write(&map, "UI file /ui/*\nNEVER class x.*\n").expect("a file");
    let output = run(&[
        "functions",
        &trace,
        "--source",
        &dir_text,
        "--map",
        &map_text,
        "--json",
    ]);
    let functions: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(functions.as_array().map(Vec::len), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("no entry matches core/engine.py/start"),
        "{said}"
    );
    assert!(said.contains("line 2: matches no function"), "{said}");
    let _ = std::fs::remove_dir_all(&dir);
}

#[test]
fn a_mapping_file_that_cannot_be_read_is_refused_with_its_place() {
    let dir = small_tree("refused");
    let map = dir.join("wrong.map");
    let trace = dir.join("trace.json").display().to_string();
    for (bytes, message) in [
        (
            &b"category A\n"[..],
            "wrong.map, line 1, column 11: expected class, method, file or package",
        ),
        (
            b"A class \xff\n",
            "wrong.map, byte 8: expected text in UTF-8",
        ),
        (
            &vec![b'#'; 2 << 20],
            "expected a mapping file of at most 1024 KiB",
        ),
    ] {
        std::fs::write(&map, bytes).expect("a file");
        let output = run(&["graph", &trace, "--map", &map.display().to_string()]);
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(message), "{said}");
    }
    let _ = std::fs::remove_dir_all(&dir);
}
