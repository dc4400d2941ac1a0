//! The widgets of the call tree.

use egui::{Role, Sense, Ui, Vec2};

use super::super::Pane;
use super::forest::{Forest, Mode, Node};
use super::view::{Column, FIELD, Tree, function_name};
use crate::parts::context_chart::frame;
use crate::parts::contexts::pointed_at;
use crate::parts::list::{self, Rows};
use crate::parts::widgets::{self, tell};
use crate::parts::{rows, style, text};
use callscape_base::escape;
use callscape_base::units::{Cost, Unit};
use callscape_filter::selection::Pointed;
use callscape_look::ink::diverging;
use callscape_model::theme::Theme;
use callscape_state::action::On;
use callscape_state::ask::{CameraAsk, SelectAsk};
use callscape_state::document::Document;

/// How far a row is set in for each row around it, in points, and how often.
const INDENT: f32 = 12.0;
const DEEPEST: u32 = 24;

/// The width that marks of what is meant have at the right, in points.
const RULER: f32 = 8.0;

pub(super) fn show(view: &mut Tree, ui: &mut Ui, pane: &mut Pane<'_>) {
    let says = (view.counted.has_none(), "its calling contexts");
    frame::show(ui, pane, says, rows::frame(), |ui, document, pane| {
        head(view, ui, document, pane);
        if view.forest.is_none() {
            return rows::hint(ui, "Counting the calling contexts …");
        }
        list(view, ui, document, pane);
    });
}

/// What the rows are, search and columns.
fn head(view: &mut Tree, ui: &mut Ui, document: &Document, pane: &mut Pane<'_>) {
    let mut mode = view.mode;
    let mut merges = view.merges_recursion;
    let mut by_call_site = view.by_call_site;
    ui.horizontal_wrapped(|ui| {
        let chosen = document.selection.chosen.function;
        for (title, about, of) in [
            ("Callees", "What is called in what", Some(Mode::Calls)),
            (
                "Callers",
                "Functions by their own cost, and who calls them",
                Some(Mode::Callers),
            ),
            (
                "Both",
                "All callers and callees of the chosen function",
                chosen.map(Mode::Sandwich),
            ),
        ] {
            let is_it = match (of, view.mode) {
                (Some(Mode::Sandwich(_)) | None, Mode::Sandwich(_)) => true,
                (of, mode) => of == Some(mode),
            };
            let button = egui::Button::new(title).selected(is_it);
            let response = ui.add_enabled(of.is_some(), button);
            let response = response.on_hover_text(about);
            if let Some(of) = of.filter(|_| response.clicked()) {
                mode = of;
            }
        }
        ui.checkbox(&mut merges, "merge recursion").on_hover_text(
            "A call of a function that is open already counts for the context of the open one",
        );
        ui.checkbox(&mut by_call_site, "by call site").on_hover_text(
            "Calls of a function from different lines are different rows, if the recording has the lines of calls",
        );
        frame::says_without_sites(ui, view.counted.shown().map(|it| &**it));
        search(view, ui, document, pane);
        columns(view, ui, document);
        if ui
            .button("Copy")
            .on_hover_text("The rows that are seen, as text")
            .clicked()
        {
            ui.ctx().copy_text(view.text(document));
        }
        if let Some(forest) = &view.forest {
            let count = forest.shown().contexts.len() as u64;
            let counted = text::counted(count, "context", "contexts");
            ui.add(egui::Label::new(style::weak(counted)).truncate());
            legend(ui, pane.state.settings.theme);
            let meant = view.hits[1].count();
            if meant > 0 && chosen.is_some() {
                let text = format!("{} of them chosen", text::count(meant.into()));
                ui.add(egui::Label::new(style::weak(text)).truncate());
            }
        }
        frame::says_excluded(ui, document);
    });
    // The one that was switched on last.
    match by_call_site && !view.by_call_site {
        true => merges = false,
        false => by_call_site &= !merges,
    }
    (view.merges_recursion, view.by_call_site) = (merges, by_call_site);
    view.set_mode(mode);
}

/// What bars say by their length and colour.
fn legend(ui: &mut Ui, theme: Theme) {
    ui.label(style::weak("bar: share of total, 0").small());
    let (place, response) = ui.allocate_exact_size(Vec2::new(60.0, 10.0), Sense::hover());
    let steps = 12;
    for step in 0..steps {
        let [from, to] = [step, step + 1].map(|it| it as f32 / steps as f32);
        let x = |share: f32| place.left() + place.width() * share;
        let part = place.with_min_x(x(from)).with_max_x(x(to));
        ui.painter()
            .rect_filled(part, 0, rows::share_color(theme, to));
    }
    response.on_hover_text(
        "The bar behind a name is as long as the row's share, and darker or lighter with it",
    );
    ui.label(style::weak("100 %").small());
}

fn search(view: &mut Tree, ui: &mut Ui, document: &Document, pane: &mut Pane<'_>) {
    let before = view.query.clone();
    let width = (ui.available_width() * 0.5).clamp(80.0, 180.0);
    let response = widgets::search(ui, FIELD, "Go to a name", width, &mut view.query);
    // Whoever types on stays at a row that still fits.
    if response.changed() && !view.query.is_empty() && before != view.query {
        view.row = view.place().and_then(|place| {
            let forest = view.forest.as_ref()?;
            forest.at(place.checked_sub(1)?)
        });
        view.find_next(document, pane.asks);
    }
}

/// The choice of columns.
fn columns(view: &mut Tree, ui: &mut Ui, document: &Document) {
    ui.menu_button("Columns", |ui| {
        for column in known(view, document) {
            let mut is_shown = !view.hidden.contains(&column);
            let name = match column {
                Column::Delta => "difference of the runs",
                Column::Share => "share of the whole",
                column => column.title(),
            };
            if ui.checkbox(&mut is_shown, name).changed() {
                view.hidden.retain(|it| *it != column);
                if !is_shown {
                    view.hidden.push(column);
                }
            }
        }
    });
}

/// The columns of which something is known.
fn known(view: &Tree, document: &Document) -> Vec<Column> {
    let shown = view.counted.shown();
    let is_known = |column: &Column| match column {
        Column::Calls | Column::Average => document.counts_calls(),
        Column::Waiting => shown.is_some_and(|it| it.knows_waiting) && view.mode != Mode::Callers,
        Column::Other | Column::Delta => {
            shown.is_some_and(|it| it.has_other()) && view.mode != Mode::Callers
        }
        _ => true,
    };
    Column::ALL.into_iter().filter(is_known).collect()
}

/// The rows, and what they are shown by.
struct Listed<'a> {
    document: &'a Document,
    forest: &'a Forest,
    view: &'a Tree,
    theme: Theme,
    /// The columns that are shown.
    numbers: Vec<Column>,
    /// The row whose triangle was clicked.
    toggled: Option<u32>,
}

impl Listed<'_> {
    /// Whether the row itself is meant: by what is pointed at (0), or chosen (1).
    fn is_meant(&self, node: u32, which: usize) -> bool {
        let hits = &self.view.hits[which];
        match self.forest.context(node) {
            Some(context) => hits.holds(context),
            None if hits.count() == 0 => false,
            None => {
                let selection = &self.document.selection;
                let of = [&selection.pointed, &selection.chosen][which];
                let function = self.forest.node(node).function;
                self.document.meant(of).holds_function(function)
            }
        }
    }

    fn name(&self, ui: &mut Ui, node: u32, of: &Node) -> bool {
        let colors = style::colors(self.theme);
        let share = self.forest.shown().share(of.sums.total);
        rows::wide_bar(ui, share, self.theme);
        // What is meant and not seen stands somewhere below a closed row.
        if !of.is_open {
            for (hits, color) in self.view.hits.iter().zip([colors.weak, colors.accent]) {
                if hits.count() > 0 && self.forest.leads_to(node, hits) {
                    rows::mark(ui, color);
                }
            }
        }
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.add_space(4.0 + INDENT * of.depth.min(DEEPEST) as f32);
        // A click on what has nothing to open is one on the row.
        let sense = match of.has_children {
            true => Sense::click(),
            false => Sense::hover(),
        };
        let (square, response) = ui.allocate_exact_size(Vec2::splat(12.0), sense);
        if of.has_children {
            let does = if of.is_open { "Close" } else { "Open" };
            tell(&response, Role::DisclosureTriangle, does);
            let color = ui.visuals().weak_text_color();
            widgets::triangle(ui.painter(), square.center(), of.is_open, color);
        }
        if of.left_out == 0 {
            let marked = self.document.selection.marked.as_deref();
            rows::badge(ui, marked, self.document.module_of(of.function));
            rows::phase_badge(ui, self.document, of.function);
        }
        if of.depth > DEEPEST {
            ui.label(style::weak(of.depth.to_string()).small());
        }
        if of.left_out > 0 {
            let text = format!("and {} more", text::count(of.left_out.into()));
            ui.label(style::weak(text));
            return false;
        }
        if let (Mode::Sandwich(_), 0) = (self.forest.mode(), of.depth) {
            let is_callers = self.forest.place_of(node) == Some(0);
            let what = if is_callers {
                "callers of"
            } else {
                "callees of"
            };
            ui.label(style::weak(what).small());
        }
        rows::name(ui, function_name(self.document, of.function));
        if let Some((file, line)) = self.site(node) {
            ui.label(style::weak(format!("{}:{line}", short(file))).small());
        }
        response.clicked()
    }

    /// The line that makes the calls of a row, and its file.
    fn site(&self, node: u32) -> Option<(&str, u32)> {
        self.forest.shown().site(self.forest.context(node)?)
    }

    fn number(&self, ui: &mut Ui, of: &Node, column: Column) {
        let sums = &of.sums;
        let cost = match column {
            Column::Share => {
                let share = self.forest.shown().share(sums.total);
                return rows::number(ui, text::percent(share));
            }
            Column::Calls => return rows::number(ui, text::count(sums.calls)),
            Column::Delta => {
                let delta = sums.delta();
                let size = u64::try_from(delta.unsigned_abs()).unwrap_or(u64::MAX);
                let cost = self.cost(Cost::from_ns(size));
                let (sign, tone) = match delta {
                    0 => return rows::number(ui, "0"),
                    ..0 => ("−", -1.0),
                    _ => ("+", 1.0),
                };
                let [r, g, b] = diverging(self.theme, tone);
                let color = egui::Color32::from(egui::Rgba::from_rgb(r, g, b));
                let text = egui::RichText::new(format!("{sign}{cost}")).color(color);
                return rows::number(ui, text);
            }
            Column::Total => sums.total,
            Column::Own => sums.own,
            Column::Average => sums.average(),
            Column::Waiting => sums.waiting,
            Column::Other => sums.other,
        };
        rows::number(ui, self.cost(cost));
    }

    fn cost(&self, cost: Cost) -> String {
        match self.document.resolved().map(|it| it.recording.unit()) {
            // Their name would not fit into every cell.
            Some(Unit::Things(_)) => format!("{}{}", cost.sign(), text::count(cost.size())),
            Some(unit) => unit.show(cost),
            None => cost.to_string(),
        }
    }

    /// The innermost callers of a context.
    fn way(&self, context: callscape_base::units::ContextId) -> String {
        const NAMED: usize = 12;
        let shown = self.forest.shown();
        let path = shown.path(context);
        let from = path.len().saturating_sub(NAMED + 1);
        let callers = path[from..path.len() - 1].iter().rev();
        let names = callers.map(|&it| {
            let name = function_name(self.document, shown.contexts.function(it));
            format!("← {}", escape::name(name))
        });
        let mut text = names.collect::<Vec<_>>().join("\n");
        if from > 0 {
            text.push_str(&format!("\n← {} more", text::count(from as u64)));
        }
        text
    }
}

impl Rows for Listed<'_> {
    /// None is the name.
    type Row = u32;
    type By = Option<Column>;
    const NAME: &'static str = "call tree";
    const OFFERS: &'static [On] = &[On::Context];
    const RULER: f32 = RULER;

    fn len(&self) -> usize {
        self.forest.rows().len()
    }

    fn row(&self, at: usize) -> Option<u32> {
        self.forest.at(at)
    }

    fn columns(&mut self, width: f32) -> Vec<list::Column<Option<Column>>> {
        let mut numbers = known(self.view, self.document);
        numbers.retain(|it| !self.view.hidden.contains(it));
        // The name keeps what it needs.
        numbers.truncate(((width - 200.0) / 74.0).max(1.0) as usize);
        self.numbers = numbers;
        let numbers = self.numbers.iter().copied();
        let numbers =
            numbers.map(|it| list::Column::number(Some(it), it.title(), it.about(), 72.0));
        let name = list::Column::rest(None, "function", "", 120.0);
        std::iter::once(name).chain(numbers).collect()
    }

    fn sort(&self) -> Option<(Option<Column>, bool)> {
        let mut shown = self.numbers.iter().copied();
        let by = shown.find(|it| it.by() == self.forest.by());
        Some((by.or(Some(Column::Total)), true))
    }

    fn marks(&self, node: u32) -> [bool; 2] {
        let [is_pointed, is_chosen] = self.ruled(node);
        [is_pointed, is_chosen || self.view.row == Some(node)]
    }

    fn ruled(&self, node: u32) -> [bool; 2] {
        [0, 1].map(|which| self.is_meant(node, which))
    }

    fn cell(&mut self, ui: &mut Ui, node: u32, column: Option<Column>) {
        let of = self.forest.node(node);
        match column {
            Some(column) => self.number(ui, of, column),
            None if self.name(ui, node, of) => self.toggled = Some(node),
            None => {}
        }
    }

    fn pointed(&self, node: u32) -> Option<Pointed> {
        Some(pointed_at(self.document, self.forest.node(node).function))
    }

    fn tip(&self, ui: &mut Ui, node: u32) {
        let function = self.forest.node(node).function;
        let name = function_name(self.document, function);
        match self.document.module_of(function) {
            Some(module) => rows::tip(ui, name, &self.document.session.hierarchy, module),
            None => {
                ui.label(style::name(name));
            }
        }
        if let Some((file, line)) = self.site(node) {
            let site = format!("called at {}:{line}", escape::name(file));
            ui.label(style::weak(site).small());
        }
        if let Some(context) = self.forest.context(node) {
            ui.label(style::weak(self.way(context)).small());
        }
    }
}

/// The name of a file without its folders, to be shown.
fn short(file: &str) -> std::borrow::Cow<'_, str> {
    escape::name(file.rsplit(['/', '\\']).next().unwrap_or(file))
}

fn list(view: &mut Tree, ui: &mut Ui, document: &Document, pane: &mut Pane<'_>) {
    let Some(forest) = &view.forest else {
        return;
    };
    let mut at = view.at;
    let mut rows = Listed {
        document,
        forest,
        view,
        theme: pane.state.settings.theme,
        numbers: Vec::new(),
        toggled: None,
    };
    let done = list::show(&mut rows, ui, &mut at, pane);
    // What the menu offers is done with the row that is chosen.
    let chosen = done.clicked.or(done.menu_of);
    let entered = done.entered;
    let toggled = rows.toggled.or(entered);
    let module = entered.and_then(|it| pointed_at(document, forest.node(it).function).module);
    pane.asks.extend(module.map(CameraAsk::FlyIfSeen));
    view.at = at;
    if let Some(column) = done.sorted.flatten() {
        view.by = column.by();
    }
    if let (Some(forest), true) = (&mut view.forest, done.sorted.flatten().is_some()) {
        forest.sort_by(view.by);
    }
    match toggled {
        Some(node) => {
            let is_open = view.forest.as_ref().is_some_and(|it| it.node(node).is_open);
            let words = if is_open { "Closed" } else { "Opened" };
            view.note((words, node), document, pane.asks, |it| it.toggle(node));
        }
        None => {
            if let Some(node) = chosen {
                view.choose(node, SelectAsk::Choose, document, pane.asks);
            }
        }
    }
}
