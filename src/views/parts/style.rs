//! How the panels look: the theme's neutral colours, one font, nothing that shouts.

use std::sync::Arc;

use egui::{
    Color32, CornerRadius, FontData, FontDefinitions, FontFamily, FontId, Stroke, TextStyle,
};

use callscape_base::escape;
use callscape_layout::geometry::Color;
use callscape_layout::hues::encoded;
use callscape_look::ink::diverging;
use callscape_model::theme::Theme;

const MEDIUM: &[u8] = include_bytes!("../../../assets/fonts/Inter-Medium.otf");
const SEMI_BOLD: &[u8] = include_bytes!("../../../assets/fonts/Inter-SemiBold.otf");
/// Of source text: all letters are equally wide.
const FIXED: &[u8] = include_bytes!("../../../assets/fonts/Hack-Regular.ttf");

/// The family of headings.
pub fn semi_bold() -> FontFamily {
    FontFamily::Name("semi-bold".into())
}

/// The colours of the panels in one theme.
#[derive(Clone, Copy, Debug)]
pub struct Colors {
    pub panel: Color32,
    /// Fields and tracks, set into the panel.
    pub inset: Color32,
    pub button: Color32,
    pub hovered: Color32,
    pub pressed: Color32,
    pub line: Color32,
    pub text: Color32,
    pub weak: Color32,
    /// What is chosen.
    pub accent: Color32,
    pub error: Color32,
}

pub fn colors(theme: Theme) -> Colors {
    let rgb = |rgb: u32| {
        let [_, r, g, b] = rgb.to_be_bytes();
        Color32::from_rgb(r, g, b)
    };
    match theme {
        Theme::Light => Colors {
            panel: rgb(0xFAFBFC),
            inset: rgb(0xE7EAEF),
            button: rgb(0xEDF0F4),
            hovered: rgb(0xE0E4EA),
            pressed: rgb(0xD2D8E0),
            line: rgb(0xD9DEE6),
            text: rgb(0x22262E),
            weak: rgb(0x626A78),
            accent: rgb(0x24708A),
            error: rgb(0xB3261E),
        },
        Theme::Dark => Colors {
            panel: rgb(0x1D2127),
            inset: rgb(0x14171C),
            button: rgb(0x2A2F38),
            hovered: rgb(0x363D49),
            pressed: rgb(0x434B59),
            line: rgb(0x323843),
            text: rgb(0xE6E9EF),
            weak: rgb(0x98A1B1),
            accent: rgb(0x6FBAD2),
            error: rgb(0xF2837A),
        },
    }
}

/// Gives `ctx` the embedded typefaces, and others for what they lack. Takes effect in the next frame.
pub fn set_fonts(ctx: &egui::Context, others: impl IntoIterator<Item = Arc<FontData>>) {
    let mut fonts = FontDefinitions::empty();
    for (name, data, families) in [
        ("Hack", FIXED, vec![FontFamily::Monospace]),
        (
            "Inter Medium",
            MEDIUM,
            vec![FontFamily::Proportional, FontFamily::Monospace],
        ),
        ("Inter SemiBold", SEMI_BOLD, vec![semi_bold()]),
    ] {
        let data = Arc::new(FontData::from_static(data));
        fonts.font_data.insert(name.into(), data);
        for family in families {
            fonts.families.entry(family).or_default().push(name.into());
        }
    }
    for (number, data) in others.into_iter().enumerate() {
        let name = format!("of the machine {number}");
        fonts.font_data.insert(name.clone(), data);
        for family in fonts.families.values_mut() {
            family.push(name.clone());
        }
    }
    ctx.set_fonts(fonts);
}

/// Gives `ctx` the colours and sizes of `theme`.
pub fn set_theme(ctx: &egui::Context, theme: Theme) {
    let colors = colors(theme);
    ctx.set_theme(match theme {
        Theme::Light => egui::Theme::Light,
        Theme::Dark => egui::Theme::Dark,
    });
    ctx.all_styles_mut(|style| {
        let size = |size| FontId::new(size, FontFamily::Proportional);
        style.text_styles = [
            (TextStyle::Small, size(11.5)),
            (TextStyle::Body, size(13.0)),
            (TextStyle::Button, size(13.0)),
            (TextStyle::Monospace, size(13.0)),
            (TextStyle::Heading, FontId::new(15.0, semi_bold())),
        ]
        .into();
        style.spacing.item_spacing = egui::vec2(8.0, 6.0);
        style.spacing.button_padding = egui::vec2(9.0, 4.0);
        style.spacing.interact_size.y = 26.0;
        style.spacing.slider_rail_height = 4.0;
        style.spacing.scroll = egui::style::ScrollStyle::thin();
        style.animation_time = 0.1;
        style.interaction.selectable_labels = false;
        style.interaction.tooltip_delay = 0.4;

        let mut visuals = match theme {
            Theme::Light => egui::Visuals::light(),
            Theme::Dark => egui::Visuals::dark(),
        };
        visuals.panel_fill = colors.panel;
        visuals.window_fill = colors.panel;
        visuals.window_stroke = Stroke::new(1.0, colors.line);
        visuals.window_corner_radius = CornerRadius::same(10);
        visuals.menu_corner_radius = CornerRadius::same(8);
        visuals.extreme_bg_color = colors.inset;
        visuals.faint_bg_color = colors.button;
        visuals.weak_text_color = Some(colors.weak);
        visuals.hyperlink_color = colors.accent;
        visuals.error_fg_color = colors.error;
        visuals.selection.bg_fill = colors.accent.gamma_multiply(0.35);
        visuals.selection.stroke = Stroke::new(1.0, colors.text);
        // Blinking draws a frame every half second, for ever.
        visuals.text_cursor.blink = false;
        visuals.slider_trailing_fill = true;
        visuals.handle_shape = egui::style::HandleShape::Circle;
        let shadow = egui::Shadow {
            offset: [0, 3],
            blur: 14,
            spread: 0,
            color: Color32::from_black_alpha(40),
        };
        (visuals.window_shadow, visuals.popup_shadow) = (shadow, shadow);
        let widgets = &mut visuals.widgets;
        for (state, fill, text) in [
            (&mut widgets.noninteractive, colors.panel, colors.text),
            (&mut widgets.inactive, colors.button, colors.text),
            (&mut widgets.hovered, colors.hovered, colors.text),
            (&mut widgets.active, colors.pressed, colors.text),
            (&mut widgets.open, colors.hovered, colors.text),
        ] {
            state.bg_fill = fill;
            state.weak_bg_fill = fill;
            state.bg_stroke = Stroke::NONE;
            state.fg_stroke = Stroke::new(1.0, text);
            state.corner_radius = CornerRadius::same(6);
            state.expansion = 0.0;
        }
        widgets.noninteractive.bg_stroke = Stroke::new(1.0, colors.line);
        widgets.inactive.bg_fill = colors.inset;
        // Around what has the keyboard, and what is pressed.
        widgets.active.bg_stroke = Stroke::new(2.0, colors.accent);
        style.visuals = visuals;
    });
}

/// Text in the weak colour of explanations and units.
pub fn weak(text: impl Into<String>) -> egui::RichText {
    lines(text).weak()
}

/// Text that heads a part of a panel.
pub fn title(text: impl Into<String>) -> egui::RichText {
    lines(text).family(semi_bold())
}

/// A name from an input, on one line.
pub fn name(text: &str) -> egui::RichText {
    egui::RichText::new(escape::name(text))
}

/// Lines of text that may hold such names.
fn lines(text: impl Into<String>) -> egui::RichText {
    egui::RichText::new(escape::lines(&text.into()))
}

/// A linear colour, without what it lets through.
pub(crate) fn opaque(color: Color) -> Color32 {
    let [r, g, b, _] = encoded(color);
    Color32::from_rgb(r, g, b)
}

/// The colour of a difference, from −1 to 1.
pub(crate) fn diverged(theme: Theme, strength: f32) -> Color32 {
    let [r, g, b] = diverging(theme, strength);
    opaque([r, g, b, 1.0])
}

/// A colour on the way from `a` to `b`.
pub(crate) fn mix(a: Color32, b: Color32, share: f32) -> Color32 {
    let mix = |a: u8, b: u8| (f32::from(a) + (f32::from(b) - f32::from(a)) * share) as u8;
    Color32::from_rgb(mix(a.r(), b.r()), mix(a.g(), b.g()), mix(a.b(), b.b()))
}

/// Letters that stand out from a colour.
pub(crate) fn ink_on(color: Color32) -> Color32 {
    let light =
        0.299 * f32::from(color.r()) + 0.587 * f32::from(color.g()) + 0.114 * f32::from(color.b());
    match light > 130.0 {
        true => Color32::from_rgb(0x16, 0x19, 0x20),
        false => Color32::from_rgb(0xF2, 0xF4, 0xF7),
    }
}
