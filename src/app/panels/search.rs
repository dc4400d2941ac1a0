//! The search field, and its results below it.

use egui::text::{CCursor, CCursorRange};
use egui::{Align2, Id, Rect, Role, Ui};

use super::context::Context;
use callscape_base::escape;
use callscape_filter::selection::Pointed;
use callscape_state::ask::SearchAsk;
use callscape_views::style;
use callscape_views::text;
use callscape_views::widgets::{Icon, add_card, paint, tell};

/// The field's id: keys go to it while it has the focus.
pub(crate) const FIELD: &str = "search field";

const WIDTH: f32 = 240.0;

pub(super) fn show_field(ui: &mut Ui, context: &mut Context<'_>) {
    let search = &context.desk.state.search;
    let mut query = search.query.clone();
    let width = WIDTH.min(ui.available_width() * 0.6);
    let edit = egui::TextEdit::singleline(&mut query)
        .id(Id::unique(FIELD))
        .hint_text("Search   /")
        .margin(egui::Margin {
            left: 26,
            right: 8,
            top: 4,
            bottom: 4,
        })
        .align(egui::Align2::LEFT_CENTER)
        .desired_width((width - 34.0).max(0.0));
    let response = ui.add_enabled(context.desk.state.document.is_some(), edit);
    let square = egui::Vec2::splat(response.rect.height());
    let icon = Rect::from_min_size(response.rect.left_top(), square);
    paint(
        ui,
        Icon::Magnifier,
        icon.shrink(4.0),
        ui.visuals().weak_text_color(),
    );
    if context.cues.search.focus {
        response.request_focus();
        // What was looked for last is typed over.
        if let Some(mut state) = egui::TextEdit::load_state(ui.ctx(), response.id) {
            let all = CCursorRange::two(CCursor::new(0), CCursor::new(query.chars().count()));
            state.cursor.set_char_range(Some(all));
            state.store(ui.ctx(), response.id);
        }
    } else if !search.is_open && response.has_focus() && !response.gained_focus() {
        response.surrender_focus();
    }
    if response.changed() || (response.gained_focus() && !search.is_open) {
        context.asks.push(SearchAsk::Query(query));
    }
    response.on_hover_text("Find modules by name or path (/ or Ctrl + F)");
}

pub(super) fn show_results(ctx: &egui::Context, context: &mut Context<'_>) {
    let desk = context.desk;
    let search = &desk.state.search;
    let (Some(document), true) = (&desk.state.document, search.is_open) else {
        return;
    };
    if search.query.trim().is_empty() {
        return;
    }
    let Some(field) = ctx.read_response(Id::unique(FIELD)) else {
        return;
    };
    let hierarchy = &document.session.hierarchy;
    let width = 380.0f32.min(ctx.content_rect().width() - 20.0);
    let mut corner = field.rect.right_bottom() + egui::vec2(0.0, 8.0);
    // Beside the settings, which are left first, and not over them.
    let settings = ctx.memory(|memory| memory.area_rect(Id::unique("settings")));
    if let Some(settings) = settings.filter(|_| desk.state.cards.settings) {
        corner.x = corner.x.min(settings.left() - 8.0);
    }
    let area = egui::Area::new(Id::unique("search results"))
        .order(egui::Order::Foreground)
        .fixed_pos(corner)
        .pivot(Align2::RIGHT_TOP)
        .constrain_to(ctx.content_rect().shrink(8.0));
    let shown = area.show(ctx, |ui| {
        egui::Frame::popup(ui.style()).show(ui, |ui| {
            ui.set_width(width.max(0.0));
            if document.found.is_empty() {
                ui.label(style::weak("No matches."));
                return;
            }
            let height = (ctx.content_rect().height() * 0.5).min(420.0);
            egui::ScrollArea::vertical()
                .max_height(height)
                .auto_shrink([false, true])
                .show(ui, |ui| {
                    ui.spacing_mut().item_spacing.y = 1.0;
                    for (index, &module) in document.found.iter().enumerate() {
                        let facts = hierarchy.module(module);
                        let parent = hierarchy.parent(module);
                        let path = parent.map_or(String::new(), |parent| hierarchy.path(parent));
                        let row = result(
                            ui,
                            &escape::name(document.module_name(module)),
                            facts.kind.name(),
                            &escape::name(&path),
                            document.calls_of(module),
                            index == search.marked,
                        );
                        if index == search.marked && context.cues.search.reveal {
                            row.scroll_to_me(None);
                        }
                        if row.hovered() {
                            context.pointed = Pointed::at_module(Some(module));
                        }
                        if row.clicked() {
                            context.asks.push(SearchAsk::Take(Some(index)));
                        }
                    }
                });
        });
    });
    add_card(ctx, shown.response.rect);
}

/// So wide is the longest name of a kind, in points.
const KIND: f32 = 64.0;

/// A result; `calls` is how often it is called, where that is known.
fn result(
    ui: &mut Ui,
    name: &str,
    kind: &str,
    path: &str,
    calls: Option<u64>,
    is_marked: bool,
) -> egui::Response {
    let (rect, response) =
        ui.allocate_exact_size(egui::vec2(ui.available_width(), 38.0), egui::Sense::click());
    tell(
        &response,
        Role::ListBoxOption,
        format_args!("{name}, {kind}, {path}"),
    );
    if !ui.is_rect_visible(rect) {
        return response;
    }
    let visuals = ui.visuals();
    if is_marked {
        ui.painter().rect_filled(rect, 6, visuals.selection.bg_fill);
    } else if response.hovered() {
        ui.painter()
            .rect_filled(rect, 6, visuals.widgets.hovered.weak_bg_fill);
    }
    let inside = rect.shrink2(egui::vec2(8.0, 3.0));
    let mut row = ui.new_child(egui::UiBuilder::new().max_rect(inside));
    row.spacing_mut().item_spacing = egui::vec2(6.0, 1.0);
    row.spacing_mut().interact_size.y = 0.0;
    let called = calls.map(|calls| match calls {
        0 => "not called".to_owned(),
        calls => text::counted(calls, "call", "calls"),
    });
    row.horizontal(|ui| {
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if let Some(called) = called {
                ui.label(style::weak(called).small());
            }
            ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                let name = match calls {
                    Some(0) => style::weak(name),
                    _ => egui::RichText::new(name),
                };
                // A long name would push the kind over the number of calls.
                let room = (ui.available_width() - KIND).max(0.0);
                ui.scope(|ui| {
                    ui.set_max_width(room.max(0.0));
                    ui.add(egui::Label::new(name).truncate());
                });
                ui.label(style::weak(kind).small());
            });
        });
    });
    row.add(egui::Label::new(style::weak(path).small()).truncate());
    response
}
