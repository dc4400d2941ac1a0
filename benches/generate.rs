//! Writes generated traces: `cargo bench --bench generate -- uftrace 10000000 DIR` or
//! `… -- chrome 1000000 FILE`, with `THREADS`, `FUNCTIONS` and `SEED` in the environment.

use std::io::Write;
use std::path::Path;

use callscape_testing::generate::{Plan, Program, write_chrome, write_uftrace};
use callscape_testing::timing::setting;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    let [format, calls, path] = &arguments[..] else {
        // `cargo bench` starts every bench, without arguments.
        println!("generate: (uftrace | chrome) CALLS PATH");
        return Ok(());
    };
    let program = Program::new(Plan {
        calls: calls.parse().map_err(std::io::Error::other)?,
        functions: setting("FUNCTIONS", 5000) as u32,
        threads: setting("THREADS", 4) as u32,
        seed: setting("SEED", 1),
    });
    if format == "uftrace" {
        return write_uftrace(&program, Path::new(path));
    }
    let mut out = std::io::BufWriter::new(std::fs::File::create(path)?);
    write_chrome(&program, &mut out)?;
    out.flush()
}
