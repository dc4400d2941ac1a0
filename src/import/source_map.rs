//! Source maps, which say where generated JavaScript comes from. Specification: <https://tc39.es/ecma426/>, the section
//! Mappings structure, and Index source map for those that are put together of others (`sections`).

use std::collections::HashMap;

use serde::Deserialize;

use super::base64::{bytes, digit};

/// So many bytes of mappings are read of all maps of a recording: each may become a segment of 24 bytes.
const MOST_BYTES: usize = 32 << 20;

/// What a segment has no source or no name by.
const NONE: u32 = u32::MAX;

/// A map as it is written.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    source_root: Option<String>,
    #[serde(default)]
    sources: Vec<Option<String>>,
    #[serde(default)]
    names: Vec<String>,
    mappings: Option<String>,
    sections: Option<Vec<Section>>,
}

/// A part of a script, with a map of its own.
#[derive(Deserialize)]
struct Section {
    offset: Offset,
    map: Written,
}

/// Where it begins in the script.
#[derive(Default, Deserialize)]
struct Offset {
    line: u32,
    column: u32,
}

/// Where a place in a script, and what follows it, comes from. Lines and columns count from 0.
#[derive(Clone, Copy)]
struct Segment {
    at: (u32, u32),
    source: u32,
    original: (u32, u32),
    name: u32,
}

impl Segment {
    /// Converts places, sources and names from the map of a part to the whole script; none if a number overflows.
    fn moved(self, offset: &Offset, sources: u32, names: u32) -> Option<Segment> {
        let (line, column) = self.at;
        // Only the first line of a part begins elsewhere than at 0.
        let column = match line {
            0 => column.checked_add(offset.column)?,
            _ => column,
        };
        let later = |index: u32, by: u32| match index {
            NONE => Some(NONE),
            index => index.checked_add(by),
        };
        Some(Segment {
            at: (line.checked_add(offset.line)?, column),
            source: later(self.source, sources)?,
            name: later(self.name, names)?,
            ..self
        })
    }
}

/// The map of one script.
#[derive(Default)]
struct SourceMap {
    sources: Vec<String>,
    names: Vec<String>,
    /// In order of place.
    segments: Vec<Segment>,
}

/// The maps of scripts, by their URL.
#[derive(Default)]
pub(crate) struct SourceMaps {
    of: HashMap<String, SourceMap>,
    bytes: usize,
}

/// Where a function was before its script was generated. Line and column count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Original<'a> {
    pub file: &'a str,
    pub line: u32,
    pub column: u32,
    pub name: Option<&'a str>,
}

impl SourceMaps {
    /// Takes the map of the script at `url`; false where it is not read. The first of a script is kept.
    pub(crate) fn add(&mut self, url: &str, json: &[u8]) -> bool {
        let Ok(written) = serde_json::from_slice::<Written>(json) else {
            return false;
        };
        let before = self.bytes;
        let Some(map) = self.map(url, written) else {
            self.bytes = before;
            return false;
        };
        self.of.entry(url.to_owned()).or_insert(map);
        true
    }

    /// Decodes a map; none if it is too large or violates the specification.
    fn map(&mut self, url: &str, mut written: Written) -> Option<SourceMap> {
        let sections = written.sections.take().unwrap_or_else(|| {
            let offset = Offset::default();
            let map = written;
            vec![Section { offset, map }]
        });
        let mut map = SourceMap::default();
        for Section { offset, map: part } in sections {
            let mappings = part.mappings?;
            self.bytes = self.bytes.checked_add(mappings.len())?;
            if self.bytes > MOST_BYTES {
                return None;
            }
            let first = [map.sources.len(), map.names.len()].map(|it| u32::try_from(it).ok());
            let [source, name] = [first[0]?, first[1]?];
            for segment in segments(&mappings)? {
                map.segments.push(segment.moved(&offset, source, name)?);
            }
            let root = part.source_root.unwrap_or_default();
            let sources = part.sources.into_iter().map(Option::unwrap_or_default);
            map.sources
                .extend(sources.map(|it| joined(url, &root, &it)));
            map.names.extend(part.names);
        }
        map.segments.sort_by_key(|it| it.at);
        Some(map)
    }

    /// Takes the map that a `data:` URL holds; none where the URL is of another kind.
    pub(crate) fn add_inline(&mut self, url: &str, map: &str) -> Option<bool> {
        let (kind, content) = map.strip_prefix("data:")?.split_once(',')?;
        let json = kind.ends_with(";base64").then(|| bytes(content)).flatten();
        Some(json.is_some_and(|json| self.add(url, &json)))
    }

    /// Where the function `name` of a script was written, which begins at this place: behind its name, if it has one.
    pub(crate) fn original(&self, url: &str, at: (u32, u32), name: &str) -> Option<Original<'_>> {
        let map = self.of.get(url)?;
        let behind = map.segments.partition_point(|it| it.at <= at);
        let segment = map.segments.get(behind.checked_sub(1)?)?;
        if segment.at.0 != at.0 {
            return None;
        }
        // The segment may be that of a parameter or of a keyword: it names the function if it is as long as its name.
        let length = u32::try_from(name.encode_utf16().count()).ok()?;
        let is_of_name = length > 0 && segment.at.1.checked_add(length) == Some(at.1);
        Some(Original {
            file: map.sources.get(segment.source as usize)?,
            line: segment.original.0,
            column: segment.original.1,
            name: is_of_name
                .then(|| map.names.get(segment.name as usize))
                .flatten()
                .map(String::as_str),
        })
    }
}

/// The path or URL of a source, which is relative to its script.
fn joined(url: &str, root: &str, source: &str) -> String {
    let is_whole = |path: &str| path.starts_with('/') || path.contains("://");
    let source = match root {
        "" => source.to_owned(),
        _ if is_whole(source) => source.to_owned(),
        root => format!("{}/{source}", root.trim_end_matches('/')),
    };
    let origin = url.find("://").map_or(0, |at| at + 3);
    let Some(folder) = url
        .rfind('/')
        .filter(|&at| at >= origin && !is_whole(&source))
    else {
        return source;
    };
    // The host, or the root, stays.
    let first = url[origin..].find('/').map_or(0, |at| origin + at);
    let mut parts: Vec<&str> = url[first..folder].split('/').collect();
    for part in source.split('/') {
        match part {
            "." => {}
            ".." if parts.len() > 1 => drop(parts.pop()),
            ".." => {}
            part => parts.push(part),
        }
    }
    format!("{}{}", &url[..first], parts.join("/"))
}

/// The segments of mappings, in order of place; none where they are not written as the specification has it.
fn segments(mappings: &str) -> Option<Vec<Segment>> {
    let mut segments = Vec::new();
    // Source, line, column and name count on from the segment before.
    let mut before = [0_i64; 4];
    for (line, text) in mappings.split(';').enumerate() {
        let mut column = 0_i64;
        let first = segments.len();
        for text in text.split(',').filter(|text| !text.is_empty()) {
            let (fields, count) = fields(text)?;
            column = column.checked_add(fields[0])?;
            if count >= 4 {
                for (before, field) in before.iter_mut().zip(&fields[1..count]) {
                    *before = before.checked_add(*field)?;
                }
            }
            let [source, original, original_column, name] =
                before.map(|it| u32::try_from(it).unwrap_or(NONE));
            segments.push(Segment {
                at: (u32::try_from(line).ok()?, u32::try_from(column).ok()?),
                source: if count >= 4 { source } else { NONE },
                original: (original, original_column),
                name: if count == 5 { name } else { NONE },
            });
        }
        segments[first..].sort_by_key(|it| it.at);
    }
    Some(segments)
}

/// The numbers of a segment, which are 1, 4 or 5.
fn fields(text: &str) -> Option<([i64; 5], usize)> {
    let (mut fields, mut count) = ([0; 5], 0);
    let (mut number, mut shift) = (0_i64, 0);
    for byte in text.bytes() {
        let digit = i64::from(digit(byte)?);
        // No file has so many lines.
        if shift > 32 {
            return None;
        }
        number |= (digit & 31) << shift;
        shift += 5;
        if digit & 32 == 0 {
            let sign = if number & 1 == 0 { 1 } else { -1 };
            *fields.get_mut(count)? = sign * (number >> 1);
            count += 1;
            (number, shift) = (0, 0);
        }
    }
    (shift == 0 && matches!(count, 1 | 4 | 5)).then_some((fields, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_names_are_found() {
        let mut maps = SourceMaps::default();
        // `function a(b){};c=>1` from two lines.
        let json = br#"{"version":3,"sourceRoot":"","sources":["../src/x.ts"],"names":["add","n"],"mappings":"AAAA,SAASA,EAAIC;gBACA"}"#;
        assert!(maps.add("http://h/out/x.js", json));
        let found = |line, column, name| maps.original("http://h/out/x.js", (line, column), name);
        let original = |line, column, name| {
            Some(Original {
                file: "http://h/src/x.ts",
                line,
                column,
                name,
            })
        };
        assert_eq!(found(0, 10, "aa").and_then(|it| it.name), None);
        assert_eq!(found(0, 10, "a"), original(0, 9, Some("add")));
        assert_eq!(found(0, 0, ""), original(0, 0, None));
        assert_eq!(found(1, 20, ""), original(1, 13, None));
        assert_eq!(found(1, 3, ""), None);
        assert_eq!(found(7, 3, ""), None);
        assert_eq!(maps.original("http://h/other.js", (0, 0), ""), None);
    }

    #[test]
    fn maps_of_parts_are_put_together() {
        let mut maps = SourceMaps::default();
        let part = |line, column, source: &str, name: &str| {
            format!(
                r#"{{"offset":{{"line":{line},"column":{column}}},"map":{{"sources":["{source}"],"names":["{name}"],"mappings":"AACEA;CAAAA"}}}}"#
            )
        };
        let [first, second] = [part(0, 0, "a.ts", "a"), part(3, 9, "b.ts", "b")];
        let json = format!(r#"{{"version":3,"sections":[{first},{second}]}}"#);
        assert!(maps.add("/x.js", json.as_bytes()));
        let found = |line, column| {
            let found = maps.original("/x.js", (line, column), "x")?;
            Some((
                found.file.to_owned(),
                found.line,
                found.name.map(str::to_owned),
            ))
        };
        let of = |file: &str, name: &str| Some((file.to_owned(), 1, Some(name.to_owned())));
        assert_eq!(found(0, 1), of("/a.ts", "a"));
        assert_eq!(found(1, 2), of("/a.ts", "a"));
        assert_eq!(found(3, 10), of("/b.ts", "b"));
        assert_eq!(found(3, 8), None);
        assert_eq!(found(4, 2), of("/b.ts", "b"));
        for wrong in [
            "{}",
            r#"{"sections":[{"offset":{"line":0,"column":0},"map":{}}]}"#,
        ] {
            assert!(!maps.add("/y.js", wrong.as_bytes()), "{wrong}");
        }
    }

    #[test]
    fn inline_maps_are_decoded_and_damaged_ones_refused() {
        let mut maps = SourceMaps::default();
        let inline = "data:application/json;charset=utf-8;base64,eyJzb3VyY2VzIjpbImEudHMiXSwibWFwcGluZ3MiOiJBQUFBIn0=";
        assert_eq!(maps.add_inline("/a.js", inline), Some(true));
        assert_eq!(
            maps.original("/a.js", (0, 0), "").map(|it| it.file),
            Some("/a.ts")
        );
        assert_eq!(maps.add_inline("/a.js", "a.js.map"), None);
        for wrong in [
            "data:application/json;base64,****",
            "data:application/json,{}",
            "data:;base64,e30=",
        ] {
            assert_eq!(maps.add_inline("/a.js", wrong), Some(false), "{wrong}");
        }
        for wrong in ["AA", "AAAAAA", "g", "AAA*", "gggggggggB", "zzzzzzE,zzzzzzE"] {
            let json = format!(r#"{{"sources":[],"mappings":"{wrong}"}}"#);
            assert!(!maps.add("/b.js", json.as_bytes()), "{wrong}");
        }
    }

    #[test]
    fn sources_are_relative_to_their_script() {
        for (url, root, source, expected) in [
            ("http://h/a/b.js", "", "c.ts", "http://h/a/c.ts"),
            ("http://h/a/b.js", "", "../../../c.ts", "http://h/c.ts"),
            ("http://h/a/b.js", "src/", "c.ts", "http://h/a/src/c.ts"),
            (
                "http://h/a/b.js",
                "",
                "webpack://x/./c.ts",
                "webpack://x/./c.ts",
            ),
            ("http://h/a/b.js", "r", "/c.ts", "/c.ts"),
            ("http://h", "", "c.ts", "c.ts"),
            ("/a/b.js", "", "./c.ts", "/a/c.ts"),
            ("b.js", "", "c.ts", "c.ts"),
        ] {
            assert_eq!(joined(url, root, source), expected, "{url} {root} {source}");
        }
    }
}
