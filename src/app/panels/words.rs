//! Captions and titles of a scene, over everything else.

use egui::text::LayoutJob;
use egui::{
    Align2, Color32, Context as Egui, FontFamily, FontId, Id, LayerId, Order, Painter, Pos2, Rect,
};

use callscape_base::escape;
use callscape_model::theme::Theme;
use callscape_presentation::scene::{CaptionStyle, Position};
use callscape_presentation::show::{Show, Words};
use callscape_views::style;
use callscape_views::widgets::add_card;

/// Letters of a caption and of a title, and the free edge, as parts of the picture's shorter side.
const CAPTION: f32 = 1.0 / 28.0;
const TITLE: f32 = 1.0 / 11.0;
const EDGE: f32 = 0.055;
/// The line below, beside the line above it.
const BELOW: f32 = 0.62;
/// Captions are no wider than this part of the picture.
const WIDEST: f32 = 0.72;

/// Words that are seen so strongly at least have names of the landscape stand beside them.
const READ: f32 = 0.3;

/// Draws the words of the shot that is shown on a picture, over everything; captions in the part of it that is `free`.
pub(super) fn show(ctx: &Egui, show: &Show, picture: Rect, free: Rect, theme: Theme) {
    let layer = LayerId::new(Order::Foreground, Id::unique("words of the scene"));
    let painter = ctx.layer_painter(layer);
    for words in show.words() {
        let room = if words.is_title { picture } else { free };
        let frame = draw(&painter, room, &words, show.text_scale(), theme);
        if words.strength > READ {
            add_card(ctx, frame);
        }
    }
}

fn align(position: Position) -> Align2 {
    match position {
        Position::TopLeft => Align2::LEFT_TOP,
        Position::Top => Align2::CENTER_TOP,
        Position::TopRight => Align2::RIGHT_TOP,
        Position::Left => Align2::LEFT_CENTER,
        Position::Center => Align2::CENTER_CENTER,
        Position::Right => Align2::RIGHT_CENTER,
        Position::BottomLeft => Align2::LEFT_BOTTOM,
        Position::Bottom => Align2::CENTER_BOTTOM,
        Position::BottomRight => Align2::RIGHT_BOTTOM,
    }
}

/// Draws them, and says where.
fn draw(painter: &Painter, picture: Rect, words: &Words<'_>, scale: f32, theme: Theme) -> Rect {
    let colors = style::colors(theme);
    let side = picture.size().min_elem();
    let of = words.caption;
    let em = side * if words.is_title { TITLE } else { CAPTION };
    let em = em * of.size.unwrap_or(1.0) * scale;
    let faded = |color: Color32| color.gamma_multiply(words.strength);
    let family = match words.is_title {
        true => style::semi_bold(),
        false => FontFamily::Proportional,
    };
    let width = picture.width() * WIDEST;
    let position = of.position.unwrap_or(match words.is_title {
        true => Position::Center,
        false => Position::Bottom,
    });
    let align = align(position);
    let line = |text: &str, family: FontFamily, size: f32, color: Color32| {
        let font = FontId::new(size, family);
        let mut job =
            LayoutJob::simple(escape::lines(text).into_owned(), font, faded(color), width);
        job.halign = match align.x() {
            egui::Align::Min => egui::Align::LEFT,
            egui::Align::Center => egui::Align::Center,
            egui::Align::Max => egui::Align::RIGHT,
        };
        painter.layout_job(job)
    };
    let above = line(&of.text, family, em, colors.text);
    let below = (!of.below.is_empty()).then(|| {
        let color = if words.is_title {
            colors.weak
        } else {
            colors.text
        };
        line(&of.below, FontFamily::Proportional, em * BELOW, color)
    });
    let gap = em * 0.25;
    let mut size = above.size();
    if let Some(below) = &below {
        size.y += gap + below.size().y;
        size.x = size.x.max(below.size().x);
    }
    let room = picture.shrink(side * EDGE);
    let pad = egui::vec2(em * 0.75, em * 0.5);
    let frame = align.align_size_within_rect(size + pad * 2.0, room);
    if of.style == CaptionStyle::Panel {
        let panel = faded(colors.panel.gamma_multiply(0.9));
        painter.rect_filled(frame, em * 0.35, panel);
    }
    let inner = frame.shrink2(pad);
    // Galleys hang from their own side or middle.
    let x = match align.x() {
        egui::Align::Min => inner.left(),
        egui::Align::Center => inner.center().x,
        egui::Align::Max => inner.right(),
    };
    let height = above.size().y;
    painter.galley(Pos2::new(x, inner.top()), above, colors.text);
    if let Some(below) = below {
        let at = Pos2::new(x, inner.top() + height + gap);
        painter.galley(at, below, colors.text);
    }
    frame
}
