//! Functions that are chosen by a file: by the entities of a mapping, or by findings about an earlier recording.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::chosen_files::{Resolved, place};
use super::run::Wish;
use callscape_analysis::mapping::Mapping;
use callscape_import::demangle::demangle;

/// By symbol, whether its function is in a set: `FILE` or `FILE:NAME`, of a mapping file with the entity of this name, of
/// what `callscape findings --json` wrote with this kind of findings. The tree of the wish tells the files of functions.
pub(crate) fn of_set(symbols: &[String], set: &str, wish: &Wish) -> Result<Vec<bool>, String> {
    let (path, part) = match (place(set, wish), set.rsplit_once(':')) {
        (Err(_), Some((path, part))) => (place(path, wish)?, Some(part)),
        (path, _) => (path?, None),
    };
    let text = Mapping::text(&path).map_err(|error| error.to_string())?;
    match text.trim_start().starts_with('{') {
        true => of_findings(symbols, &text, &path, part),
        false => of_mapping(symbols, (&text, &path), part, wish),
    }
}

fn of_mapping(
    symbols: &[String],
    (text, path): (&str, &Path),
    part: Option<&str>,
    wish: &Wish,
) -> Result<Vec<bool>, String> {
    let file = path.display().to_string();
    let mapping = Mapping::read(text, &file).map_err(|error| error.to_string())?;
    let entities = mapping.entities();
    let wanted = part.map(|name| {
        let known = entities.iter().position(|it| it == name);
        known.ok_or_else(|| unknown(&file, "entity", entities.iter().map(String::as_str), name))
    });
    let wanted = wanted.transpose()?;
    let resolved = Resolved::of(symbols, wish.source.as_deref())?;
    let mapped = mapping.apply(
        &resolved.functions,
        &resolved.hierarchy,
        &resolved.resolution.modules,
    );
    let is_wanted =
        |entity: Option<usize>| entity.is_some() && (wanted.is_none() || entity == wanted);
    let entities = resolved.ids.iter().map(|id| mapped.entities[id.index()]);
    Ok(entities.map(is_wanted).collect())
}

fn of_findings(
    symbols: &[String],
    text: &str,
    path: &Path,
    part: Option<&str>,
) -> Result<Vec<bool>, String> {
    let file = path.display();
    let read: Value = serde_json::from_str(text).map_err(|error| format!("{file}: {error}"))?;
    let Some(findings) = read["findings"].as_array() else {
        return Err(format!(
            "{file}: expected a mapping file or the output of `callscape findings --json`, found other JSON"
        ));
    };
    let kind = |it: &Value| it["kind"].as_str().unwrap_or_default().to_owned();
    let kinds: BTreeSet<String> = findings.iter().map(kind).collect();
    if let Some(part) = part.filter(|it| !kinds.contains(*it)) {
        let kinds = kinds.iter().map(String::as_str);
        return Err(unknown(&file.to_string(), "kind of findings", kinds, part));
    }
    let wanted = findings
        .iter()
        .filter(|it| part.is_none_or(|part| kind(it) == part));
    let lists = wanted.filter_map(|it| it["functions"].as_array());
    let names: BTreeSet<&str> = lists.flatten().filter_map(Value::as_str).collect();
    let is_wanted = |symbol: &String| {
        names.contains(symbol.as_str()) || names.contains(demangle(symbol).as_str())
    };
    Ok(symbols.iter().map(is_wanted).collect())
}

/// What is said of a part that a file does not have.
fn unknown<'a>(file: &str, of: &str, known: impl Iterator<Item = &'a str>, found: &str) -> String {
    let known: Vec<&str> = known.collect();
    format!(
        "{file}: expected one {of} ({}), found '{found}'",
        known.join(", ")
    )
}
