//! Annotations of slices (`track_event/debug_annotation.proto`). Names of nested ones are joined with dots, down to a depth.

use super::reader::{Reader, Sequence};
use crate::protobuf::{Fields, Value as Field};
use callscape_base::units::{FunctionId, ThreadId};
use callscape_facts::builder::Timestamp;
use callscape_facts::names::Names;
use callscape_facts::trace::{Told, Value};

/// What is nested more deeply is shown as `…`.
const DEEPEST: usize = 4;

impl Reader<'_> {
    /// Takes the annotations of the slice that begins on the lane at `place`.
    pub(super) fn annotations(
        &mut self,
        event: &[u8],
        (place, function): (usize, FunctionId),
        (start, end): (i64, Option<i64>),
    ) {
        let mut name = String::new();
        for (number, value) in Fields::new(event) {
            if let (4, Field::Bytes(annotation)) = (number, value) {
                let known = (&*self.current.1, &self.names);
                tell(annotation, &mut name, 0, known, self.builder.arguments());
            }
        }
        let (start, end) = (Timestamp::from_ns(start), end.map(Timestamp::from_ns));
        // Which threads they are is known in the end.
        let of = (ThreadId(place as u32), function);
        let told = self.builder.arguments();
        told.of_begun(of, start, end, self.offset);
    }
}

/// Tells an annotation, named after those around it.
fn tell(
    annotation: &[u8],
    name: &mut String,
    depth: usize,
    known: (&Sequence, &Names),
    told: &mut Told,
) {
    let (sequence, names) = known;
    let around = name.len();
    // Those of an array have no name of their own.
    for (number, field) in Fields::new(annotation) {
        let own = match (number, field) {
            (1, Field::Number(id)) => {
                let own = sequence.annotations.get(&id);
                own.map_or("(unnamed)", |&own| names.get(own)).into()
            }
            (10, Field::Bytes(own)) => String::from_utf8_lossy(own),
            _ => continue,
        };
        if around > 0 {
            name.push('.');
        }
        name.push_str(&own);
    }
    let mut place = 0;
    for (number, field) in Fields::new(annotation) {
        let value = match (number, field) {
            (2, Field::Number(is)) => Value::Flag(is != 0),
            (3, Field::Number(number)) => Value::Integer(number.into()),
            (4, Field::Number(number)) => Value::Integer((number as i64).into()),
            (5, Field::Number(bits)) => Value::Real(f64::from_bits(bits)),
            (6 | 9, Field::Bytes(text)) => Value::Text(String::from_utf8_lossy(text)),
            (7, Field::Number(address)) => Value::Address(address),
            (17, Field::Number(id)) => {
                let text = sequence.texts.get(&id);
                Value::Text(text.map_or("", |&text| names.get(text)).into())
            }
            (11, Field::Bytes(entry)) if depth < DEEPEST => {
                tell(entry, name, depth + 1, known, told);
                continue;
            }
            (12, Field::Bytes(entry)) if depth < DEEPEST => {
                let length = name.len();
                name.push_str(&format!(".{place}"));
                place += 1;
                tell(entry, name, depth + 1, known, told);
                name.truncate(length);
                continue;
            }
            (11 | 12, Field::Bytes(_)) => Value::Text("…".into()),
            _ => continue,
        };
        told.add(name, &value);
    }
    name.truncate(around);
}
