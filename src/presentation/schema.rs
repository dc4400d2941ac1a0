//! The JSON schema of scene files, for editors. `assets/scene.schema.json` is what [`text`] gives.

use super::scene::Scene;

/// The schema as the file holds it.
pub fn text() -> String {
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
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}
