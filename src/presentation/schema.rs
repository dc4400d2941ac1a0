//! The JSON schema of scene files, for editors: `assets/scene.schema.json`. It is derived from the types in tests alone,
//! so that the program need not be built with what derives it.

/// The schema as the file holds it.
pub const TEXT: &str = include_str!("../../assets/scene.schema.json");

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::path::Path;

    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

    use super::super::scene::{Scene, TimeText, ViewName};
    use callscape_state::panes::ViewId;
    use callscape_views as views;

    impl JsonSchema for ViewName {
        fn schema_name() -> Cow<'static, str> {
            "View".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            let all = views::all().into_iter().map(ViewId::line);
            let (plain, told): (Vec<_>, Vec<_>) = all.partition(|line| line.in_scenes.is_empty());
            let plain: Vec<&str> = plain.into_iter().map(|line| line.id).collect();
            let mut one_of = vec![json_schema!({ "type": "string", "enum": plain })];
            one_of.extend(told.into_iter().map(|line| {
                json_schema!({
                    "description": line.in_scenes,
                    "type": "string",
                    "const": line.id,
                })
            }));
            json_schema!({
                "description": "A view by its name on the command line.",
                "oneOf": one_of,
            })
        }
    }

    impl JsonSchema for TimeText {
        fn schema_name() -> Cow<'static, str> {
            "Time".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({
                "description": "A time of the recording: \"12.5ms\", \"3s\", \"40%\" of it, or nanoseconds.",
                "anyOf": [
                    { "type": "string", "pattern": r"^\s*[0-9]*\.?[0-9]+\s*(ns|us|µs|ms|s|m|min|%)?\s*$" },
                    { "type": "integer", "minimum": 0 },
                ],
            })
        }
    }

    /// The schema of the types as they are now.
    fn derived() -> String {
        let mut schema = schemars::schema_for!(Scene);
        // The short form of captions is more than the derive sees.
        if let Some(definitions) = schema.get_mut("$defs")
            && let Some(caption) = definitions.get_mut("Caption")
        {
            let whole = caption.take();
            *caption = serde_json::json!({
                "anyOf": [{ "type": "string", "minLength": 1 }, whole],
            });
        }
        schema.insert("title".to_owned(), "A scene of Callscape".into());
        let mut text = serde_json::to_string_pretty(&schema).expect("it is plain JSON");
        text.push('\n');
        text
    }

    #[test]
    fn the_schema_that_is_checked_in_is_that_of_the_types() {
        let derived = derived();
        if std::env::var_os("CALLSCAPE_GOLDEN").is_some() {
            let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
                .join("assets/scene.schema.json");
            std::fs::write(path, derived).expect("it can be written");
            return;
        }
        assert!(
            super::TEXT == derived,
            "write it again: CALLSCAPE_GOLDEN=1 cargo test --lib the_schema_that_is_checked_in"
        );
    }
}
