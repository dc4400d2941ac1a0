//! Which code a span names: its function, file and line; and whether an attribute says that it ended with an error.

use std::borrow::Cow;

/// The name of a span's function where it is known, else that of the operation.
pub(super) fn named<'a>(code: &'a Code, operation: &'a str) -> Cow<'a, str> {
    code.name().unwrap_or(operation.into())
}

/// Which code a span is, as its attributes say it.
#[derive(Default)]
pub struct Code {
    function: String,
    namespace: String,
    pub file: String,
    pub line: u32,
    pub is_failed: bool,
}

impl Code {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.function.clear();
        self.namespace.clear();
        self.file.clear();
        self.line = 0;
        self.is_failed = false;
    }

    /// Whether an attribute says which code it is, and nothing else.
    pub fn is_about(key: &str) -> bool {
        key.starts_with("code.")
    }

    pub fn attribute(&mut self, key: &str, value: &str) {
        match key {
            "error" => self.is_failed |= value == "true",
            "otel.status_code" => self.is_failed |= value == "ERROR",
            "code.function.name" | "code.function" => value.clone_into(&mut self.function),
            "code.namespace" => value.clone_into(&mut self.namespace),
            "code.file.path" | "code.filepath" => value.clone_into(&mut self.file),
            "code.line.number" | "code.lineno" => self.line = value.parse().unwrap_or(0),
            _ => {}
        }
    }

    /// The function's name in its namespace; none where there is none.
    pub fn name(&self) -> Option<Cow<'_, str>> {
        match (self.function.as_str(), self.namespace.as_str()) {
            ("", _) => None,
            (function, "") => Some(function.into()),
            (function, namespace) => Some(format!("{namespace}.{function}").into()),
        }
    }
}
