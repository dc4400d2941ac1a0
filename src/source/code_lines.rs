//! Which lines of a file are code, so that the code of any span is a difference of two numbers.

use std::ops::Range;

/// How many lines of code, and of comments, stand before each line of a file.
///
/// tokei counts files but does not say which lines it counted; this follows the same rule line by line,
/// with comments and strings from the syntax tree: a line is code when something other than white space and
/// comments stands on it, and also when it is blank inside a string.
pub(crate) struct CodeLines {
    /// `before[i]`: lines of code among the first `i` lines.
    before: Vec<u32>,
    /// The same of lines on which something of a comment stands and no code.
    comments_before: Vec<u32>,
}

impl CodeLines {
    /// `comments` are ordered by start and do not overlap (bytes); `texts` are lines, counted from 0. O(n).
    pub(crate) fn new(
        source: &[u8],
        comments: &[Range<usize>],
        texts: &[Range<usize>],
    ) -> CodeLines {
        let mut code: Vec<bool> = Vec::new();
        let mut commented: Vec<bool> = Vec::new();
        let mut comments = comments.iter().peekable();
        let mut start = 0;
        while start < source.len() {
            let end = memchr::memchr(b'\n', &source[start..])
                .map_or(source.len(), |length| start + length + 1);
            let mut at = start;
            let mut is_code = false;
            let mut is_comment = false;
            while at < end {
                while comments.next_if(|comment| comment.end <= at).is_some() {}
                let comment = comments.peek();
                let plain_end = comment.map_or(end, |comment| comment.start.clamp(at, end));
                if source[at..plain_end]
                    .iter()
                    .any(|byte| !byte.is_ascii_whitespace())
                {
                    is_code = true;
                    break;
                }
                at = match comment {
                    Some(comment) if plain_end < end => {
                        let comment_end = comment.end.min(end);
                        is_comment |= !source[plain_end..comment_end].trim_ascii().is_empty();
                        comment_end
                    }
                    _ => end,
                };
            }
            code.push(is_code);
            commented.push(is_comment);
            start = end;
        }
        for text in texts {
            let end = text.end.min(code.len());
            if let Some(lines) = code.get_mut(text.start..end) {
                lines.fill(true);
            }
        }
        let comments = commented.iter().zip(&code);
        let comments_before = sums(comments.map(|(is_comment, is_code)| *is_comment && !is_code));
        CodeLines {
            before: sums(code.into_iter()),
            comments_before,
        }
    }

    /// The number of the last line.
    pub(crate) fn last_line(&self) -> u32 {
        u32::try_from(self.before.len() - 1).unwrap_or(u32::MAX)
    }

    /// Lines of code from line `first` to line `last`, both counted from 1 and included.
    pub(crate) fn count(&self, first: u32, last: u32) -> u32 {
        difference(&self.before, first, last)
    }

    /// Lines with comments and without code from line `first` to line `last`, as [`CodeLines::count`].
    pub(crate) fn comments(&self, first: u32, last: u32) -> u32 {
        difference(&self.comments_before, first, last)
    }
}

/// How many of the lines before each line hold.
fn sums(lines: impl Iterator<Item = bool>) -> Vec<u32> {
    let mut count = 0;
    let counted = lines.map(|holds| {
        count += u32::from(holds);
        count
    });
    std::iter::once(0)
        .chain(counted.collect::<Vec<_>>())
        .collect()
}

fn difference(before: &[u32], first: u32, last: u32) -> u32 {
    let limit = before.len() - 1;
    let start = before[(first.max(1) as usize - 1).min(limit)];
    before[(last as usize).min(limit)].saturating_sub(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_code_when_more_than_a_comment_stands_on_it() {
        let source = b"int a; // c\n/* b\n b */ int d;\n\n // e\n/* f */ /* g */\n";
        let text = std::str::from_utf8(source).expect("a literal");
        let find = |from: &str, to: &str| {
            let start = text.find(from).expect("a literal");
            start..start + text[start..].find(to).expect("a literal") + to.len()
        };
        let comments = [
            find("// c", "c"),
            find("/* b", "*/"),
            find("// e", "e"),
            find("/* f", "*/"),
            find("/* g", "*/"),
        ];
        let lines = CodeLines::new(source, &comments, &[]);
        let code: Vec<u32> = (1..=6).map(|line| lines.count(line, line)).collect();
        assert_eq!(code, [1, 0, 1, 0, 0, 0]);
        let comments: Vec<u32> = (1..=6).map(|line| lines.comments(line, line)).collect();
        assert_eq!(comments, [0, 1, 0, 0, 1, 1]);
        assert_eq!(lines.count(1, 100), 2);
        assert_eq!(lines.count(0, 0), 0);
        assert_eq!(lines.count(50, 60), 0);
    }

    #[test]
    fn blank_lines_inside_a_string_are_code() {
        let text = std::iter::once(0..3).collect::<Vec<_>>();
        let lines = CodeLines::new(b"x = '''a\n\nb'''\n", &[], &text);
        assert_eq!(lines.count(1, 3), 3);
    }
}
