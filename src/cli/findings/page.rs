//! `callscape findings -o FILE.html`: one page that needs nothing beside it.

use std::fmt::Write;

use super::Shown;
use crate::page::{escaped, head};
use callscape_analysis::findings::{Finding, Whole};

impl Shown<'_> {
    /// The page: what was recorded, and each finding with its share as a bar.
    pub(super) fn page(&self) -> Result<String, std::fmt::Error> {
        let recording = &self.resolved.recording;
        let mut page = String::new();
        head(&mut page, &format!("Findings in {}", recording.name()))?;
        self.list(&mut page)?;
        page.push_str("</body></html>\n");
        Ok(page)
    }

    /// The findings as items of a list.
    pub(crate) fn list(&self, page: &mut String) -> std::fmt::Result {
        if self.findings.is_empty() {
            page.push_str("<p>Nothing remarkable: no finding has a twelfth of the run.</p>\n");
        }
        page.push_str("<ol>\n");
        for finding in self.findings {
            self.item(page, finding)?;
        }
        page.push_str("</ol>\n");
        Ok(())
    }

    fn item(&self, page: &mut String, of: &Finding) -> std::fmt::Result {
        let path = escaped(&self.names(&of.path).join(" → "));
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
}
