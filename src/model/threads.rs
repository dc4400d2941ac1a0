//! What threads are called.

use std::collections::HashMap;

use callscape_base::escape;
use callscape_facts::trace::{Thread, Trace};

/// By thread its name as people may see it, with its id where others have the same name, and its process where they have the same id
/// too. O(threads).
pub fn thread_names(trace: &Trace) -> Vec<String> {
    let mut names: HashMap<&str, u32> = HashMap::new();
    let mut ids: HashMap<(&str, &str), u32> = HashMap::new();
    for info in trace.threads() {
        *names.entry(&info.name).or_default() += 1;
        *ids.entry((&info.name, &info.id)).or_default() += 1;
    }
    let name = |info: &Thread| {
        let mut text = match (info.name.as_str(), names[info.name.as_str()]) {
            ("", _) => format!("thread {}", info.id),
            (name, 1) => name.to_owned(),
            (name, _) => format!("{name} · {}", info.id),
        };
        if ids[&(info.name.as_str(), info.id.as_str())] > 1 && !info.process.is_empty() {
            text += " · ";
            text += &info.process;
        }
        escape::name(&text).into_owned()
    };
    trace.threads().iter().map(name).collect()
}
