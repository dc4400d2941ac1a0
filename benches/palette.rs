//! What the palette looks through at each key press: the names of `MODULES` modules (a million by default), as one types
//! a name letter by letter, held against one pass of `memmem` over all names.
//!
//! Run with `MODULES=100000 cargo bench --bench palette`. Least times of seven, in one process.

use std::time::Duration;

use callscape::facts::hierarchy::{Hierarchy, HierarchyBuilder, Module, ModuleKind, NodeId};
use callscape::model::search::Names;

use callscape_testing::measured::{Measured, amount};
use callscape_testing::random::Random;
use callscape_testing::timing::least;

const TIMES: usize = 7;

/// Names are made of these, as in a large code base.
const WORDS: [&str; 36] = [
    "get", "set", "lua", "table", "parse", "Node", "value", "index", "buffer", "stream", "open",
    "close", "render", "draw", "compute", "hash", "Map", "vector", "thread", "wait", "signal",
    "queue", "push", "pop", "insert", "erase", "find", "module", "state", "view", "camera",
    "layout", "tree", "graph", "edge", "label",
];

/// What is typed: a name letter by letter, what few names have, a qualified name and a path.
const TYPED: [&str; 12] = [
    "l",
    "lu",
    "lua",
    "luat",
    "luata",
    "luatab",
    "luatable",
    "lt",
    "xyq",
    "render_c",
    "parse.value",
    "draw/lu",
];

fn milliseconds(of: Duration) -> f64 {
    of.as_secs_f64() * 1e3
}

/// Files of twenty functions.
fn hierarchy(modules: u32, random: &mut Random) -> Hierarchy {
    let mut builder = HierarchyBuilder::new("app");
    let mut file = NodeId::ROOT;
    for number in 0..modules {
        let words = 2 + random.below(3);
        let words: Vec<&str> = (0..words)
            .map(|_| WORDS[random.below(WORDS.len() as u64) as usize])
            .collect();
        let name = format!("{}{}", words.join("_"), random.below(1000));
        if number % 21 == 0 {
            file = builder.add(NodeId::ROOT, Module::named(ModuleKind::File, &name));
        } else {
            builder.add(file, Module::named(ModuleKind::Function, &name));
        }
    }
    builder.build().0
}

fn main() {
    let modules = std::env::var("MODULES").ok();
    let modules = modules.and_then(|it| it.parse().ok()).unwrap_or(1_000_000);
    let mut random = Random(1);
    let hierarchy = hierarchy(modules, &mut random);
    let text: Vec<u8> = hierarchy
        .modules()
        .flat_map(|id| hierarchy.name(id).bytes().chain([0xff]))
        .collect();
    let names = Names::of(&hierarchy);
    println!(
        "names made ready in {:.0} ms",
        milliseconds(least(TIMES, || Names::of(&hierarchy)).0)
    );
    let mut worst = (0.0, 0.0);
    for query in TYPED {
        let found = least(TIMES, || {
            names.search(&hierarchy, query, 30, |id| id.0 % 2 == 0)
        })
        .0;
        let pass = least(TIMES, || memchr::memmem::find_iter(&text, query).count()).0;
        let (found, pass) = (milliseconds(found), milliseconds(pass));
        println!("{query}: {found:.1} ms, one pass {pass:.1} ms");
        if found > worst.0 {
            worst = (found, pass);
        }
    }
    Measured {
        target: &format!("palette: a key press, {} names", amount(u64::from(modules))),
        value: worst.0,
        unit: "ms",
        peer: Some(("one pass of memmem", worst.1)),
        aim: "≤ 16 ms",
        adapter: "",
    }
    .print();
}
