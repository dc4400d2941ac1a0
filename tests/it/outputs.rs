//! Through the public interface: what is written is written, to whatever it goes, and what could not be is told; whoever
//! is killed or has the ground pulled away meanwhile harms nothing.

#[cfg(unix)]
mod cut;
#[cfg(unix)]
mod devices;
#[cfg(unix)]
mod killed;
#[cfg(unix)]
mod messages;

use std::path::{Path, PathBuf};

use super::common::{self, Random, Scratch};

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of text")
}

fn sample() -> PathBuf {
    common::data("import/toml-threads.viztracer.json")
}

/// Writes a recording of this many calls, none within another.
fn recording(scratch: &Scratch, name: &str, calls: u64) -> PathBuf {
    let event = |call: u64| {
        let (start, function) = (call * 3, call * call % 257);
        format!(r#"{{"ph":"X","pid":1,"tid":1,"ts":{start},"dur":2,"name":"f{function}"}}"#)
    };
    let events: Vec<String> = (0..calls).map(event).collect();
    scratch.write(name, format!("[{}]", events.join(",\n")).as_bytes())
}
