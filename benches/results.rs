//! Keeps the results of the benches: adds what they printed to `results.csv` and makes `RESULTS.md` from it.
//!
//! `./x bench --record` runs it. `cargo bench --bench results` alone makes `RESULTS.md` anew, after a row was written into
//! `results.csv` by hand; `cargo bench --bench results -- LOG MACHINE DATE COMMIT` adds the figures in LOG first.

use std::path::Path;

use anyhow::Context;
use callscape_testing::results as table;

fn main() -> anyhow::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches");
    let (csv, page) = (folder.join("results.csv"), folder.join("RESULTS.md"));
    let kept = std::fs::read_to_string(&csv).with_context(|| csv.display().to_string())?;
    let mut rows = table::rows(&kept)?;
    // Cargo passes --bench too.
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|it| it != "--bench")
        .collect();
    if let [log, machine, date, commit] = &arguments[..] {
        let text = std::fs::read_to_string(log).with_context(|| log.clone())?;
        let run = table::Run {
            machine,
            date,
            commit,
        };
        let found = table::printed(&text, &run)?;
        println!("{} figures recorded", found.len());
        rows.extend(found);
        std::fs::write(&csv, table::to_csv(&rows)?)?;
    }
    std::fs::write(&page, table::markdown(&rows))?;
    Ok(())
}
