//! How what files say of one another is kept with the rest of a scan.

use super::cache_bytes::{Input, Output};
use super::relations::{Base, CallByName, FileRelations, Globals, Import, ImportKind};

pub(crate) fn encode(relations: &FileRelations, out: &mut Output) {
    out.bytes(relations.package.as_bytes());
    out.number(relations.imports.len() as u64);
    for import in &relations.imports {
        out.number(u64::from(import.line));
        out.number(import.kind as u64);
        for part in [&import.path, &import.name, &import.alias, &import.scope] {
            out.bytes(part.as_bytes());
        }
    }
    out.number(relations.names.len() as u64);
    for name in &relations.names {
        out.bytes(name.as_bytes());
    }
    out.number(relations.calls.len() as u64);
    // Callers rise, and most qualifiers are none.
    let mut caller = 0u32;
    for call in &relations.calls {
        out.number(u64::from(call.caller.wrapping_sub(caller)));
        caller = call.caller;
        out.number(u64::from(call.qualifier.wrapping_add(2)));
        out.number(u64::from(call.name));
        out.number(u64::from(call.count));
    }
    out.number(relations.globals.len() as u64);
    for globals in &relations.globals {
        out.number(u64::from(globals.owner));
        out.number(u64::from(globals.count));
    }
    out.number(relations.bases.len() as u64);
    for base in &relations.bases {
        out.number(u64::from(base.class));
        out.number(u64::from(base.line));
        out.bytes(base.name.as_bytes());
    }
}

/// None where it is not what [`encode`] has written.
pub(crate) fn decode(input: &mut Input<'_>) -> Option<FileRelations> {
    fn text(input: &mut Input<'_>) -> Option<Box<str>> {
        Some(std::str::from_utf8(input.bytes()?).ok()?.into())
    }
    let mut relations = FileRelations {
        package: text(input)?,
        ..FileRelations::default()
    };
    for _ in 0..input.count()? {
        relations.imports.push(Import {
            line: input.small()?,
            kind: *ImportKind::ALL.get(input.count()?)?,
            path: text(input)?,
            name: text(input)?,
            alias: text(input)?,
            scope: text(input)?,
        });
    }
    for _ in 0..input.count()? {
        relations.names.push(text(input)?);
    }
    let names = relations.names.len() as u32;
    let mut caller = 0u32;
    for _ in 0..input.count()? {
        caller = caller.wrapping_add(input.small()?);
        let call = CallByName {
            caller,
            // The two that are no indices come first.
            qualifier: input.small()?.wrapping_sub(2),
            name: input.small()?,
            count: input.small()?,
        };
        (call.name < names).then_some(())?;
        relations.calls.push(call);
    }
    for _ in 0..input.count()? {
        relations.globals.push(Globals {
            owner: input.small()?,
            count: input.small()?,
        });
    }
    for _ in 0..input.count()? {
        relations.bases.push(Base {
            class: input.small()?,
            line: input.small()?,
            name: text(input)?,
        });
    }
    Some(relations)
}
