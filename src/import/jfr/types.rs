//! The metadata of a chunk: which types its events and constants have, field by field.

use std::collections::HashMap;

use super::wire::{Bytes, Text};
use callscape_facts::hashing::BuildFast;

/// How a value of a type is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Bytes as they are.
    Raw(u8),
    Number,
    Text,
    /// Field by field.
    Fields,
}

/// What a field is to the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Other,
    StartTime,
    Duration,
    Thread,
    StackTrace,
    Truncated,
    Frames,
    Method,
    LineNumber,
    Type,
    Name,
    OsName,
    OsThreadId,
    JavaName,
    JavaThreadId,
    /// Of events of memory; a buffer is that of a thread to allocate from.
    ObjectClass,
    Object,
    Weight,
    BufferSize,
    AllocationSize,
    ObjectSize,
    HeapUsed,
    Size,
    /// Of samples of code.
    State,
    Samples,
    /// Of settings.
    Id,
    SettingValue,
}

impl Role {
    fn of(field: &str) -> Role {
        match field {
            "startTime" => Role::StartTime,
            "duration" => Role::Duration,
            "sampledThread" | "eventThread" => Role::Thread,
            "stackTrace" => Role::StackTrace,
            "truncated" => Role::Truncated,
            "frames" => Role::Frames,
            "method" => Role::Method,
            "lineNumber" => Role::LineNumber,
            "type" => Role::Type,
            "name" | "string" => Role::Name,
            "osName" => Role::OsName,
            "osThreadId" => Role::OsThreadId,
            "javaName" => Role::JavaName,
            "javaThreadId" => Role::JavaThreadId,
            "objectClass" => Role::ObjectClass,
            "object" => Role::Object,
            "weight" => Role::Weight,
            "tlabSize" => Role::BufferSize,
            "allocationSize" => Role::AllocationSize,
            "objectSize" => Role::ObjectSize,
            "heapUsed" => Role::HeapUsed,
            "size" => Role::Size,
            "state" => Role::State,
            "samples" => Role::Samples,
            "id" => Role::Id,
            "value" => Role::SettingValue,
            _ => Role::Other,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Field {
    role: Role,
    class: u64,
    /// It is the key of a constant.
    pooled: bool,
    array: bool,
}

#[derive(Debug)]
pub(super) struct Class {
    pub name: String,
    form: Form,
    fields: Vec<Field>,
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value<'a> {
    /// A number, or the key of a constant.
    Number(u64),
    Text(Text<'a>),
    /// The end of a value whose own fields came before.
    Fields,
}

/// The types of a chunk by their numbers.
#[derive(Debug, Default)]
pub(super) struct Types(HashMap<u64, Class, BuildFast>);

/// How deep values may lie in values.
const MOST_NESTED: u32 = 16;

impl Types {
    /// Reads the content of a metadata event; none where it is damaged.
    pub(super) fn read(mut bytes: Bytes<'_>) -> Option<Types> {
        // Start, duration and a number of its own.
        for _ in 0..3 {
            bytes.number()?;
        }
        let count = bytes.count()?;
        let texts = (0..count).map(|_| match bytes.text()? {
            Text::Here(text) => Some(text),
            Text::Pooled(_) => None,
        });
        let texts: Vec<_> = texts.collect::<Option<_>>()?;
        let text = |index: u64| texts.get(usize::try_from(index).ok()?).map(AsRef::as_ref);
        let mut types = Types::default();
        // Of each open element: the class that it is, and how many elements in it are left.
        let mut open: Vec<(Option<u64>, u64)> = Vec::new();
        loop {
            let element = text(bytes.number()?)?;
            let (mut id, mut name, mut class) = (None, "", None);
            let (mut pooled, mut array) = (false, false);
            for _ in 0..bytes.count()? {
                let (key, value) = (text(bytes.number()?)?, text(bytes.number()?)?);
                match key {
                    "id" => id = value.parse::<u64>().ok(),
                    "name" => name = value,
                    "class" => class = value.parse::<u64>().ok(),
                    "constantPool" => pooled = value == "true",
                    "dimension" => array = value != "0",
                    _ => {}
                }
            }
            let inside = bytes.count()?;
            let mut own = None;
            if element == "class"
                && let Some(id) = id
            {
                own = Some(id);
                let class = Class {
                    name: renamed(name),
                    form: form(name),
                    fields: Vec::new(),
                };
                types.0.insert(id, class);
            } else if element == "field"
                && let Some(&(Some(around), _)) = open.last()
                && let Some(around) = types.0.get_mut(&around)
            {
                around.fields.push(Field {
                    role: Role::of(name),
                    class: class?,
                    pooled,
                    array,
                });
            }
            open.push((own, inside));
            while open.pop_if(|(_, left)| *left == 0).is_some() {}
            match open.last_mut() {
                Some((_, left)) => *left -= 1,
                None => return Some(types),
            }
        }
    }

    pub(super) fn get(&self, class: u64) -> Option<&Class> {
        self.0.get(&class)
    }

    /// All types with their numbers, in no order.
    pub(super) fn all(&self) -> impl Iterator<Item = (u64, &Class)> {
        self.0.iter().map(|(&id, class)| (id, class))
    }

    /// Reads a value of `class`, and hands its fields to `take`, those of values in it before the field that
    /// they are. None where it is damaged; it is known then how far the reader came.
    pub(super) fn value<'a>(
        &self,
        class: &Class,
        bytes: &mut Bytes<'a>,
        take: &mut dyn FnMut(Role, Value<'a>),
    ) -> Option<()> {
        match class.form {
            Form::Fields => self.fields(class, bytes, 0, take),
            _ => self.plain(class, Role::Name, bytes, take),
        }
    }

    fn fields<'a>(
        &self,
        class: &Class,
        bytes: &mut Bytes<'a>,
        depth: u32,
        take: &mut dyn FnMut(Role, Value<'a>),
    ) -> Option<()> {
        for field in &class.fields {
            let count = if field.array { bytes.count()? } else { 1 };
            if field.pooled {
                for _ in 0..count {
                    take(field.role, Value::Number(bytes.number()?));
                }
                continue;
            }
            let inner = self.get(field.class)?;
            for _ in 0..count {
                if inner.form != Form::Fields {
                    self.plain(inner, field.role, bytes, take)?;
                    continue;
                }
                // What takes no bytes could be there any number of times.
                if depth >= MOST_NESTED || inner.fields.is_empty() {
                    return None;
                }
                self.fields(inner, bytes, depth + 1, take)?;
                take(field.role, Value::Fields);
            }
        }
        Some(())
    }

    fn plain<'a>(
        &self,
        class: &Class,
        role: Role,
        bytes: &mut Bytes<'a>,
        take: &mut dyn FnMut(Role, Value<'a>),
    ) -> Option<()> {
        let value = match class.form {
            Form::Raw(count) => {
                let bytes = bytes.take(count.into())?;
                Value::Number(
                    bytes
                        .iter()
                        .fold(0, |number, &b| number << 8 | u64::from(b)),
                )
            }
            Form::Number => Value::Number(bytes.number()?),
            Form::Text => Value::Text(bytes.text()?),
            Form::Fields => return None,
        };
        take(role, value);
        Some(())
    }
}

/// The name of a type as newer versions write it: Oracle's JDK 9 and 10 had packages of their own.
fn renamed(name: &str) -> String {
    let of_oracle = name.strip_prefix("com.oracle.");
    match of_oracle.map(|it| it.strip_prefix("jfr.types.").ok_or(it)) {
        Some(Ok(kind)) => format!("jdk.types.{kind}"),
        Some(Err(event)) => event.to_owned(),
        None => name.to_owned(),
    }
}

fn form(name: &str) -> Form {
    match name {
        "boolean" | "byte" => Form::Raw(1),
        "float" => Form::Raw(4),
        "double" => Form::Raw(8),
        "char" | "short" | "int" | "long" => Form::Number,
        "java.lang.String" => Form::Text,
        _ => Form::Fields,
    }
}
