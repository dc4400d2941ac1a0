//! ripgrep's JSON lines: <https://docs.rs/grep-printer/latest/grep_printer/struct.JSON.html>. Each match is a place.

use std::io::BufRead;

use serde::Deserialize;

use super::set::{Failed, ResultSet, each_line};
use callscape_base::progress::Progress;

#[derive(Deserialize)]
struct Message {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    data: Data,
}

#[derive(Default, Deserialize)]
struct Data {
    #[serde(default)]
    path: Text,
    #[serde(default)]
    line_number: Option<u32>,
}

/// A path that is no text stands in another form, and leads nowhere here.
#[derive(Default, Deserialize)]
struct Text {
    #[serde(default)]
    text: String,
}

pub(super) fn read(
    from: impl BufRead,
    set: &mut ResultSet,
    progress: &Progress,
) -> Result<(), Failed> {
    set.format = "ripgrep";
    each_line(from, progress, |line| {
        if line.is_empty() {
            return;
        }
        match serde_json::from_slice::<Message>(line) {
            Ok(message) if message.kind == "match" => {
                set.add(
                    &message.data.path.text,
                    message.data.line_number.unwrap_or(0),
                    1,
                );
            }
            Ok(_) => {}
            Err(_) => set.left_out += 1,
        }
    })
}
