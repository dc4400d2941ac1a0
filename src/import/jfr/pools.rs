//! The constants of a chunk that stacks and threads are made of.

use std::collections::HashMap;
use std::ops::Range;

use super::types::{Role, Types, Value};
use super::wire::{Bytes, Text};
use callscape_facts::hashing::BuildFast;

/// A thread as a chunk describes it.
#[derive(Clone, Debug, Default)]
pub(super) struct Thread {
    os_name: Label,
    os_id: u64,
    java_name: Label,
    java_id: u64,
}

/// A text in its place or in the pool of texts.
#[derive(Clone, Debug)]
enum Label {
    Here(String),
    Pooled(u64),
}

impl Default for Label {
    fn default() -> Label {
        Label::Here(String::new())
    }
}

impl From<Text<'_>> for Label {
    fn from(text: Text<'_>) -> Label {
        match text {
            Text::Here(text) => Label::Here(text.into_owned()),
            Text::Pooled(key) => Label::Pooled(key),
        }
    }
}

/// A frame of a stack: the key of its method, and the line that ran.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Frame {
    pub method: u64,
    pub line: u32,
}

type Pool<T> = HashMap<u64, T, BuildFast>;

/// Constants by their keys, which hold within one chunk.
#[derive(Debug, Default)]
pub(super) struct Pools {
    texts: Pool<Label>,
    symbols: Pool<Label>,
    /// The key of the symbol that is its name.
    classes: Pool<u64>,
    /// The keys of its class and of the symbol that is its name.
    methods: Pool<(u64, u64)>,
    frames: Vec<Frame>,
    /// Where its frames are, the innermost first, and whether it was cut.
    stacks: Pool<(Range<usize>, bool)>,
    threads: Pool<Thread>,
    /// The key of the class of a sampled object.
    old_objects: Pool<u64>,
    /// What threads can be doing.
    states: Pool<Label>,
}

impl Pools {
    /// Takes the constants of a checkpoint event; none where it is damaged: those before the damage are taken.
    pub(super) fn read(&mut self, mut bytes: Bytes<'_>, types: &Types) -> Option<()> {
        // Start, duration and the way to the checkpoint before.
        for _ in 0..3 {
            bytes.number()?;
        }
        bytes.byte()?;
        for _ in 0..bytes.count()? {
            let class = types.get(bytes.number()?)?;
            for _ in 0..bytes.count()? {
                let key = bytes.number()?;
                match class.name.as_str() {
                    "java.lang.String" => {
                        let text = label(types, class, &mut bytes)?;
                        self.texts.insert(key, text);
                    }
                    "jdk.types.ThreadState" => {
                        let text = label(types, class, &mut bytes)?;
                        self.states.insert(key, text);
                    }
                    "jdk.types.Symbol" => {
                        let text = label(types, class, &mut bytes)?;
                        self.symbols.insert(key, text);
                    }
                    "java.lang.Class" => {
                        let mut name = 0;
                        types.value(class, &mut bytes, &mut |role, value| {
                            if let (Role::Name, Value::Number(key)) = (role, value) {
                                name = key;
                            }
                        })?;
                        self.classes.insert(key, name);
                    }
                    "jdk.types.Method" => {
                        let (mut class_key, mut name) = (0, 0);
                        types.value(class, &mut bytes, &mut |role, value| match (role, value) {
                            (Role::Type, Value::Number(key)) => class_key = key,
                            (Role::Name, Value::Number(key)) => name = key,
                            _ => {}
                        })?;
                        self.methods.insert(key, (class_key, name));
                    }
                    "jdk.types.OldObject" => {
                        let mut class_key = 0;
                        types.value(class, &mut bytes, &mut |role, value| {
                            if let (Role::Type, Value::Number(key)) = (role, value) {
                                class_key = key;
                            }
                        })?;
                        self.old_objects.insert(key, class_key);
                    }
                    "jdk.types.StackTrace" => {
                        let start = self.frames.len();
                        let frames = &mut self.frames;
                        let mut truncated = false;
                        let mut frame = Frame::default();
                        types.value(class, &mut bytes, &mut |role, value| match (role, value) {
                            (Role::Truncated, Value::Number(number)) => truncated = number != 0,
                            (Role::Method, Value::Number(key)) => frame.method = key,
                            (Role::LineNumber, Value::Number(line)) => {
                                // Hidden frames have -1.
                                let line = u32::try_from(line).unwrap_or(0);
                                frame.line = if line > i32::MAX as u32 { 0 } else { line };
                            }
                            (Role::Frames, Value::Fields) => {
                                frames.push(std::mem::take(&mut frame));
                            }
                            _ => {}
                        })?;
                        let range = start..self.frames.len();
                        self.stacks.insert(key, (range, truncated));
                    }
                    "java.lang.Thread" => {
                        let mut thread = Thread::default();
                        types.value(class, &mut bytes, &mut |role, value| match (role, value) {
                            (Role::OsName, Value::Text(text)) => thread.os_name = text.into(),
                            (Role::OsThreadId, Value::Number(id)) => thread.os_id = id,
                            (Role::JavaName, Value::Text(text)) => {
                                thread.java_name = text.into();
                            }
                            (Role::JavaThreadId, Value::Number(id)) => thread.java_id = id,
                            _ => {}
                        })?;
                        self.threads.insert(key, thread);
                    }
                    _ => types.value(class, &mut bytes, &mut |_, _| {})?,
                }
            }
        }
        Some(())
    }

    fn text<'a>(&'a self, label: &'a Label) -> &'a str {
        match label {
            Label::Here(text) => text,
            // A text in the pool that refers to another is none.
            Label::Pooled(key) => match self.texts.get(key) {
                Some(Label::Here(text)) => text,
                _ => "",
            },
        }
    }

    fn symbol(&self, key: u64) -> &str {
        self.symbols.get(&key).map_or("", |label| self.text(label))
    }

    /// The name of a thread's state; empty if it is not known.
    pub(super) fn state(&self, key: u64) -> &str {
        self.states.get(&key).map_or("", |label| self.text(label))
    }

    /// The frames of a stack, the innermost first, and whether it was cut; none where it is not known.
    pub(super) fn stack(&self, key: u64) -> Option<(&[Frame], bool)> {
        let (range, truncated) = self.stacks.get(&key)?;
        Some((self.frames.get(range.clone())?, *truncated))
    }

    /// A method's name with that of its class, as people write it; empty where it is not known.
    pub(super) fn method(&self, key: u64) -> String {
        let Some(&(class, name)) = self.methods.get(&key) else {
            return String::new();
        };
        let class = self
            .classes
            .get(&class)
            .map_or("", |&name| self.symbol(name));
        let name = self.symbol(name);
        if class.is_empty() {
            return name.to_owned();
        }
        format!("{}.{name}", class.replace('/', "."))
    }

    /// A class's name as people write it, `java.lang.String[]` of `[Ljava/lang/String;`; empty where it is not known.
    pub(super) fn class(&self, key: u64) -> String {
        let name = self.classes.get(&key).map_or("", |&name| self.symbol(name));
        written(name)
    }

    /// The key of the class of a sampled object.
    pub(super) fn old_object(&self, key: u64) -> Option<u64> {
        self.old_objects.get(&key).copied()
    }

    /// A thread's number and name; those of Java where it has them, else those of the system.
    pub(super) fn thread(&self, key: u64) -> (String, &str) {
        let Some(thread) = self.threads.get(&key) else {
            return (key.to_string(), "");
        };
        let id = match thread.java_id {
            0 => thread.os_id,
            id if id > i64::MAX as u64 => thread.os_id,
            id => id,
        };
        let name = match self.text(&thread.java_name) {
            "" => self.text(&thread.os_name),
            name => name,
        };
        (id.to_string(), name)
    }
}

/// The name of a class as people write it, of the one that the JVM has.
fn written(name: &str) -> String {
    let element = name.trim_start_matches('[');
    let dimensions = name.len() - element.len();
    let element = match (dimensions, element) {
        (0, name) => name,
        (_, "B") => "byte",
        (_, "C") => "char",
        (_, "D") => "double",
        (_, "F") => "float",
        (_, "I") => "int",
        (_, "J") => "long",
        (_, "S") => "short",
        (_, "Z") => "boolean",
        (_, class) => class
            .strip_prefix('L')
            .and_then(|it| it.strip_suffix(';'))
            .unwrap_or(class),
    };
    element.replace('/', ".") + &"[]".repeat(dimensions)
}

/// A constant that is a text.
fn label(types: &Types, class: &super::types::Class, bytes: &mut Bytes<'_>) -> Option<Label> {
    let mut label = Label::default();
    types.value(class, bytes, &mut |_, value| {
        if let Value::Text(text) = value {
            label = text.into();
        }
    })?;
    Some(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_written_as_people_do() {
        for (name, expected) in [
            ("java/util/HashMap$Node", "java.util.HashMap$Node"),
            ("[B", "byte[]"),
            ("[[J", "long[][]"),
            ("[Ljava/lang/String;", "java.lang.String[]"),
            ("[Lodd", "Lodd[]"),
            ("[", "[]"),
            ("", ""),
        ] {
            assert_eq!(written(name), expected);
        }
    }
}
