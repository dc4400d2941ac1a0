//! JSON documents taken apart as they stream by: the reader says what it wants next, and everything that it
//! does not want is skipped. No tree of the document is built, and nothing recurses.
//!
//! A document that is cut ends every object and array at the cut, so that what was read before it stays; the
//! cut is counted (`truncated-file`). A byte that cannot stand where it stands is an error.

use std::collections::HashSet;

use super::decimal::{self, NoTime, Unit};
use super::error::ImportError;
use super::input::Input;
use super::json::{Cursor, Skip, Stop, unescape};
use super::stream::Window;
use callscape_base::progress::Progress;
use callscape_base::warnings::{Place, Reporter};

/// What stands next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Object,
    Array,
    Text,
    /// A number, `true`, `false` or `null`.
    Word,
    /// The file has ended.
    Nothing,
}

pub(crate) struct Document<'a> {
    window: Window<'a>,
    reporter: &'a Reporter,
    file: String,
    /// Bytes at hand that were given out and are to be passed.
    taken: usize,
    cut: bool,
}

impl<'a> Document<'a> {
    pub(crate) fn open(
        input: &'a Input,
        progress: &'a Progress,
        reporter: &'a Reporter,
    ) -> Result<Document<'a>, ImportError> {
        Ok(Document {
            window: Window::open(input, progress, reporter)?,
            reporter,
            file: input.display().to_string(),
            taken: 0,
            cut: false,
        })
    }

    /// The document whose bytes this window is over.
    pub(crate) fn over(window: Window<'a>, reporter: &'a Reporter) -> Document<'a> {
        Document {
            file: window.name().to_owned(),
            window,
            reporter,
            taken: 0,
            cut: false,
        }
    }

    /// All bytes of a document made with [`Window::over`].
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.window.into_bytes()
    }

    /// Offset behind what was read last.
    pub(crate) fn offset(&self) -> u64 {
        self.window.offset() + self.taken as u64
    }

    /// The place behind what was read last.
    pub(crate) fn place(&self) -> Place {
        Place::offset(&self.file, self.offset())
    }

    /// Counts a repair or omission, here.
    pub(crate) fn warn(&self, kind: &'static str) {
        self.reporter.warn(kind, || self.place());
    }

    /// Counts `count` repairs or omissions, here.
    pub(crate) fn warn_many(&self, kind: &'static str, count: u64) {
        self.reporter.warn_many(kind, count, || self.place());
    }

    /// An error about what stands here.
    pub(crate) fn error(&self, expected: &str, found: impl Into<String>) -> ImportError {
        ImportError::malformed(self.place(), expected, found)
    }

    /// The bytes behind what was read last, for a reader that takes what stands next apart by itself.
    pub(crate) fn window(&mut self) -> &mut Window<'a> {
        self.pass();
        &mut self.window
    }

    /// The bytes of what [`Document::whole`] read last.
    pub(crate) fn passed(&self) -> &[u8] {
        let data = self.window.data();
        data.get(..self.taken).unwrap_or_default()
    }

    /// The bytes at hand behind what was read last, for a reader that looks at what stands next by itself and says
    /// with [`Document::take`] how much of it is done with.
    pub(crate) fn ahead(&self) -> &[u8] {
        self.window.data().get(self.taken..).unwrap_or_default()
    }

    /// Moves past `count` bytes of [`Document::ahead`].
    pub(crate) fn take(&mut self, count: usize) {
        self.taken += count;
    }

    /// The place `distance` bytes behind what was read last.
    pub(crate) fn place_ahead(&self, distance: usize) -> Place {
        Place::offset(&self.file, self.offset() + distance as u64)
    }

    /// Moves past what was given out.
    fn pass(&mut self) {
        self.window.consume(self.taken);
        self.taken = 0;
    }

    /// Runs `scan` on the bytes at hand, on more of them as long as it asks for more. None at the end of the
    /// file. What it moved past counts as given out.
    #[inline]
    fn scan<T>(
        &mut self,
        scan: impl Fn(&mut Cursor<'_>) -> Result<T, Stop>,
    ) -> Result<Option<T>, ImportError> {
        self.pass();
        loop {
            let mut cursor = Cursor::new(self.window.data(), 0);
            match scan(&mut cursor) {
                Ok(value) => {
                    self.taken = cursor.at();
                    return Ok(Some(value));
                }
                Err(Stop::Incomplete) => {
                    if !self.window.more()? {
                        self.end();
                        return Ok(None);
                    }
                }
                Err(Stop::Malformed(at)) => return Err(self.malformed(at)),
            }
        }
    }

    fn malformed(&self, at: usize) -> ImportError {
        let found = match self.window.data().get(at) {
            Some(byte @ b' '..=b'~') => format!("'{}'", char::from(*byte)),
            Some(byte) => format!("the byte {byte:#04x}"),
            None => "the end of the file".into(),
        };
        let place = Place::offset(&self.file, self.window.offset() + at as u64);
        ImportError::malformed(place, "JSON", found)
    }

    /// The file has ended inside a value.
    fn end(&mut self) {
        self.window.consume(self.window.data().len());
        if !self.cut {
            self.cut = true;
            self.warn("truncated-file");
        }
    }

    /// The next value, taken apart by `scan` at once; none when the file ends in it.
    #[inline]
    pub(crate) fn whole<T>(
        &mut self,
        scan: impl Fn(&mut Cursor<'_>) -> Result<T, Stop>,
    ) -> Result<Option<T>, ImportError> {
        if self.cut {
            return Ok(None);
        }
        self.scan(scan)
    }

    /// What stands next, which stays there.
    pub(crate) fn next(&mut self) -> Result<Next, ImportError> {
        if self.cut {
            return Ok(Next::Nothing);
        }
        Ok(match self.scan(|cursor| cursor.peek())? {
            Some(b'{') => Next::Object,
            Some(b'[') => Next::Array,
            Some(b'"') => Next::Text,
            Some(_) => Next::Word,
            None => Next::Nothing,
        })
    }

    /// Moves past the `{` or `[` of the next value, whose members or elements come then. A value of another
    /// kind is skipped, and counted unless it is `null`.
    fn enter(&mut self, open: u8) -> Result<bool, ImportError> {
        if self.cut {
            return Ok(false);
        }
        match self.scan(|cursor| cursor.peek())? {
            Some(found) if found == open => {
                self.taken += 1;
                Ok(true)
            }
            Some(found) => {
                if found != b'n' {
                    self.warn("unexpected-value");
                }
                self.skip()?;
                Ok(false)
            }
            None => Ok(false),
        }
    }

    /// Moves into the object that stands next; false when none does.
    pub(crate) fn object(&mut self) -> Result<bool, ImportError> {
        self.enter(b'{')
    }

    /// Moves into the array that stands next; false when none does.
    pub(crate) fn array(&mut self) -> Result<bool, ImportError> {
        self.enter(b'[')
    }

    /// The key of the next member of the object at hand, as it is written; none at its end.
    #[inline]
    pub(crate) fn member(&mut self) -> Result<Option<&[u8]>, ImportError> {
        if self.cut {
            return Ok(None);
        }
        let key = self.scan(|cursor| {
            if !cursor.next(b'}')? {
                return Ok(None);
            }
            let length = cursor.text()?.len();
            let end = cursor.at() - 1;
            cursor.expect(b':')?;
            Ok(Some((end - length, end)))
        })?;
        Ok(key
            .flatten()
            .map(|(start, end)| &self.window.data()[start..end]))
    }

    /// Whether the array at hand has a further element, which stands next then.
    #[inline]
    pub(crate) fn element(&mut self) -> Result<bool, ImportError> {
        if self.cut {
            return Ok(false);
        }
        Ok(self.scan(|cursor| cursor.next(b']'))?.unwrap_or(false))
    }

    /// Takes the whole numbers that stand next in the array at hand, one behind the other and of at most 18 digits,
    /// which is what long arrays are made of; stops before anything else, which [`element`](Self::element) finds.
    pub(crate) fn integers(&mut self, mut take: impl FnMut(i64)) -> Result<(), ImportError> {
        const DIGITS: usize = 18;
        if self.cut {
            return Ok(());
        }
        self.pass();
        loop {
            let data = self.window.data();
            let (mut done, mut ended) = (0, false);
            loop {
                // The comma stays where what is behind it does.
                let comma = usize::from(data.get(done) == Some(&b','));
                let minus = usize::from(data.get(done + comma) == Some(&b'-'));
                let start = done + comma + minus;
                let mut at = start;
                let mut value = 0_i64;
                while let Some(digit) = data.get(at).map(|byte| byte.wrapping_sub(b'0'))
                    && digit <= 9
                    && at - start < DIGITS
                {
                    value = value * 10 + i64::from(digit);
                    at += 1;
                }
                match data.get(at) {
                    Some(b',' | b']') if at > start => {
                        take(if minus > 0 { -value } else { value });
                        done = at;
                    }
                    Some(_) => {
                        ended = true;
                        break;
                    }
                    None => break,
                }
            }
            self.window.consume(done);
            if ended || !self.window.more()? {
                return Ok(());
            }
        }
    }

    /// Passes over the next value.
    pub(crate) fn skip(&mut self) -> Result<(), ImportError> {
        let mut skip = Skip::default();
        // A closing bracket in the place of a value is no value.
        if let Some(b'}' | b']' | b',' | b':') = self.scan(|cursor| cursor.peek())? {
            return Err(self.malformed(self.taken));
        }
        self.pass();
        while !self.cut {
            let data = self.window.data();
            match skip.over(data) {
                Some(length) => {
                    self.taken = length;
                    return Ok(());
                }
                None => {
                    let length = data.len();
                    self.window.consume(length);
                    if !self.window.more()? {
                        self.end();
                    }
                }
            }
        }
        Ok(())
    }

    /// Passes over the array that stands next, whose elements are counted as this kind.
    pub(crate) fn pass_over(&mut self, kind: &'static str) -> Result<(), ImportError> {
        if self.array()? {
            while self.element()? {
                self.warn(kind);
                self.skip()?;
            }
        }
        Ok(())
    }

    /// The bytes of the next value: between the quotes of a text, as written, or of a word. None for `null`,
    /// and for an object or array, which is skipped.
    #[inline]
    pub(crate) fn scalar(&mut self) -> Result<Option<&[u8]>, ImportError> {
        match self.next()? {
            Next::Nothing => return Ok(None),
            Next::Object | Next::Array => {
                self.warn("unexpected-value");
                self.skip()?;
                return Ok(None);
            }
            Next::Text | Next::Word => {}
        }
        let range = self.scan(|cursor| {
            let quoted = usize::from(cursor.peek()? == b'"');
            let start = cursor.at() + quoted;
            let value = cursor.value()?;
            Ok(value.bytes().map(|bytes| (start, start + bytes.len())))
        })?;
        let bytes = range
            .flatten()
            .map(|(start, end)| &self.window.data()[start..end]);
        Ok(bytes.filter(|bytes| *bytes != b"null"))
    }

    /// The next value as text; empty where it is none. What had to be replaced in it is counted.
    pub(crate) fn text(&mut self) -> Result<String, ImportError> {
        let mut text = String::new();
        self.text_into(&mut text)?;
        Ok(text)
    }

    /// The next value as [`Document::text`] in the place of what `into` holds.
    pub(crate) fn text_into(&mut self, into: &mut String) -> Result<(), ImportError> {
        into.clear();
        let (text, repaired) = match self.scalar()? {
            None => return Ok(()),
            Some(bytes) => {
                let special = |found, &byte: &u8| found | (byte == b'\\') | (byte < b' ');
                match std::str::from_utf8(bytes) {
                    Ok(text) if !bytes.iter().fold(false, special) => {
                        into.push_str(text);
                        return Ok(());
                    }
                    _ => unescape(bytes),
                }
            }
        };
        into.push_str(&text);
        if repaired {
            self.warn("invalid-text");
        }
        Ok(())
    }

    /// The next value as an index or a count; none where it is none, such as `null` or -1.
    #[inline]
    pub(crate) fn index(&mut self) -> Result<Option<u32>, ImportError> {
        let Some(bytes) = self.scalar()? else {
            return Ok(None);
        };
        let index = index_of(bytes);
        if index.is_none() && bytes != b"-1" {
            self.warn("not-an-index");
        }
        Ok(index)
    }

    /// The next value as a time in `unit`, in nanoseconds; none where it is none, which is counted unless it is
    /// `null`.
    #[inline]
    pub(crate) fn time(&mut self, unit: Unit) -> Result<Option<i64>, ImportError> {
        let Some(number) = self.scalar()? else {
            return Ok(None);
        };
        let time = decimal::nanoseconds(number, unit);
        Ok(time.map_err(|why| self.warn(why.kind())).ok())
    }

    /// The next value as a number of things that are no time; what it has of decimals is left out and counted.
    pub(crate) fn amount(&mut self) -> Result<Option<i64>, ImportError> {
        let Some(number) = self.scalar()? else {
            return Ok(None);
        };
        let amount = decimal::nanoseconds(number, Unit::Nanoseconds);
        let exact = decimal::nanoseconds(number, Unit::Microseconds);
        if let (Ok(amount), Ok(exact)) = (amount, exact)
            && amount.checked_mul(1000) != Some(exact)
        {
            self.warn("decimals-left-out");
        }
        let kind = |why| match why {
            NoTime::NotANumber => "not-a-number",
            NoTime::OutOfRange => "number-out-of-range",
        };
        Ok(amount.map_err(|why| self.warn(kind(why))).ok())
    }

    /// The next value as a number of bytes or things that live, of which there are never less than none.
    pub(crate) fn size(&mut self) -> Result<u64, ImportError> {
        let number = self.amount()?.unwrap_or(0);
        u64::try_from(number)
            .map_err(|_| self.error("a number that is not negative", number.to_string()))
    }

    /// Whether only white space is left: at the end of the file, or between documents that follow each other.
    pub(crate) fn at_end(&mut self) -> Result<bool, ImportError> {
        self.pass();
        loop {
            if self.cut {
                return Ok(true);
            }
            let data = self.window.data();
            let space = data.iter().position(|byte| !byte.is_ascii_whitespace());
            let length = space.unwrap_or(data.len());
            self.window.consume(length);
            if space.is_some() {
                return Ok(false);
            }
            if !self.window.more()? {
                return Ok(true);
            }
        }
    }

    /// Counts what follows the document, if anything does, and reads a compressed file to the checksum at its end.
    pub(crate) fn close(&mut self) -> Result<(), ImportError> {
        if !self.at_end()? {
            self.warn("trailing-garbage");
        }
        self.window.finish()
    }
}

/// An index in decimal digits.
#[inline]
pub(crate) fn index_of(digits: &[u8]) -> Option<u32> {
    let mut value: u32 = 0;
    for byte in digits {
        let digit = u32::from(byte.wrapping_sub(b'0'));
        if digit > 9 {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(digit)?;
    }
    (!digits.is_empty()).then_some(value)
}

/// The paths of members that show in the first bytes of a document, down to `DEPTH` objects, arrays left out:
/// `profiles.type` for `{"profiles": [{"type": …`. A path is listed when its value begins, cut or not.
/// What is no JSON ends the list.
pub(crate) fn paths(head: &[u8]) -> Vec<String> {
    const DEPTH: usize = 3;
    let mut paths: Vec<String> = Vec::new();
    let mut seen: HashSet<String> = HashSet::new();
    // For each open object its key so far, for each open array none.
    let mut open: Vec<Option<String>> = Vec::new();
    let mut cursor = Cursor::new(head, 0);
    let step =
        |cursor: &mut Cursor<'_>, open: &mut Vec<Option<String>>| -> Result<Option<String>, Stop> {
            if let Some(innermost) = open.last_mut() {
                let object = innermost.is_some();
                if !cursor.next(if object { b'}' } else { b']' })? {
                    open.pop();
                    return Ok(None);
                }
                if object {
                    *innermost = Some(String::from_utf8_lossy(cursor.text()?).into_owned());
                    cursor.expect(b':')?;
                } else if !matches!(cursor.peek()?, b'{' | b'[') {
                    cursor.value()?;
                    return Ok(None);
                }
            }
            let keys: Vec<&str> = open.iter().flatten().map(String::as_str).collect();
            let (depth, path) = (keys.len(), keys.join("."));
            match cursor.peek()? {
                b'{' if depth < DEPTH => {
                    cursor.expect(b'{')?;
                    open.push(Some(String::new()));
                }
                b'[' if depth < DEPTH && open.len() < 2 * DEPTH => {
                    cursor.expect(b'[')?;
                    open.push(None);
                }
                _ => {
                    // The path stands even where its value is cut.
                    if let Err(stop) = cursor.value() {
                        *cursor = Cursor::new(&[], 0);
                        if stop != Stop::Incomplete {
                            return Err(stop);
                        }
                    }
                }
            }
            Ok(Some(path))
        };
    loop {
        match step(&mut cursor, &mut open) {
            Ok(Some(path)) => {
                if !path.is_empty() && seen.insert(path.clone()) {
                    paths.push(path);
                }
            }
            Ok(None) if open.is_empty() => break,
            Ok(None) => {}
            Err(_) => break,
        }
        if open.is_empty() {
            break;
        }
    }
    paths
}
