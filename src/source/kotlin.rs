//! What the grammar of Kotlin does not know, written so that it does.

use std::borrow::Cow;
use std::ops::Range;

/// The text with the same places and other words where the grammar, which is of Kotlin 1.9 and takes words that mean
/// something only in some places for keywords everywhere, would lose what stands around:
///
/// - `private constructor(…)` on a line after the name of its class goes, which would end the class there;
/// - `context(log: Log)` before a declaration goes, `is A if b ->` becomes `is A,  b ->`, and `$$"` a plain string;
/// - an annotation between a property and its `get()` or `set(…)` goes, and `suspend` before a lambda;
/// - `where?.f`, `by = 1`, `!final` and `{ … } get x` are spelled otherwise: the names are of no function.
///
/// O(n).
pub(crate) fn prepared(source: &[u8]) -> Cow<'_, [u8]> {
    let mut text = Cow::Borrowed(source);
    for at in memchr::memchr2_iter(b'$', b'@', source) {
        if source[at..].starts_with(b"$$\"") {
            blank(&mut text, at..at + 2);
            literal_dollars(source, at + 3, &mut text);
        } else if source[at] == b'@'
            && let Some(end) = annotation_of_accessor(source, at)
        {
            blank(&mut text, at..end);
        }
    }
    for (word, rule) in RULES {
        for at in memchr::memmem::find_iter(source, word) {
            let end = at + word.len();
            let is_whole = at.checked_sub(1).is_none_or(|at| !is_word(source[at]))
                && source.get(end).is_none_or(|&byte| !is_word(byte));
            if is_whole {
                rule(source, at..end, &mut text);
            }
        }
    }
    text
}

type Rule = fn(&[u8], Range<usize>, &mut Cow<'_, [u8]>);

const RULES: [(&[u8], Rule); 9] = [
    (b"constructor", primary_constructor),
    (b"context", context),
    (b"if", guard),
    (b"suspend", suspended_lambda),
    (b"get", infix),
    (b"set", infix),
    (b"where", soft_name),
    (b"by", soft_name),
    (b"final", soft_name),
];

/// The constructor of a class on a line after its name, with what stands before it: what follows is the class's body.
fn primary_constructor(source: &[u8], word: Range<usize>, text: &mut Cow<'_, [u8]>) {
    const MODIFIERS: [&[u8]; 6] = [
        b"public",
        b"private",
        b"protected",
        b"internal",
        b"actual",
        b"expect",
    ];
    let mut start = word.start;
    let before = loop {
        let before = source[..start].trim_ascii_end();
        let begin = word_start(before, before.len());
        let is_annotation = begin > 0 && before[begin - 1] == b'@' && begin < before.len();
        if !is_annotation && !MODIFIERS.contains(&&before[begin..]) {
            break before;
        }
        start = begin - usize::from(is_annotation);
    };
    let is_on_own_line = source[before.len()..word.start].contains(&b'\n');
    let open = skip_white(source, word.end);
    if !is_on_own_line || source.get(open) != Some(&b'(') || !names_class(before) {
        return;
    }
    if let Some(end) = closing_within(source, open, MOST_OF_CONSTRUCTOR) {
        blank(text, start..end);
    }
}

/// Whether a text ends with `class`, a name and perhaps the parameters of its type.
fn names_class(text: &[u8]) -> bool {
    let mut end = text.len();
    if text.ends_with(b">") {
        let mut depth = 0usize;
        let open = text.iter().rev().take(HORIZON).position(|byte| {
            depth += usize::from(*byte == b'>');
            depth = depth.saturating_sub(usize::from(*byte == b'<'));
            depth == 0
        });
        let Some(open) = open else {
            return false;
        };
        end = text.len() - 1 - open;
    }
    let name = text[..end].trim_ascii_end();
    let start = word_start(name, name.len());
    let before = name[..start].trim_ascii_end();
    start < name.len() && &before[word_start(before, before.len())..] == b"class"
}

/// `context(log: Log)` alone on its line, or before what may begin a declaration.
fn context(source: &[u8], word: Range<usize>, text: &mut Cow<'_, [u8]>) {
    const BEGIN: [&[u8]; 12] = [
        b"fun",
        b"val",
        b"var",
        b"class",
        b"public",
        b"private",
        b"internal",
        b"protected",
        b"override",
        b"suspend",
        b"inline",
        b"open",
    ];
    if !line_before(source, word.start).is_empty() || source.get(word.end) != Some(&b'(') {
        return;
    }
    let Some(end) = closing(source, word.end) else {
        return;
    };
    let next = skip_white(source, end);
    let next_word = &source[next..word_end(source, next)];
    if BEGIN.contains(&next_word) || source.get(next) == Some(&b'@') {
        blank(text, word.start..end);
    }
}

/// `is A if b ->` of a `when`: the condition becomes one more.
fn guard(source: &[u8], word: Range<usize>, text: &mut Cow<'_, [u8]>) {
    let before = line_before(source, word.start);
    let is_entry = before.starts_with(b"is ") || before.starts_with(b"!is ");
    let has_ended = before.contains(&b'{')
        || before.contains(&b'"')
        || memchr::memmem::find(before, b"->").is_some();
    if is_entry && !has_ended {
        let text = text.to_mut();
        text[word.start] = b',';
        text[word.start + 1] = b' ';
    }
}

fn suspended_lambda(source: &[u8], word: Range<usize>, text: &mut Cow<'_, [u8]>) {
    if source[word.end..].trim_ascii_start().starts_with(b"{") {
        blank(text, word);
    }
}

/// Of a string behind `$$`, the `${` that begins no expression there.
fn literal_dollars(source: &[u8], start: usize, text: &mut Cow<'_, [u8]>) {
    for at in start..source.len().min(start + HORIZON) {
        match source[at] {
            b'\n' => return,
            b'"' if source[at - 1] != b'\\' => return,
            b'$' if source[at..].starts_with(b"${") && source[at - 1] != b'$' => {
                blank(text, at..at + 2);
            }
            _ => {}
        }
    }
}

/// `insert { … } get id`, and a call `get(copy)` alone on its line: an accessor would stand on a line of its own, or
/// behind a type, and have a body.
fn infix(source: &[u8], word: Range<usize>, text: &mut Cow<'_, [u8]>) {
    let before = line_before(source, word.start);
    let next = source.get(word.end + 1);
    let has_operand = source.get(word.end) == Some(&b' ')
        && next.is_some_and(|&next| is_word(next) || next == b'(');
    let is_call = || {
        let end = (before.is_empty() && source.get(word.end) == Some(&b'('))
            .then(|| closing(source, word.end))
            .flatten();
        let next = end.and_then(|end| source[end..].trim_ascii_start().first());
        next.is_some_and(|next| !b"={:".contains(next))
    };
    if before.ends_with(b"}") && has_operand || is_call() {
        rename(text, word);
    }
}

/// A keyword of some places where it can only be a name: before an operator.
fn soft_name(source: &[u8], word: Range<usize>, text: &mut Cow<'_, [u8]>) {
    let rest = source[word.end..].trim_ascii_start();
    let before = line_before(source, word.start).last();
    let is_member = before == Some(&b'.');
    let is_name = rest.first().is_some_and(|next| b"?.=),!+-".contains(next))
        || rest.first() == Some(&b':')
            && &source[word.clone()] == b"where"
            && before != Some(&b')');
    if is_name && !is_member {
        rename(text, word);
    }
}

/// Another word of the same length.
fn rename(text: &mut Cow<'_, [u8]>, word: Range<usize>) {
    text.to_mut()[word.end - 1] = b'_';
}

fn blank(text: &mut Cow<'_, [u8]>, range: Range<usize>) {
    for byte in &mut text.to_mut()[range] {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

/// Where the annotation at `at` ends, if an accessor follows it.
fn annotation_of_accessor(source: &[u8], at: usize) -> Option<usize> {
    if !line_before(source, at).is_empty() {
        return None;
    }
    let mut end = word_end(source, at + 1);
    if source.get(end) == Some(&b'(') {
        end = closing(source, end)?;
    }
    let next = skip_white(source, end);
    let next_end = word_end(source, next);
    let is_accessor = matches!(&source[next..next_end], b"get" | b"set");
    (end > at + 1 && next > end && is_accessor && source.get(next_end) == Some(&b'('))
        .then_some(end)
}

/// Farther than this from a word neither the start of its line nor a parenthesis is looked for.
const HORIZON: usize = 1_000;

/// What stands before `at` on its line, without the white space around it.
fn line_before(source: &[u8], at: usize) -> &[u8] {
    let before = &source[at.saturating_sub(HORIZON)..at];
    let start = memchr::memrchr(b'\n', before).map_or(0, |line| line + 1);
    before[start..].trim_ascii()
}

/// The parameters of a constructor are looked through for so many bytes: there may be dozens of them.
const MOST_OF_CONSTRUCTOR: usize = 20_000;

/// One past the parenthesis that closes the one at `open`.
fn closing(source: &[u8], open: usize) -> Option<usize> {
    closing_within(source, open, HORIZON)
}

fn closing_within(source: &[u8], open: usize, horizon: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in source.iter().enumerate().skip(open).take(horizon) {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(at + 1),
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn word_start(source: &[u8], end: usize) -> usize {
    let before = source[..end].iter().rev();
    end - before.take_while(|&&byte| is_word(byte)).count()
}

fn word_end(source: &[u8], start: usize) -> usize {
    let length = source[start..].iter().position(|&byte| !is_word(byte));
    length.map_or(source.len(), |length| start + length)
}

fn skip_white(source: &[u8], start: usize) -> usize {
    let length = source[start..]
        .iter()
        .position(|byte| !byte.is_ascii_whitespace());
    length.map_or(source.len(), |length| start + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_grammar_does_not_know_is_spelled_otherwise() {
        for (source, expected) in [
            (
                "class A\ninternal actual constructor(val factual: Int) { actual fun f() }",
                "class A\n                                              { actual fun f() }",
            ),
            (
                "class A<T : B<T>>\n@Inject\nconstructor(a: (T) -> A) : C()",
                "class A<T : B<T>>\n       \n                         : C()",
            ),
            (
                "class A {\n  private constructor() {} }",
                "class A {\n  private constructor() {} }",
            ),
            (
                "class A private constructor()",
                "class A private constructor()",
            ),
            ("context(l: Log)\nfun f() {}", "               \nfun f() {}"),
            ("context(l).f()", "context(l).f()"),
            ("  is A if b -> c", "  is A ,  b -> c"),
            ("  is A -> if (b) c", "  is A -> if (b) c"),
            ("x = suspend { }", "x =         { }"),
            ("suspend fun f() { }", "suspend fun f() { }"),
            ("i { } get x.y", "i { } ge_ x.y"),
            ("  get() = 1", "  get() = 1"),
            ("  get(copy)\n  return", "  ge_(copy)\n  return"),
            ("val a: A get() = b", "val a: A get() = b"),
            ("where?.let { }", "wher_?.let { }"),
            ("fun <T> f() where T : A", "fun <T> f() where T : A"),
            ("q.where { by(1) }", "q.where { by(1) }"),
            ("if (!final) by.f()", "if (!fina_) b_.f()"),
            ("final override fun f()", "final override fun f()"),
            ("@A(B::class)\n get() = c", "            \n get() = c"),
            ("@A\nfun get() = c", "@A\nfun get() = c"),
            (
                "f($$\"a ${b} $${c}\", \"${d}\")",
                "f(  \"a   b} $${c}\", \"${d}\")",
            ),
        ] {
            let text = prepared(source.as_bytes());
            assert_eq!(String::from_utf8_lossy(&text), expected);
            assert_eq!(text.len(), source.len());
        }
    }
}
