//! Arguments on their way into a recording: in any order, put aside when they get many.

use std::io;

use bytemuck::{Pod, Zeroable};

use super::value::{Value, put_number};
use crate::aside::Aside;
use crate::names::Names;
use crate::sorting::Sorter;
use crate::timestamp::Timestamp;
use callscape_base::units::{FunctionId, ThreadId};

/// Arguments of a call that are kept; the others are counted.
pub(super) const MOST: usize = 32;
/// Bytes of a text or name that are kept.
const LONGEST: usize = 256;
/// Different names of arguments that are kept.
const MOST_NAMES: usize = 1 << 16;
/// Bytes of records that are sorted at once.
pub(super) const SORTED_AT_ONCE: usize = 8 << 20;

/// The arguments of a call, by when it begins.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Begun {
    pub start: i64,
    /// `i64::MIN` if not known.
    pub end: i64,
    /// Where its arguments lie.
    pub at: u64,
    pub length: u32,
    pub thread: u32,
    pub function: u32,
    pub unused: u32,
}

/// By thread, start, the longest first, and where they came.
pub(super) type BegunOrder = (u32, i64, std::cmp::Reverse<i64>, u64);

/// How much was cut, and where in the file first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cut {
    pub count: u64,
    pub first: u64,
}

impl Cut {
    pub(super) fn add(&mut self, count: u64, offset: u64) {
        if self.count == 0 {
            self.first = offset;
        }
        self.count += count;
    }
}

/// What is not kept of the arguments of a recording.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lost {
    /// Arguments past those that are kept of a call, or with a name past those that are kept.
    pub arguments: Cut,
    /// Texts that are kept up to a length.
    pub texts: Cut,
    /// Lists of arguments whose call is not there.
    pub without_call: Cut,
}

/// Where the arguments of a call were put aside.
#[derive(Clone, Copy, Debug)]
pub struct PutAside {
    at: u64,
    length: u32,
}

/// Collects the arguments of calls while these are read. First the arguments of a call are [`added`](Told::add), then it
/// is said which call it is.
pub struct Told {
    pub(super) names: Names,
    /// Of the call at hand: how many, and what they are.
    count: usize,
    pending: Vec<u8>,
    cut_arguments: u64,
    cut_texts: u64,
    pub(super) begun: Sorter<Begun, BegunOrder>,
    pub(super) aside: Aside,
    /// Bytes that are aside.
    pub(super) end: u64,
    /// By number of a thread as it was told, what that thread is; empty where it is itself.
    pub(super) threads: Vec<ThreadId>,
    pub(super) lost: Lost,
}

impl Default for Told {
    fn default() -> Told {
        let order = |it: &Begun| (it.thread, it.start, std::cmp::Reverse(it.end), it.at);
        Told {
            names: Names::default(),
            count: 0,
            pending: Vec::new(),
            cut_arguments: 0,
            cut_texts: 0,
            begun: Sorter::within(order, SORTED_AT_ONCE),
            aside: Aside::default(),
            end: 0,
            threads: Vec::new(),
            lost: Lost::default(),
        }
    }
}

/// The start of a text, up to so many bytes, and whether that is not all of it.
fn start(text: &str, most: usize) -> (&str, bool) {
    if text.len() <= most {
        return (text, false);
    }
    let mut end = most;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    (&text[..end], true)
}

impl Told {
    /// Adds an argument of the call at hand. Long texts are cut, and end with an ellipsis.
    pub fn add(&mut self, name: &str, value: &Value<'_>) {
        let name = start(name, LONGEST).0;
        let is_room = self.names.len() <= MOST_NAMES || self.names.find(name).is_some();
        if self.count == MOST || !is_room {
            self.cut_arguments += 1;
            return;
        }
        self.count += 1;
        put_number(self.names.intern(name).0.into(), &mut self.pending);
        if let Value::Text(text) = value
            && let (text, true) = start(text, LONGEST)
        {
            self.cut_texts += 1;
            Value::Text(format!("{text}…").into()).put(&mut self.pending);
        } else {
            value.put(&mut self.pending);
        }
    }

    /// Forgets the arguments at hand: they are those of no call.
    pub fn forget(&mut self) {
        self.pending.clear();
        (self.count, self.cut_arguments, self.cut_texts) = (0, 0, 0);
    }

    /// Whether the call at hand has none so far.
    pub fn has_none(&self) -> bool {
        self.pending.is_empty() && self.cut_arguments == 0
    }

    /// The arguments at hand are those of the call of `function` that begins on `thread` or one of its lanes at `start`, and
    /// ends at `end` if that is known. `offset` is where in the file they are.
    pub fn of_begun(
        &mut self,
        (thread, function): (ThreadId, FunctionId),
        start: Timestamp,
        end: Option<Timestamp>,
        offset: u64,
    ) {
        if let Some(aside) = self.put_aside(offset) {
            self.aside_of_begun(aside, (thread, function), start, end);
        }
    }

    /// The same of arguments that were put aside.
    pub fn aside_of_begun(
        &mut self,
        aside: PutAside,
        (thread, function): (ThreadId, FunctionId),
        start: Timestamp,
        end: Option<Timestamp>,
    ) {
        self.begun.push(Begun {
            start: start.ns(),
            end: end.map_or(i64::MIN, Timestamp::ns),
            at: aside.at,
            length: aside.length,
            thread: thread.0,
            function: function.0,
            unused: 0,
        });
    }

    /// Puts the arguments at hand aside, until it is known which call they are of; none where there are none.
    pub fn put_aside(&mut self, offset: u64) -> Option<PutAside> {
        if self.has_none() {
            return None;
        }
        let Lost {
            arguments, texts, ..
        } = &mut self.lost;
        if self.cut_arguments > 0 {
            arguments.add(self.cut_arguments, offset);
        }
        if self.cut_texts > 0 {
            texts.add(self.cut_texts, offset);
        }
        let pending = &self.pending;
        let (at, bytes) = self.aside.append(|bytes| {
            put_number(offset.into(), bytes);
            bytes.extend_from_slice(pending);
        });
        let length = bytes.len() as u32;
        self.end = at + u64::from(length);
        self.forget();
        Some(PutAside { at, length })
    }

    /// What the threads are that were told by numbers of their own.
    pub fn number_threads(&mut self, threads: Vec<ThreadId>) {
        self.threads = threads;
    }

    /// Whether no call has any.
    pub(crate) fn is_empty(&self) -> bool {
        self.begun.total() == 0
    }
}

/// Reads what was put aside, mostly in the order in which it was.
pub(super) struct Reader {
    bytes: crate::aside::Bytes,
    /// Of the pages with these numbers, by number modulo how many are kept.
    pages: Vec<(u64, Vec<u8>)>,
    end: u64,
}

/// Bytes of a page, and how many pages are kept: calls end far from where they began.
const PAGE: u64 = 16 << 10;
const PAGES: u64 = 256;

impl Reader {
    pub(super) fn new(aside: Aside, end: u64) -> io::Result<Reader> {
        Ok(Reader {
            bytes: aside.finish()?,
            pages: vec![(u64::MAX, Vec::new()); PAGES as usize],
            end,
        })
    }

    /// Appends what lies there.
    pub(super) fn read(&mut self, mut at: u64, length: u32, out: &mut Vec<u8>) -> io::Result<()> {
        let end = at + u64::from(length);
        while at < end {
            let page = at / PAGE;
            let kept = &mut self.pages[(page % PAGES) as usize];
            if kept.0 != page {
                let from = page * PAGE;
                kept.0 = u64::MAX;
                kept.1
                    .resize((self.end.min(from + PAGE) - from) as usize, 0);
                self.bytes.read(from, &mut kept.1)?;
                kept.0 = page;
            }
            let from = (at % PAGE) as usize;
            let part = kept.1.get(from..).unwrap_or_default();
            let part = &part[..part.len().min((end - at) as usize)];
            if part.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            out.extend_from_slice(part);
            at += part.len() as u64;
        }
        Ok(())
    }
}
