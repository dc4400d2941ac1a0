//! What the user keeps under names of their own, as the part of a menu.

use egui::Ui;

use super::context::Context;
use crate::command::{OwnAsk, OwnDoes, OwnList};
use crate::own::Own;
use callscape_base::escape;
use callscape_views::widgets::{Icon, icon_button};

/// Names as they may be shown.
pub(super) fn names<T>(own: &Own<T>) -> Vec<String>
where
    T: Clone + serde::Serialize + serde::de::DeserializeOwned,
{
    own.iter()
        .map(|it| escape::name(&it.name).into_owned())
        .collect()
}

/// An entry for each name of a list, and a field that keeps what is shown now under another; `width` points wide.
pub(super) fn list(
    ui: &mut Ui,
    (of, names): (OwnList, &[String]),
    width: f32,
    context: &mut Context<'_>,
) {
    let (about, hint) = match of {
        OwnList::Looks => ("Custom look", "Save this look as…"),
        OwnList::Views => ("Custom arrangement", "Save these views as…"),
    };
    let mut ask = |does| context.asks.push(OwnAsk { of, does });
    for (number, name) in names.iter().enumerate() {
        ui.horizontal(|ui| {
            let button = egui::Button::new(name.as_str())
                .truncate()
                .min_size(egui::vec2(width - 24.0, 0.0));
            if ui.add(button).on_hover_text(about).clicked() {
                ask(OwnDoes::Use(number));
                ui.close();
            }
            if icon_button(ui, Icon::Close, false, "Delete it").clicked() {
                ask(OwnDoes::Remove(number));
            }
        });
    }
    let id = egui::Id::unique(hint);
    let mut name: String = ui.data(|data| data.get_temp(id)).unwrap_or_default();
    ui.horizontal(|ui| {
        let field = egui::TextEdit::singleline(&mut name)
            .hint_text(hint)
            .align(egui::Align2::LEFT_CENTER)
            .desired_width(width - 60.0);
        let field = ui.add(field);
        let is_named = !name.trim().is_empty();
        let keep = ui.add_enabled(is_named, egui::Button::new("Keep"));
        let entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        if is_named && (keep.clicked() || entered) {
            ask(OwnDoes::Keep(name.trim().to_owned()));
            name.clear();
        }
    });
    ui.data_mut(|data| data.insert_temp(id, name));
}
