//! Scanning a source tree against tokei alone, which only counts its lines, on the same tree in the same run.
//!
//! The tree is the one that `CALLSCAPE_BENCH_TREE` names; without it the sources of this program's dependencies,
//! where Cargo keeps them, or else this repository.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use callscape::facts::hierarchy::ModuleKind;
use callscape::progress::Progress;
use callscape::source;
use callscape::units::ModuleId;
use callscape::warnings::Reporter;

fn main() {
    let tree = tree();
    let mut code = 0;
    let tokei = best_of_three(|| {
        let mut languages = tokei::Languages::new();
        languages.get_statistics(&[&tree], &[], &tokei::Config::default());
        code = languages.values().map(|language| language.code).sum();
    });
    let mut hierarchy = None;
    let scan = best_of_three(|| {
        hierarchy = source::scan(&tree, &Progress::new(), &Reporter::new()).ok();
    });
    let Some(hierarchy) = hierarchy else {
        println!("scan: {} is no source tree", tree.display());
        return;
    };
    let functions = hierarchy
        .modules()
        .filter(|id| hierarchy.kind(*id) == ModuleKind::Function)
        .count();
    println!(
        "scan: {:.2} × tokei alone ({:.0} ms against {:.0} ms; {} lines of code, {functions} functions, {code} \
         lines by tokei)",
        scan.as_secs_f64() / tokei.as_secs_f64(),
        scan.as_secs_f64() * 1e3,
        tokei.as_secs_f64() * 1e3,
        hierarchy.module(ModuleId::ROOT).loc,
    );
}

fn tree() -> PathBuf {
    if let Some(tree) = std::env::var_os("CALLSCAPE_BENCH_TREE") {
        return PathBuf::from(tree);
    }
    let cargo = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo = cargo.or_else(|| Some(dirs::home_dir()?.join(".cargo")));
    let dependencies = cargo.map(|cargo| cargo.join("registry/src"));
    dependencies
        .filter(|tree| tree.is_dir())
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")))
}

fn best_of_three(mut work: impl FnMut()) -> Duration {
    let mut times = [Duration::ZERO; 3];
    for time in &mut times {
        let start = Instant::now();
        work();
        *time = start.elapsed();
    }
    times.into_iter().min().unwrap_or_default()
}
