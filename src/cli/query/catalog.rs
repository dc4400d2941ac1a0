//! The questions that come with the program, as `assets/queries` holds them. Each begins with comments that say what it
//! answers, its parameters and its columns; these are read here.

use anyhow::{Context, bail, ensure};

use callscape_base::units::{Cost, TimeSpec};

/// A question: its name and its text.
#[derive(Debug)]
pub(super) struct Question {
    pub name: &'static str,
    text: &'static str,
}

macro_rules! question {
    ($name:literal) => {
        Question {
            name: $name,
            text: include_str!(concat!("../../../assets/queries/", $name, ".sql")),
        }
    };
}

/// All questions, in the order in which they are listed.
pub(super) const QUESTIONS: &[Question] = &[
    question!("functions"),
    question!("means"),
    question!("graph"),
    question!("modules"),
    question!("contexts"),
    question!("stack"),
    question!("slowest"),
    question!("differences"),
    question!("never-run"),
    question!("rare-calls"),
    question!("findings"),
];

/// What a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    /// A number of nanoseconds, as people write it.
    Time,
}

impl Kind {
    const NAMES: [(&'static str, Kind); 3] = [
        ("text", Kind::Text),
        ("number", Kind::Number),
        ("time", Kind::Time),
    ];

    /// A value as SQL writes it.
    fn literal(self, text: &str) -> anyhow::Result<String> {
        match self {
            Kind::Text => Ok(format!("'{}'", text.replace('\'', "''"))),
            Kind::Number => {
                let number: f64 = text.trim().parse().unwrap_or(f64::NAN);
                ensure!(number.is_finite(), "expected a number, found '{text}'");
                Ok(number.to_string())
            }
            Kind::Time => match text.parse() {
                Ok(TimeSpec::Share(_)) => {
                    bail!("expected a time, found a share: recordings differ in duration")
                }
                Ok(time) => Ok(time.resolve(Cost::ZERO).ns().to_string()),
                Err(error) => bail!("{error}"),
            },
        }
    }
}

/// What can be chosen of a question.
#[derive(Debug)]
pub(super) struct Parameter {
    pub name: &'static str,
    kind: Kind,
    /// SQL literal; `None` if the parameter is required.
    pub default: Option<&'static str>,
    pub about: &'static str,
}

impl Question {
    /// The question of this name.
    pub(super) fn named(name: &str) -> Option<&'static Question> {
        QUESTIONS.iter().find(|it| it.name == name)
    }

    /// The lines of comments that it begins with, without what makes them comments.
    fn comments(&self) -> impl Iterator<Item = &'static str> {
        let lines = self.text.lines().map_while(|line| line.strip_prefix("--"));
        lines.map(|line| line.strip_prefix(' ').unwrap_or(line))
    }

    /// The lines below a heading.
    fn below(&self, heading: &'static str) -> impl Iterator<Item = &'static str> {
        let lines = self.comments().skip_while(move |line| *line != heading);
        lines.skip(1).map_while(|line| line.strip_prefix("  "))
    }

    /// Description of the result.
    pub(super) fn about(&self) -> String {
        let lines: Vec<&str> = self
            .comments()
            .take_while(|line| !line.is_empty())
            .collect();
        lines.join(" ")
    }

    pub(super) fn parameters(&self) -> Vec<Parameter> {
        let lines = self.below("Parameters:");
        lines.filter_map(parameter).collect()
    }

    /// Names of its columns with their meanings.
    pub(super) fn columns(&self) -> Vec<(&'static str, &'static str)> {
        let lines = self.below("Columns:");
        lines.filter_map(word).collect()
    }

    /// The text with these values, each `name=value`, in the places of the parameters, and without comments.
    pub(super) fn with(&self, values: &[String]) -> anyhow::Result<String> {
        let parameters = self.parameters();
        let mut literals: Vec<Option<String>> = parameters
            .iter()
            .map(|it| it.default.map(str::to_owned))
            .collect();
        for value in values {
            let parted = value.split_once('=');
            let (name, value) = parted
                .with_context(|| format!("--param {value}: expected a name, = and a value"))?;
            let place = parameters.iter().position(|it| it.name == name);
            let place = place.with_context(|| {
                let known: Vec<&str> = parameters.iter().map(|it| it.name).collect();
                format!("--param {name}: {} has {}", self.name, known.join(", "))
            })?;
            let literal = parameters[place].kind.literal(value);
            literals[place] = Some(literal.with_context(|| format!("--param {name}"))?);
        }
        let mut sql = String::new();
        for line in self.text.lines().filter(|line| !line.starts_with("--")) {
            sql.push_str(line);
            sql.push('\n');
        }
        self.fill(sql.trim(), &parameters, &literals)
    }

    /// Replaces each `$name` with a literal in one pass, so that the text of a literal is never replaced.
    fn fill(
        &self,
        text: &str,
        parameters: &[Parameter],
        literals: &[Option<String>],
    ) -> anyhow::Result<String> {
        let mut parts = text.split('$');
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let end = part.find(|c| !is_name(c)).unwrap_or(part.len());
            let (name, rest) = part.split_at(end);
            let place = parameters.iter().position(|it| it.name == name);
            let literal = place.and_then(|place| literals[place].as_ref());
            let literal = literal.with_context(|| {
                format!(
                    "{} needs --param {name}=…; see `callscape query --list`",
                    self.name
                )
            })?;
            out.push_str(literal);
            out.push_str(rest);
        }
        Ok(out)
    }
}

/// The first word of a line, and what follows.
fn word(line: &'static str) -> Option<(&'static str, &'static str)> {
    let line = line.trim();
    let (first, rest) = line.split_once(' ')?;
    Some((first, rest.trim_start()))
}

/// Parameter described by a line: name, kind, default and meaning.
fn parameter(line: &'static str) -> Option<Parameter> {
    let (name, rest) = word(line)?;
    let (kind, rest) = word(rest)?;
    let (_, kind) = *Kind::NAMES.iter().find(|(name, _)| *name == kind)?;
    let is_default = |it: &str| it.starts_with('\'') || it.parse::<f64>().is_ok();
    let (default, about) = match word(rest) {
        Some((first, about)) if is_default(first) => (Some(first), about),
        _ => (None, rest),
    };
    Some(Parameter {
        name,
        kind,
        default,
        about,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_says_what_it_answers_its_parameters_and_its_columns() {
        for question in QUESTIONS {
            let name = question.name;
            assert!(question.about().ends_with('.'), "{name}");
            let said = question.below("Parameters:").count();
            assert!(said > 0, "{name}");
            assert_eq!(
                question.parameters().len(),
                said,
                "{name}: each line tells one"
            );
            let columns = question.columns();
            assert!(columns.len() > 3, "{name}");
            assert_eq!(columns.len(), question.below("Columns:").count(), "{name}");
            for parameter in question.parameters() {
                let used = format!("${}", parameter.name);
                let body = question.text.lines().filter(|it| !it.starts_with("--"));
                assert!(body.clone().any(|it| it.contains(&used)), "{name}: {used}");
            }
        }
    }

    #[test]
    fn every_file_of_questions_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/queries");
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let name = entry.expect("it can be read").file_name();
            let name = name.to_string_lossy();
            let name = name.strip_suffix(".sql").expect("only questions are there");
            assert!(Question::named(name).is_some(), "{name}");
        }
    }

    #[test]
    fn values_are_put_into_the_text_as_literals_and_nothing_else() {
        let stack = Question::named("stack").expect("it is listed");
        let missing = stack.with(&[]).expect_err("a time is needed").to_string();
        assert!(missing.contains("--param at="), "{missing}");
        let values = ["at=12.5ms", "recording=x' OR $at = '"].map(str::to_owned);
        let sql = stack.with(&values).expect("both are right");
        assert!(sql.contains("LIKE 'x'' OR $at = ''' AND"), "{sql}");
        assert!(sql.contains("<= 12500000 AND"), "{sql}");
        for wrong in ["at=soon", "at=40%", "when=1", "at"] {
            assert!(stack.with(&[wrong.to_owned()]).is_err(), "{wrong}");
        }
        let modules = Question::named("modules").expect("it is listed");
        for wrong in ["level=1; DROP TABLE calls", "level=inf", "level="] {
            assert!(modules.with(&[wrong.to_owned()]).is_err(), "{wrong}");
        }
    }
}
