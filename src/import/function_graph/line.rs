//! The lines of the text, taken apart.

use crate::decimal::{self, Unit};

/// A task as a line names it: its command, of which the kernel prints seven letters, and its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Task<'a> {
    pub name: &'a str,
    pub id: &'a str,
}

impl<'a> Task<'a> {
    fn parse(text: &'a str) -> Option<Task<'a>> {
        let (name, id) = text.trim().rsplit_once('-')?;
        let is_number = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
        // The command of the task that idles may be missing.
        is_number.then(|| Task {
            name: name.trim(),
            id,
        })
    }
}

/// What a line says of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'a> {
    Begin(&'a str),
    /// Begins and ends.
    Leaf(&'a str),
    /// Ends, with the name of the function where its begin may be lost.
    End(Option<&'a str>),
    /// An interrupt begins or ends.
    Interrupt,
    /// A comment, or another event.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Body<'a> {
    /// Whether it is a line of trace-cmd.
    pub is_event: bool,
    /// Whether there is a column for the duration.
    has_columns: bool,
    /// In nanoseconds, as is the duration.
    pub time: Option<i64>,
    pub processor: Option<u32>,
    pub task: Option<Task<'a>>,
    pub duration: Option<i64>,
    /// How far what it says is indented.
    pub indent: u32,
    pub kind: Kind<'a>,
}

impl Body<'_> {
    /// Whether no other text has such lines.
    pub(super) fn is_sure(&self) -> bool {
        let is_call = !matches!(self.kind, Kind::Other);
        self.has_columns && self.processor.is_some() && is_call
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// So many events were lost.
    Lost(u64),
    /// So many calls were too deep for the tracer.
    Overruns(u64),
    Switch {
        processor: Option<u32>,
        from: Task<'a>,
        to: Task<'a>,
    },
    Body(Body<'a>),
}

impl<'a> Line<'a> {
    /// A line without its end; none of one that is of the header or damaged.
    pub(super) fn parse(line: &'a str) -> Option<Line<'a>> {
        if line.starts_with('#') {
            return None;
        }
        let about = line.trim_start();
        if about.starts_with("CPU:") {
            let inside = about.split_once('[')?.1;
            let count = inside.split(' ').find_map(|word| word.parse().ok());
            return inside
                .contains("EVENTS")
                .then_some(Line::Lost(count.unwrap_or(1)));
        }
        if let Some(count) = about.strip_prefix("(Overruns: ") {
            return Some(Line::Overruns(count.strip_suffix(')')?.parse().ok()?));
        }
        event(line).map(Line::Body).or_else(|| of_kernel(line))
    }
}

/// A line of trace-cmd: `task-id [processor] flags time: event: what it says`.
fn event(line: &str) -> Option<Body<'_>> {
    let (at, _) = line.match_indices(" [").find(|(at, _)| {
        let number = line[at + 2..].split(']').next().unwrap_or_default();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })?;
    let who = &line[..at];
    if who.contains(['|', ')']) {
        return None;
    }
    let task = Task::parse(who)?;
    let (processor, rest) = line[at + 2..].split_once(']')?;
    let (before, rest) = rest.split_once(": ")?;
    let time = before.split_ascii_whitespace().next_back()?;
    let (name, says) = rest.trim_start().split_once(':')?;
    let mut body = Body {
        is_event: false,
        has_columns: true,
        time: Some(decimal::nanoseconds(time.as_bytes(), Unit::Seconds).ok()?),
        processor: processor.parse().ok(),
        task: Some(task),
        duration: None,
        indent: 0,
        kind: Kind::Other,
    };
    if matches!(name, "funcgraph_entry" | "funcgraph_exit") {
        body.is_event = true;
        says_of_call(says, &mut body)?;
    }
    Some(body)
}

/// A line of the kernel: `time | processor) task | flags | duration | what it says`, each of them optional.
fn of_kernel(line: &str) -> Option<Line<'_>> {
    let mut body = Body {
        is_event: false,
        has_columns: line.contains('|'),
        time: None,
        processor: None,
        task: None,
        duration: None,
        indent: 0,
        kind: Kind::Other,
    };
    // A rule around a switch may have a bar.
    let mut rest = match line.trim_start().strip_prefix("| ") {
        Some(rest) if rest.contains(" => ") => rest,
        _ => line,
    };
    if let Some((time, after)) = rest.split_once('|')
        && time
            .trim()
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
        && let Ok(time) = decimal::nanoseconds(time.trim().as_bytes(), Unit::Seconds)
    {
        (body.time, rest) = (Some(time), after);
    }
    if let Some((number, after)) = rest.split_once(')')
        && let Ok(number) = number.trim().parse()
    {
        (body.processor, rest) = (Some(number), after);
    }
    if let Some((from, to)) = rest.split_once(" => ")
        && !rest.contains('|')
    {
        return Some(Line::Switch {
            processor: body.processor,
            from: Task::parse(from)?,
            to: Task::parse(to)?,
        });
    }
    if let Some((task, after)) = rest.split_once('|')
        && !task.contains("/*")
        && let Some(task) = Task::parse(task)
    {
        (body.task, rest) = (Some(task), after);
    }
    let is_flag = |byte: u8| byte.is_ascii_alphanumeric() || b".#".contains(&byte);
    if let Some((flags, after)) = rest.split_once('|')
        && (4..=8).contains(&flags.trim().len())
        && flags.trim().bytes().all(is_flag)
    {
        rest = after;
    }
    says_of_call(rest, &mut body)?;
    Some(Line::Body(body))
}

/// The column of the duration, and what stands behind it.
fn says_of_call<'a>(text: &'a str, body: &mut Body<'a>) -> Option<()> {
    if text.contains("=====>") || text.contains("<=====") {
        body.kind = Kind::Interrupt;
        return Some(());
    }
    let bar = text
        .find('|')
        .filter(|&bar| text.find("/*").is_none_or(|it| bar < it));
    let says = match bar {
        Some(bar) => {
            // A sign says that it is long.
            let duration = text[..bar]
                .trim()
                .trim_start_matches(['+', '!', '#', '*', '@', '$']);
            let duration = duration.trim_start().trim_end_matches("us").trim_end();
            if !duration.is_empty() {
                let duration = decimal::nanoseconds(duration.as_bytes(), Unit::Microseconds);
                body.duration = Some(duration.ok().filter(|&it| it >= 0)?);
            }
            &text[bar + 1..]
        }
        None => text,
    };
    let call = says.trim_start();
    body.indent = (says.len() - call.len()) as u32;
    body.kind = kind(call.trim_end())?;
    Some(())
}

fn kind(call: &str) -> Option<Kind<'_>> {
    if call.starts_with("/*") {
        return Some(Kind::Other);
    }
    if let Some(rest) = call.strip_prefix('}') {
        let inside = rest.trim_start().strip_prefix("/*").map(str::trim_start);
        let name = inside.map(|it| it.split([' ', '(']).next().unwrap_or_default());
        let is_name = |name: &&str| !name.is_empty() && !name.contains(['=', '<', '*']);
        // The comment may be about what the function returns.
        let name = name.filter(is_name).filter(|_| !rest.contains("/* ="));
        let is_module = |name: &str| inside.is_some_and(|it| it[name.len()..].starts_with(" ["));
        return Some(Kind::End(name.filter(|name| !is_module(name))));
    }
    let without = match call.rfind("/*").filter(|_| call.ends_with("*/")) {
        Some(comment) => call[..comment].trim_end(),
        None => call,
    };
    let name = without.split('(').next()?.trim();
    let is_call = !name.is_empty() && without.contains('(');
    match without.as_bytes().last()? {
        b'{' if is_call => Some(Kind::Begin(name)),
        b';' if is_call => Some(Kind::Leaf(name)),
        _ => None,
    }
}
