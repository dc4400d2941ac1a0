//! `mod a;` and `use a::b;` among the tokens of a macro, which a grammar cannot tell from any others.

use tree_sitter::Node;

use super::file::{Import, ImportKind};
use super::found::{Found, line_of};
use super::rust_paths::{add_tree, path_in};

/// Adds what the tokens of `node`, a macro that stands where items do, import.
pub(super) fn read(node: Node<'_>, scope: &str, found: &mut Found<'_>) {
    let text = found.text(node);
    let first_line = line_of(node);
    let Some(open) = text.find(['{', '(', '[']) else {
        return;
    };
    let mut lexer = Lexer { text, at: open };
    // The last attribute that gives a path, and where the last token ended an item.
    let mut path: Option<String> = None;
    let mut starts_item = true;
    while let Some(token) = lexer.next() {
        let line =
            first_line + memchr::memchr_iter(b'\n', &text.as_bytes()[..token.start]).count() as u32;
        let word = &text[token.clone()];
        match word {
            "mod" if starts_item => {
                let name = lexer.next().map_or("", |it| &text[it]);
                if lexer.next().map(|it| &text[it]) == Some(";") {
                    found.add(Import {
                        line,
                        kind: ImportKind::Module,
                        path: name.trim_start_matches("r#").into(),
                        name: path.take().unwrap_or_default().into(),
                        scope: scope.into(),
                        ..Import::default()
                    });
                } else {
                    // What is in a module of its own would need its scope.
                    path = None;
                    lexer.skip_block();
                }
                starts_item = true;
            }
            "use" if starts_item => {
                let rest = &text[token.end..];
                let end = rest.find(';').unwrap_or(rest.len());
                let tree = &rest[..end];
                if !tree.contains(['$', '(', '!']) {
                    add_tree(tree, line, scope, found);
                }
                lexer.at = token.end + end;
                starts_item = true;
            }
            "fn" | "impl" | "trait" | "macro_rules" => {
                lexer.skip_block();
                starts_item = true;
            }
            "#" => {
                let attribute = &text[token.start..];
                if let Some(end) = attribute.find(']') {
                    path = path_in(&attribute[..=end]).or(path);
                    lexer.at = token.start + end + 1;
                }
            }
            "pub" => {
                // `pub(crate)` has its scope in brackets.
                let rest = text[token.end..].trim_start();
                if rest.starts_with('(')
                    && let Some(end) = text[token.end..].find(')')
                {
                    lexer.at = token.end + end + 1;
                }
            }
            "{" | "}" | ";" => {
                starts_item = true;
            }
            _ => starts_item = false,
        }
    }
}

/// The tokens of a text, as far as they matter here: words and single signs, no comments and no strings.
struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl Lexer<'_> {
    fn next(&mut self) -> Option<std::ops::Range<usize>> {
        let bytes = self.text.as_bytes();
        loop {
            let start = self.at;
            let &byte = bytes.get(start)?;
            let rest = &bytes[start..];
            let length = match byte {
                _ if rest.starts_with(b"//") => memchr::memchr(b'\n', rest).unwrap_or(rest.len()),
                _ if rest.starts_with(b"/*") => {
                    memchr::memmem::find(rest, b"*/").map_or(rest.len(), |end| end + 2)
                }
                b'"' => string(rest),
                _ if byte.is_ascii_whitespace() => 1,
                _ if is_word(byte) => {
                    let length = rest.iter().position(|&byte| !is_word(byte));
                    let length = length.unwrap_or(rest.len());
                    self.at += length;
                    return Some(start..self.at);
                }
                _ => {
                    self.at += 1;
                    return Some(start..self.at);
                }
            };
            self.at += length;
        }
    }

    /// Goes behind the next block in braces, or the next semicolon before one.
    fn skip_block(&mut self) {
        let mut depth = 0usize;
        while let Some(token) = self.next() {
            match &self.text.as_bytes()[token] {
                b"{" => depth += 1,
                b"}" if depth <= 1 => return,
                b"}" => depth -= 1,
                b";" if depth == 0 => return,
                _ => {}
            }
        }
    }
}

fn string(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != b'"' {
        at += 1 + usize::from(rest[at] == b'\\');
    }
    (at + 1).min(rest.len())
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | 0x80..)
}
