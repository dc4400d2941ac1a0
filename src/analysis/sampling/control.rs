//! Control files: what is sampled where, as in figure 3 of "Visualizing and animating sampled dynamic information" (AVID).
//!
//! ```xml
//! <sampling>
//!   <range>
//!     <sample object="0" method="0" stack="50" stackonobject="no" type="event" start="10000" end="200000"/>
//!   </range>
//!   <default>
//!     <trace/>
//!   </default>
//! </sampling>
//! ```
//!
//! In the range from time 10000 to before 200000 the stacks are kept every 50 events, elsewhere everything. `method` is
//! C-1, `stack` C-2, or C-3 where `type` is `timestamp`; `object` is M-1 or likewise M-2, and with `stackonobject` M-3. 0,
//! which also stands for an attribute that is missing, is off. Times are nanoseconds or have a unit.

use super::error::ControlError;
use super::xml::{self, Attribute, Element};
use callscape_base::units::{Cost, Time, TimeSpec};
use callscape_facts::sampling::{Flow, Objects, Plan, Rule, Stretch};

/// Files up to this size are read.
const LARGEST: usize = 1 << 20;

/// Reads a control file for a recording that lasts `duration`, which shares of times are of. O(letters).
pub fn read(file: &str, text: &[u8], duration: Cost) -> Result<Plan, ControlError> {
    if text.len() > LARGEST {
        let expected = format!("a control file of at most {LARGEST} bytes");
        let found = format!("{} bytes", text.len());
        return Err(ControlError::new(file, 1, &expected, found));
    }
    let text = std::str::from_utf8(text).map_err(|error| {
        let before = &text[..error.valid_up_to()];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count() as u64;
        ControlError::new(file, line, "UTF-8", "other bytes".into())
    })?;
    let root = xml::read(file, text)?;
    Control { file, duration }.plan(&root)
}

struct Control<'a> {
    file: &'a str,
    duration: Cost,
}

impl Control<'_> {
    fn wrong(&self, line: u64, expected: &str, found: String) -> ControlError {
        ControlError::new(self.file, line, expected, found)
    }

    fn plan(&self, root: &Element) -> Result<Plan, ControlError> {
        if root.name != "sampling" {
            let found = format!("<{}>", root.name);
            return Err(self.wrong(root.line, "<sampling>", found));
        }
        self.ensure_bare(root)?;
        let mut ranges: Vec<(u64, Stretch)> = Vec::new();
        let mut default = None;
        for child in &root.children {
            self.ensure_bare(child)?;
            match child.name.as_str() {
                "range" => {
                    let inner = self.only(child)?;
                    ranges.push((inner.line, self.range(inner)?));
                }
                "default" if default.is_some() => {
                    let found = "a second".to_owned();
                    return Err(self.wrong(child.line, "one <default>", found));
                }
                "default" => default = Some(self.rule(self.only(child)?, false)?),
                other => {
                    let found = format!("<{other}>");
                    return Err(self.wrong(child.line, "<range> or <default>", found));
                }
            }
        }
        ranges.sort_by_key(|(line, range)| (range.start, *line));
        for pair in ranges.windows(2) {
            let [(line, before), (other, after)] = pair else {
                continue;
            };
            if after.start < before.end {
                let expected = format!(
                    "ranges that do not overlap: this one from {}, the end of the range in line {line}",
                    before.end.ns()
                );
                let found = format!("start {}", after.start.ns());
                return Err(self.wrong(*other, &expected, found));
            }
        }
        Ok(Plan {
            ranges: ranges.into_iter().map(|(_, range)| range).collect(),
            default: default.unwrap_or(Rule::ALL),
        })
    }

    fn ensure_bare(&self, element: &Element) -> Result<(), ControlError> {
        match element.attributes.first() {
            None => Ok(()),
            Some(it) => {
                let expected = format!("<{}> without attributes", element.name);
                Err(self.wrong(it.line, &expected, it.name.clone()))
            }
        }
    }

    fn only<'e>(&self, element: &'e Element) -> Result<&'e Element, ControlError> {
        let expected = format!("one <sample …/> or <trace/> in <{}>", element.name);
        match element.children.as_slice() {
            [only] => Ok(only),
            [] => Err(self.wrong(element.line, &expected, "none".into())),
            [_, second, ..] => {
                let found = format!("a second: <{}>", second.name);
                Err(self.wrong(second.line, &expected, found))
            }
        }
    }

    fn range(&self, element: &Element) -> Result<Stretch, ControlError> {
        let rule = self.rule(element, true)?;
        let start = self.time(element, "start")?;
        let end = self.time(element, "end")?;
        if end == Time::MAX {
            let expected = "a range that ends";
            return Err(self.wrong(element.line, expected, "an end past all times".into()));
        }
        if start >= end {
            let expected = "a range that starts before it ends";
            let found = format!("start {}, end {}", start.ns(), end.ns());
            return Err(self.wrong(element.line, expected, found));
        }
        Ok(Stretch { start, end, rule })
    }

    fn time(&self, element: &Element, name: &str) -> Result<Time, ControlError> {
        let found = element.attributes.iter().find(|it| it.name == name);
        let Some(attribute) = found else {
            let expected = format!("{name}, since a range has a start and an end");
            let found = format!("<{}> without it", element.name);
            return Err(self.wrong(element.line, &expected, found));
        };
        self.spec(attribute)
    }

    fn spec(&self, attribute: &Attribute) -> Result<Time, ControlError> {
        let spec: Result<TimeSpec, String> = attribute.value.parse();
        spec.map(|spec| spec.resolve(self.duration)).map_err(|_| {
            let expected = format!("a time like 10000, 12.5ms or 40% for {}", attribute.name);
            self.wrong(attribute.line, &expected, shown(&attribute.value))
        })
    }

    fn rule(&self, element: &Element, in_range: bool) -> Result<Rule, ControlError> {
        const RANGE: [&str; 2] = ["start", "end"];
        const SAMPLE: [&str; 5] = ["object", "method", "stack", "stackonobject", "type"];
        let is_trace = match element.name.as_str() {
            "trace" => true,
            "sample" => false,
            other => {
                let found = format!("<{other}>");
                return Err(self.wrong(element.line, "<sample …/> or <trace/>", found));
            }
        };
        if let Some(child) = element.children.first() {
            let expected = format!("nothing in <{}>", element.name);
            return Err(self.wrong(child.line, &expected, format!("<{}>", child.name)));
        }
        let known: &[&str] = if is_trace { &[] } else { &SAMPLE };
        for it in &element.attributes {
            let name = it.name.as_str();
            let is_known = known.contains(&name) || (in_range && RANGE.contains(&name));
            if !is_known {
                let expected = match (is_trace, in_range) {
                    (true, true) => "start or end",
                    (true, false) => "<trace/> without attributes",
                    (false, true) => "object, method, stack, stackonobject, type, start or end",
                    (false, false) => "object, method, stack, stackonobject or type",
                };
                return Err(self.wrong(it.line, expected, shown(name)));
            }
        }
        match is_trace {
            true => Ok(Rule::ALL),
            false => self.sample(element),
        }
    }

    fn sample(&self, element: &Element) -> Result<Rule, ControlError> {
        let get = |name: &str| element.attributes.iter().find(|it| it.name == name);
        let choice = |name: &str, [first, second]: [&str; 2]| match get(name) {
            None => Ok(false),
            Some(it) if it.value == first => Ok(false),
            Some(it) if it.value == second => Ok(true),
            Some(it) => {
                let expected = format!("{first} or {second} for {name}");
                Err(self.wrong(it.line, &expected, shown(&it.value)))
            }
        };
        let by_time = choice("type", ["event", "timestamp"])?;
        let with_stack = choice("stackonobject", ["no", "yes"])?;
        let count = |name: &str| match get(name) {
            None => Ok(0),
            Some(it) if by_time => self.spec(it).map(Time::ns),
            Some(it) => it.value.parse::<u64>().map_err(|_| {
                let expected = format!("a number of events for {name}, or 0 for none");
                self.wrong(it.line, &expected, shown(&it.value))
            }),
        };
        let (object, method, stack) = (count("object")?, count("method")?, count("stack")?);
        let line = |name: &str| get(name).map_or(element.line, |it| it.line);
        if method > 0 && stack > 0 {
            let expected = "method or stack, and 0 for the other";
            let found = format!("method {method} and stack {stack}");
            return Err(self.wrong(line("stack"), expected, found));
        }
        if method > 0 && by_time {
            let expected = "type event with method, which counts function entries and exits";
            return Err(self.wrong(line("type"), expected, "timestamp".into()));
        }
        let flow = match (method, stack, by_time) {
            (0, 0, _) => Flow::Off,
            (0, stack, false) => Flow::Stacks(stack),
            (0, stack, true) => Flow::StacksEvery(Cost::from_ns(stack)),
            (method, _, _) => Flow::Events(method),
        };
        let objects = match (object, by_time) {
            (0, _) => Objects::Off,
            (object, false) => Objects::Events(object),
            (object, true) => Objects::Every(Cost::from_ns(object)),
        };
        Ok(Rule {
            flow,
            objects,
            with_stack,
        })
    }
}

fn shown(text: &str) -> String {
    let text: String = text.chars().take(40).collect();
    format!("'{text}'")
}
