//! The little of XML that a control file needs: elements, attributes, comments.
//!
//! Strict: what a control file has no use for is an error. Entities are never expanded, and where one stands, or a
//! document type that could declare some, reading ends.

use super::error::ControlError;

/// Elements stand at most so deep.
const DEEPEST: usize = 8;
/// An error shows at most this many letters of what was found.
const SHOWN: usize = 40;

/// An attribute as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Attribute {
    pub name: String,
    pub value: String,
    /// From 1.
    pub line: u64,
}

/// An element with what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub name: String,
    /// From 1.
    pub line: u64,
    pub attributes: Vec<Attribute>,
    pub children: Vec<Element>,
}

/// Reads the one element that a document consists of. O(letters).
pub(super) fn read(file: &str, text: &str) -> Result<Element, ControlError> {
    let mut reader = Reader {
        file,
        rest: text.strip_prefix('\u{feff}').unwrap_or(text),
        line: 1,
    };
    if reader.rest.starts_with("<?xml") {
        let end = reader.rest.find("?>");
        let end = end.ok_or_else(|| reader.wrong("?> after <?xml"))?;
        reader.skip(end + 2);
    }
    reader.between()?;
    let element = reader.element(0)?;
    reader.between()?;
    match reader.rest.is_empty() {
        true => Ok(element),
        false => Err(reader.wrong("nothing after the one element")),
    }
}

struct Reader<'a> {
    file: &'a str,
    rest: &'a str,
    line: u64,
}

impl<'a> Reader<'a> {
    fn skip(&mut self, bytes: usize) -> &'a str {
        let (skipped, rest) = self.rest.split_at(bytes);
        self.line += skipped.matches('\n').count() as u64;
        self.rest = rest;
        skipped
    }

    /// The error at this place.
    fn wrong(&self, expected: &str) -> ControlError {
        let found: String = self.rest.lines().next().unwrap_or_default().to_owned();
        let found: String = found.chars().take(SHOWN).collect();
        let found = match (found.trim(), self.rest.is_empty()) {
            (_, true) => "the end of the file".to_owned(),
            ("", false) => "the end of the line".to_owned(),
            (found, false) => format!("'{found}'"),
        };
        ControlError::new(self.file, self.line, expected, found)
    }

    fn space(&mut self) -> bool {
        let letters = self
            .rest
            .trim_start_matches([' ', '\t', '\r', '\n'].as_slice());
        let bytes = self.rest.len() - letters.len();
        self.skip(bytes);
        bytes > 0
    }

    /// White space and comments.
    fn between(&mut self) -> Result<(), ControlError> {
        loop {
            self.space();
            if !self.rest.starts_with("<!--") {
                return Ok(());
            }
            let end = self.rest[4..].find("-->");
            let end = end.ok_or_else(|| self.wrong("--> at the end of a comment"))?;
            self.skip(4 + end + 3);
        }
    }

    fn take(&mut self, token: &str, expected: &str) -> Result<(), ControlError> {
        match self.rest.starts_with(token) {
            true => {
                self.skip(token.len());
                Ok(())
            }
            false => Err(self.wrong(expected)),
        }
    }

    fn name(&mut self, expected: &str) -> Result<String, ControlError> {
        let is_in = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
        let end = self.rest.find(|letter| !is_in(letter));
        match end.unwrap_or(self.rest.len()) {
            0 => Err(self.wrong(expected)),
            end => Ok(self.skip(end).to_owned()),
        }
    }

    fn element(&mut self, depth: usize) -> Result<Element, ControlError> {
        if depth >= DEEPEST {
            return Err(self.wrong("no more elements inside one another"));
        }
        let line = self.line;
        if self.rest.starts_with("<!") {
            return Err(self.wrong("an element; document types and their entities are not read"));
        }
        self.take("<", "an element")?;
        let mut element = Element {
            name: self.name("the name of an element")?,
            line,
            attributes: Vec::new(),
            children: Vec::new(),
        };
        loop {
            let is_apart = self.space();
            if self.rest.starts_with("/>") {
                self.skip(2);
                return Ok(element);
            }
            if self.rest.starts_with('>') {
                self.skip(1);
                break;
            }
            if !is_apart {
                return Err(self.wrong("an attribute after a space, > or />"));
            }
            let attribute = self.attribute()?;
            if element
                .attributes
                .iter()
                .any(|it| it.name == attribute.name)
            {
                let expected = format!("{} once", attribute.name);
                let found = "it a second time".to_owned();
                return Err(ControlError::new(
                    self.file,
                    attribute.line,
                    &expected,
                    found,
                ));
            }
            element.attributes.push(attribute);
        }
        loop {
            self.between()?;
            if self.rest.starts_with("</") {
                self.skip(2);
                let expected = format!("{}, the end of the element of line {line}", element.name);
                if !self.rest.starts_with(&element.name) {
                    return Err(self.wrong(&expected));
                }
                let name = self.name(&expected)?;
                if name != element.name {
                    let found = format!("'{name}'");
                    return Err(ControlError::new(self.file, self.line, &expected, found));
                }
                self.space();
                self.take(">", "> at the end of an element")?;
                return Ok(element);
            }
            if !self.rest.starts_with('<') {
                let expected = format!("an element, or </{}>", element.name);
                return Err(self.wrong(&expected));
            }
            element.children.push(self.element(depth + 1)?);
        }
    }

    fn attribute(&mut self) -> Result<Attribute, ControlError> {
        let line = self.line;
        let name = self.name("an attribute")?;
        self.space();
        self.take("=", "= after the name of an attribute")?;
        self.space();
        let quote = match self.rest.chars().next() {
            Some(quote @ ('"' | '\'')) => quote,
            _ => return Err(self.wrong("a value in quotes")),
        };
        self.skip(1);
        let end = self.rest.find([quote, '<', '&'].as_slice());
        let value = self.skip(end.unwrap_or(self.rest.len())).to_owned();
        match self.rest.chars().next() {
            Some('&') => Err(self.wrong("a value without entities, which are not expanded")),
            Some(found) if found == quote => {
                self.skip(1);
                Ok(Attribute { name, value, line })
            }
            _ => Err(self.wrong("the quote at the end of a value")),
        }
    }
}
