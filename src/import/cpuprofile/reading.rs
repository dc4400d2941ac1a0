//! Reads a profile, or a part of one, from JSON.

use std::rc::Rc;

use super::profile::{NO_NODE, NO_TIME, Node, Profile};
use crate::decimal::Unit;
use crate::document::{Document, Next};
use crate::error::ImportError;
use crate::source_map::SourceMaps;
use callscape_base::units::FunctionId;
use callscape_facts::builder::TraceBuilder;
use callscape_facts::functions::Function;

/// A node while it is read, and where its function stands.
struct Reading {
    index: usize,
    /// Its children come next.
    in_children: bool,
    name: String,
    url: String,
    /// From 0; none where unknown.
    line: Option<u32>,
    column: Option<u32>,
}

impl Reading {
    /// The function, and whether its place is that of a source map.
    fn function(&self, maps: &SourceMaps, builder: &mut TraceBuilder<'_>) -> (FunctionId, bool) {
        let at = self.line.zip(self.column);
        let original = at.and_then(|at| maps.original(&self.url, at, &self.name));
        let (name, url, at) = match original {
            Some(it) => (
                it.name.unwrap_or(&self.name),
                it.file,
                [Some(it.line), Some(it.column)],
            ),
            None => (&*self.name, &*self.url, [self.line, self.column]),
        };
        let (file, library) = match url.strip_prefix("file://") {
            Some(path) => (percent_decoded(path), ""),
            None if url.starts_with("node:") => (url.to_owned(), "node"),
            None => (url.to_owned(), ""),
        };
        let from_one = |number: Option<u32>| number.map_or(0, |number| number.saturating_add(1));
        let function = Function {
            name: match name {
                "" => "(anonymous)",
                name => name,
            },
            file: &file,
            line: from_one(at[0]),
            library,
        };
        let function = builder.function_at(function, from_one(at[1]));
        (function, original.is_some())
    }

    /// Takes a member that says where the function stands; others are skipped.
    fn location(&mut self, member: Member, document: &mut Document<'_>) -> Result<(), ImportError> {
        match member {
            Member::Name => self.name = document.text()?,
            Member::Url => self.url = document.text()?,
            Member::Line => self.line = document.index()?,
            Member::Column => self.column = document.index()?,
            _ => document.skip()?,
        }
        Ok(())
    }
}

/// The members of a node and of its call frame that matter.
#[derive(Clone, Copy)]
enum Member {
    Id,
    Parent,
    Children,
    CallFrame,
    Name,
    Url,
    Line,
    Column,
    Hits,
    Ticks,
    Other,
}

impl Member {
    fn new(key: &[u8]) -> Member {
        match key {
            b"id" => Member::Id,
            b"parent" => Member::Parent,
            b"children" => Member::Children,
            b"callFrame" => Member::CallFrame,
            b"functionName" => Member::Name,
            b"url" => Member::Url,
            b"lineNumber" => Member::Line,
            b"columnNumber" => Member::Column,
            b"hitCount" => Member::Hits,
            b"positionTicks" => Member::Ticks,
            _ => Member::Other,
        }
    }
}

impl Profile {
    /// Reads the object that stands next: a part of a profile, such as Chrome writes as a row of events.
    pub(crate) fn part(
        document: &mut Document<'_>,
        builder: &mut TraceBuilder<'_>,
        maps: &Rc<SourceMaps>,
    ) -> Result<Profile, ImportError> {
        let mut part = Profile {
            maps: Rc::clone(maps),
            ..Profile::default()
        };
        part.members(document, builder, 1)?;
        Ok(part)
    }

    /// Reads the object that stands next: the profile, or what lies around it in at most so many levels.
    pub(super) fn members(
        &mut self,
        document: &mut Document<'_>,
        builder: &mut TraceBuilder<'_>,
        around: u32,
    ) -> Result<(), ImportError> {
        if !document.object()? {
            return Ok(());
        }
        while let Some(key) = document.member()? {
            match key {
                b"nodes" => {
                    // Counters of Chrome have a number of this name.
                    if document.next()? != Next::Array {
                        document.skip()?;
                    } else if document.array()? {
                        while document.element()? {
                            self.node(document, builder)?;
                        }
                    }
                }
                b"head" => self.node(document, builder)?,
                b"samples" => {
                    if document.array()? {
                        let samples = self.samples.get_or_insert_default();
                        loop {
                            let id = |id| u32::try_from(id).unwrap_or(NO_NODE);
                            document.integers(|number| samples.push(id(number)))?;
                            if !document.element()? {
                                break;
                            }
                            samples.push(document.index()?.unwrap_or(NO_NODE));
                        }
                    }
                }
                b"lines" => {
                    if document.array()? {
                        while document.element()? {
                            self.lines.push(document.index()?.unwrap_or(0));
                        }
                    }
                }
                b"timeDeltas" => {
                    if document.array()? {
                        let deltas = &mut self.deltas;
                        loop {
                            let mut wrong = 0;
                            document.integers(|us| {
                                let ns = us.checked_mul(1000);
                                wrong += u64::from(ns.is_none());
                                deltas.push(ns.unwrap_or(NO_TIME));
                            })?;
                            document.warn_many("time-out-of-range", wrong);
                            if !document.element()? {
                                break;
                            }
                            let delta = document.time(Unit::Microseconds)?;
                            deltas.push(delta.unwrap_or(NO_TIME));
                        }
                    }
                }
                b"timestamps" => {
                    if document.array()? {
                        while document.element()? {
                            let time = document.time(Unit::Microseconds)?;
                            self.timestamps.push(time.unwrap_or(NO_TIME));
                        }
                    }
                }
                // Seconds where the times of samples are `timestamps`, but those are not relative to it.
                b"startTime" => self.start = document.time(Unit::Microseconds)?,
                b"endTime" => self.end = document.time(Unit::Microseconds)?,
                b"profile" | b"cpuProfile" | b"result" if around > 0 => {
                    if document.next()? == Next::Object {
                        self.members(document, builder, around - 1)?;
                    } else {
                        document.skip()?;
                    }
                }
                _ => document.skip()?,
            }
        }
        Ok(())
    }

    fn start_node(&mut self, parent: Option<usize>) -> Reading {
        self.nodes.push(Node {
            // Known when the node has been read.
            function: FunctionId(0),
            is_mapped: false,
            parent,
        });
        self.hits.push(0);
        Reading {
            index: self.nodes.len() - 1,
            in_children: false,
            name: String::new(),
            url: String::new(),
            line: None,
            column: None,
        }
    }

    /// Reads the node that stands next, with all that are nested in it.
    fn node(
        &mut self,
        document: &mut Document<'_>,
        builder: &mut TraceBuilder<'_>,
    ) -> Result<(), ImportError> {
        let mut open = Vec::new();
        if document.object()? {
            open.push(self.start_node(None));
        }
        while let Some(node) = open.last_mut() {
            if node.in_children {
                if !document.element()? {
                    node.in_children = false;
                } else if document.next()? == Next::Object {
                    document.object()?;
                    let parent = node.index;
                    open.push(self.start_node(Some(parent)));
                } else if let Some(id) = document.index()? {
                    self.children.push((node.index, id));
                }
                continue;
            }
            let Some(member) = document.member()?.map(Member::new) else {
                let at = node.index;
                let (function, is_mapped) = node.function(&self.maps, builder);
                (self.nodes[at].function, self.nodes[at].is_mapped) = (function, is_mapped);
                open.pop();
                continue;
            };
            match member {
                Member::Id => {
                    if let Some(id) = document.index()? {
                        let index = node.index;
                        // The first of an id keeps it.
                        if *self.by_id.entry(id).or_insert(index) != index {
                            document.warn("duplicate-id");
                        }
                    }
                }
                Member::Parent => {
                    if let Some(id) = document.index()? {
                        self.parents.push((node.index, id));
                    }
                }
                Member::Hits => {
                    let hits = document.amount()?.unwrap_or(0);
                    // In a difference between two profiles.
                    if hits < 0 {
                        document.warn("negative-count");
                    }
                    self.hits[node.index] = hits;
                }
                Member::Ticks => {
                    let index = node.index;
                    self.ticks_of(index, document)?;
                }
                Member::Children => node.in_children = document.array()?,
                Member::CallFrame => {
                    if document.object()? {
                        while let Some(member) = document.member()?.map(Member::new) {
                            node.location(member, document)?;
                        }
                    }
                }
                other => node.location(other, document)?,
            }
        }
        Ok(())
    }

    /// Reads how often each line of a node ran.
    fn ticks_of(&mut self, node: usize, document: &mut Document<'_>) -> Result<(), ImportError> {
        if !document.array()? {
            return Ok(());
        }
        while document.element()? {
            let (mut line, mut ticks) = (0, 0);
            if document.object()? {
                while let Some(key) = document.member()? {
                    match key {
                        b"line" => line = document.index()?.unwrap_or(0),
                        b"ticks" => ticks = document.index()?.unwrap_or(0),
                        _ => document.skip()?,
                    }
                }
            }
            self.ticks.push((node, line, ticks));
        }
        Ok(())
    }
}

/// A path from a URL: `%20` is a space.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let digits = behind
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(decoded) if byte == b'%' => {
                bytes.push(decoded);
                rest = &behind[2..];
            }
            _ => {
                bytes.push(byte);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_become_paths() {
        for (url, path) in [
            ("/src/a.js", "/src/a.js"),
            ("/my%20dir/%C3%A9.js", "/my dir/é.js"),
            ("/100%", "/100%"),
            ("/%+1", "/%+1"),
            ("/%ff", "/\u{fffd}"),
        ] {
            assert_eq!(percent_decoded(url), path);
        }
    }
}
