//! A structure read back from what `callscape tree --json` wrote.

use serde::Deserialize;

use callscape_facts::hierarchy::{Hierarchy, HierarchyBuilder, Module, ModuleKind, NodeId};
use callscape_facts::kinds::{FileKind, Made, Purpose};

/// One module of the document, with what stands in it.
#[derive(Deserialize)]
struct Saved {
    name: String,
    kind: ModuleKind,
    #[serde(default)]
    language: Option<String>,
    #[serde(default)]
    loc: u32,
    #[serde(default)]
    line: u32,
    #[serde(default)]
    end_line: u32,
    #[serde(default)]
    bytes: u64,
    #[serde(default)]
    comment_lines: u32,
    #[serde(default)]
    functions: u32,
    #[serde(default)]
    complexity: u32,
    #[serde(default)]
    made: Made,
    #[serde(default)]
    purpose: Purpose,
    #[serde(default)]
    children: Vec<Saved>,
}

impl Saved {
    fn module(&self) -> Module<'_> {
        Module {
            kind: self.kind,
            name: &self.name,
            language: self.language.as_deref().unwrap_or_default(),
            loc: self.loc,
            line: self.line,
            end_line: self.end_line,
            bytes: self.bytes,
            comment_lines: self.comment_lines,
            functions: self.functions,
            complexity: self.complexity,
            file_kind: FileKind {
                made: self.made,
                purpose: self.purpose,
            },
        }
    }
}

/// The hierarchy in a document of `callscape tree --json`. Nesting beyond 60 levels is refused, as is
/// any other document.
pub fn read(json: &[u8]) -> Result<Hierarchy, serde_json::Error> {
    let root: Saved = serde_json::from_slice(json)?;
    let mut builder = HierarchyBuilder::new(&root.name);
    builder.set(NodeId::ROOT, root.module());
    let mut open = vec![(NodeId::ROOT, &root)];
    while let Some((node, saved)) = open.pop() {
        for child in &saved.children {
            open.push((builder.add(node, child.module()), child));
        }
    }
    Ok(builder.build().0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_base::units::ModuleId;

    #[test]
    fn a_saved_structure_comes_back_in_its_order() {
        let json = br#"{"name": "app", "kind": "root", "language": null, "loc": 9, "children": [
            {"name": "b", "kind": "directory", "loc": 2, "made": "vendored", "purpose": "bench", "children": []},
            {"name": "a.c", "kind": "file", "language": "C", "loc": 7, "children": [
                {"name": "f", "kind": "function", "line": 3, "end_line": 5, "loc": 3}]}]}"#;
        let hierarchy = read(json).expect("a whole document");
        let paths: Vec<String> = hierarchy.modules().map(|id| hierarchy.path(id)).collect();
        assert_eq!(paths, ["app", "b", "a.c", "a.c/f"]);
        let kind = FileKind {
            made: Made::Vendored,
            purpose: Purpose::Bench,
        };
        assert_eq!(hierarchy.file_kind(ModuleId(1)), kind);
        assert_eq!(hierarchy.file_kind(ModuleId(2)), FileKind::default());
        assert_eq!(hierarchy.module(ModuleId(2)).language, "C");
        assert_eq!(hierarchy.module(ModuleId(3)).end_line, 5);
        assert!(read(b"{\"name\": 3}").is_err());
        assert!(read(&b"[".repeat(100_000)).is_err());
    }
}
