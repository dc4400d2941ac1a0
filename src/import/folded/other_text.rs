//! Lines that end with a number and hold semicolons, but are those of another text than stacks: of a log, of code, or of a
//! list. Their beginnings tell, since a stack begins with the name of a process, a thread or a function.

/// Words that say how much a line of a log matters.
const LEVELS: [&str; 14] = [
    "TRACE", "DEBUG", "INFO", "NOTE", "NOTICE", "WARN", "WARNING", "ERR", "ERROR", "FATAL",
    "CRITICAL", "CRIT", "ALERT", "SEVERE",
];

/// Whether half of the lines that begin so, or more, are of such a text.
pub(super) fn is_one<'t>(beginnings: impl Iterator<Item = &'t [u8]>) -> bool {
    let (mut all, mut others) = (0, 0);
    for beginning in beginnings {
        all += 1;
        others += usize::from(is_of_log(beginning) || is_of_code(beginning));
    }
    others > 0 && others * 2 >= all
}

/// Whether a time or a level stands at the start, or among the words behind a name.
fn is_of_log(beginning: &[u8]) -> bool {
    let text = String::from_utf8_lossy(beginning);
    let is_time = |word: &[u8]| {
        // Neither a longer number before it nor one behind.
        let fits = |at: usize, of: u8| match of {
            b'0' => word[at].is_ascii_digit(),
            of => word[at] == of,
        };
        let is_at = |at: &usize| b"00:00:00".iter().zip(*at..).all(|(&of, at)| fits(at, of));
        let mut places = 0..(word.len() + 1).saturating_sub(8);
        places.any(|at| is_at(&at) && (at == 0 || !word[at - 1].is_ascii_digit()))
    };
    if is_time(beginning) {
        return true;
    }
    let is_edge = |sign: char| "[]()<>{}|*:,-".contains(sign);
    let words: Vec<&str> = text.split_ascii_whitespace().take(3).collect();
    let is_date = |word: &str| {
        let mut parts = word.split(['-', '/', '.']);
        let is_part = |part: Option<&str>, sizes: &[usize]| {
            part.is_some_and(|it| {
                sizes.contains(&it.len()) && it.bytes().all(|byte| byte.is_ascii_digit())
            })
        };
        is_part(parts.next(), &[4]) && is_part(parts.next(), &[2]) && is_part(parts.next(), &[2])
    };
    // Seconds since 1970, or since the start: `[   12.345678]`.
    let is_seconds = |word: &str| {
        let (whole, decimals) = word.split_once('.').unwrap_or((word, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_long = whole.len() >= 10 || decimals.len() >= 3 && !whole.is_empty();
        digits(whole) && digits(decimals) && is_long
    };
    let first = text.trim_start_matches(|sign: char| is_edge(sign) || sign == ' ');
    let first = first.split_ascii_whitespace().next().unwrap_or_default();
    let first = first.trim_end_matches(is_edge);
    if words.len() > 1 && (is_date(first) || is_seconds(first)) {
        return true;
    }
    let is_level = |word: &str| {
        // `INFO:root`, `level=info`, but not `Error::new`.
        let word = word.trim_matches(is_edge);
        let alone = word
            .split_once(':')
            .filter(|(_, rest)| !rest.starts_with(':'));
        let word = alone.map_or(word, |(word, _)| word);
        let word = word.rsplit('=').next().unwrap_or_default();
        LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word))
    };
    let is_loud = |word: &&str| is_level(word) && !word.contains(char::is_lowercase);
    let is_marked = |word: &str| is_level(word) && word.contains([':', '[', '(', '<', '=']);
    // `[INFO]` alone is a thread's name, and `error (a.py:3)` a function.
    let goes_on = |word: &str| match words.get(1) {
        Some(next) => !next.starts_with('('),
        None => !word.ends_with([']', ')', '>']) && word.contains(':'),
    };
    let begins = |word: &&str| (is_loud(word) || is_marked(word)) && goes_on(word);
    // Behind the name of a thread or of a program.
    words.first().is_some_and(begins) || words.len() > 2 && words[1..].iter().any(is_loud)
}

/// Whether it assigns something, or begins as a line of a list or of a table does.
fn is_of_code(beginning: &[u8]) -> bool {
    let mut depth = 0_i32;
    let assigns = beginning.windows(3).any(|signs| {
        depth += i32::from(b"([{<".contains(&signs[0])) - i32::from(b")]}>".contains(&signs[0]));
        depth <= 0 && (signs == b" = " || signs == b":= ")
    });
    let is_listed = |sign: &u8| b"-*+>|#".contains(sign) && beginning.get(1) == Some(&b' ');
    assigns || beginning.first().is_some_and(is_listed) || beginning.starts_with(b"<!")
}
