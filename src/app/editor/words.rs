//! A command line as people write it, cut into words without a shell: what a file is called can never become a command.

/// Cuts a command at white space; in single or double quotes it stays. Nothing else has a meaning. None where a quote has no
/// end.
pub(crate) fn split(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    // None between words: `''` is a word that is empty.
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in command.chars() {
        match (letter, quote) {
            (letter, Some(end)) if letter == end => quote = None,
            (letter, Some(_)) => word.get_or_insert_default().push(letter),
            ('\'' | '"', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (letter, None) if letter.is_whitespace() => words.extend(word.take()),
            (letter, None) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// A word in quotes, where [`split`] would not give it back without.
pub(crate) fn quote(word: &str) -> String {
    let is_plain = !word.is_empty()
        && !word.contains(|it: char| it.is_whitespace() || it == '\'' || it == '"');
    match (is_plain, word.contains('"')) {
        (true, _) => word.to_owned(),
        (false, false) => format!("\"{word}\""),
        (false, true) => format!("'{word}'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_words_are_split_as_they_were() {
        for word in ["a", "a b", "it's", "say \"a b\"", ""] {
            let back = split(&quote(word)).expect("every quote has an end");
            assert_eq!(back, [word]);
        }
    }

    #[test]
    fn words_end_at_white_space_outside_of_quotes() {
        let of = |command| split(command).expect("every quote has an end");
        assert_eq!(of("code -g {file}:{line}"), ["code", "-g", "{file}:{line}"]);
        assert_eq!(
            of("  \"/opt/my editor/x\"\t'a b'c  "),
            ["/opt/my editor/x", "a bc"]
        );
        assert_eq!(of("x ''"), ["x", ""]);
        assert_eq!(of("x 'a\"b' \"c'd\""), ["x", "a\"b", "c'd"]);
        // What means something to a shell means nothing here.
        assert_eq!(of("x $HOME;rm `y` \\z"), ["x", "$HOME;rm", "`y`", "\\z"]);
        assert!(of(" ").is_empty());
        assert_eq!(split("x 'a"), None);
    }
}
