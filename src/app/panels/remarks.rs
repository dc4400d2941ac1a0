//! The first thing that is seen of one run: what is remarkable about it.

use egui::{Context as Egui, Ui};

use super::causes::{first_card, head_of, sentence};
use super::context::Context;
use crate::command::RemarkAsk;
use callscape_analysis::findings::{Certainty, Finding};
use callscape_base::escape;

/// Shows the card over the landscape, which is `context.free`; whether it is to be seen.
pub(super) fn show(ctx: &Egui, context: &mut Context<'_>) -> bool {
    let remarks = context.desk.remarks;
    remarks.is_open(context.desk.state)
        && first_card(ctx, "remarks", context.free, |ui| {
            let about = "Close; it stays closed for this recording";
            if head_of(ui, "What is remarkable".to_owned(), about) {
                context.asks.push(RemarkAsk::Close);
            }
            for (number, finding) in remarks.first().iter().enumerate() {
                one(ui, (number, finding), context);
            }
            let about = "Lists all findings, with their shares (^)";
            if ui.button("All findings…").on_hover_text(about).clicked() {
                context.asks.push(RemarkAsk::All);
            }
        })
}

/// A finding: a click shows it everywhere.
fn one(ui: &mut Ui, (number, finding): (usize, &Finding), context: &mut Context<'_>) {
    let text = escape::name(&finding.text);
    let text = format!("{}. {}: {text}", number + 1, finding.kind.title());
    let inferred = match finding.certainty {
        Certainty::Inferred => "Inferred. ",
        _ => "",
    };
    let why = finding.kind.why();
    let about = format!("{inferred}Why it matters: {why}\nClick to select it in every view");
    if sentence(ui, &text, about) {
        context.asks.push(RemarkAsk::Show(number));
    }
}
