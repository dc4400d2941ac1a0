//! The way from the root to the module that fills the landscape, beside the title: where one is, also where no name is in
//! sight. A click flies to one of them.

use egui::{Label, Sense, TextStyle, Ui, WidgetText};

use super::context::Context;
use callscape_base::escape;
use callscape_state::ask::CameraAsk;
use callscape_views::style;

/// Between two modules.
const THEN: &str = "›";
/// In points, around that.
const GAP: f32 = 5.0;
/// With less room there is none to be read.
const LEAST_ROOM: f32 = 60.0;
/// What is left out before the first module that is shown.
const LEFT_OUT: &str = "…";

/// Shows as many of the innermost modules as fit, from left to right.
pub(super) fn show(ui: &mut Ui, context: &mut Context<'_>) {
    let Some(document) = &context.desk.state.document else {
        return;
    };
    let filling = context.desk.state.filling();
    let Some(module) = filling.filter(|_| ui.available_width() >= LEAST_ROOM) else {
        return;
    };
    let hierarchy = &document.session.hierarchy;
    ui.spacing_mut().item_spacing.x = GAP;
    let width = |ui: &Ui, text: &str| {
        let text = WidgetText::from(text);
        let galley = text.into_galley(
            ui,
            Some(egui::TextWrapMode::Extend),
            f32::INFINITY,
            TextStyle::Body,
        );
        galley.size().x
    };
    let then = width(ui, THEN) + 2.0 * GAP;
    let mut left = ui.available_width() - width(ui, LEFT_OUT) - then;
    let around = hierarchy.ancestors(module);
    let mut shown = Vec::new();
    let mut is_all = true;
    for module in around.take_while(|module| hierarchy.parent(*module).is_some()) {
        left -= then + width(ui, &escape::name(hierarchy.name(module)));
        if left < 0.0 && !shown.is_empty() {
            is_all = false;
            break;
        }
        shown.push(module);
    }
    if !is_all {
        ui.label(style::weak(THEN));
        ui.label(style::weak(LEFT_OUT))
            .on_hover_text(style::name(&hierarchy.path(module)));
    }
    for module in shown.into_iter().rev() {
        ui.label(style::weak(THEN));
        let label = Label::new(style::name(hierarchy.name(module)))
            .sense(Sense::click())
            .truncate();
        let path = hierarchy.path(module);
        let about = format!("{}. Click to see it in full", escape::name(&path));
        if ui.add(label).on_hover_text(about).clicked() {
            context.asks.push(CameraAsk::FlyTo(module));
        }
    }
}
