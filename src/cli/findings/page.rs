//! Findings as HTML: a page that needs nothing beside it, and a part of the report of a comparison.

use std::fmt::Write;

use crate::page::{escaped, head};
use callscape_analysis::findings::{Finding, Whole};
use callscape_facts::recording::Recording;

/// The page: what was recorded, and each finding with its share as a bar.
pub(super) fn page(recording: &Recording, findings: &[Finding]) -> Result<String, std::fmt::Error> {
    let mut page = String::new();
    head(&mut page, &format!("Findings in {}", recording.name()))?;
    list(&mut page, recording, findings)?;
    page.push_str("</body></html>\n");
    Ok(page)
}

/// Findings as a numbered list, or that there are none.
pub(crate) fn list(
    page: &mut String,
    recording: &Recording,
    findings: &[Finding],
) -> std::fmt::Result {
    if findings.is_empty() {
        let none = "<p>Nothing remarkable: no finding has a twelfth of the run.</p>";
        return writeln!(page, "{none}");
    }
    page.push_str("<ol>\n");
    for finding in findings {
        item(page, recording, finding)?;
    }
    writeln!(page, "</ol>")
}

fn item(page: &mut String, recording: &Recording, of: &Finding) -> std::fmt::Result {
    let names = of.path.iter().map(|&it| recording.functions.get(it).name);
    let path = escaped(&names.collect::<Vec<&str>>().join(" → "));
    writeln!(
        page,
        "<li><p><b>{}</b>: {}",
        of.kind.title(),
        escaped(&of.text)
    )?;
    if of.of != Whole::Nothing {
        let wide = of.share.clamp(0.0, 1.0) * 100.0;
        writeln!(
            page,
            "<br><span class=\"bars\" style=\"width:100%\"><i style=\"width:{wide:.1}%\"></i></span>"
        )?;
    }
    let (why, certainty, view) = (of.kind.why(), of.certainty.name(), of.view);
    writeln!(
        page,
        "<br><span class=\"weak\">{why}; {certainty}; more in the view {view}</span>"
    )?;
    match path.is_empty() {
        true => writeln!(page, "</li>"),
        false => writeln!(page, "<br><code>{path}</code></li>"),
    }
}
