//! Pictures as vector graphics (<https://www.w3.org/TR/SVG11/>): what views paint, with text as text. Fonts are named and
//! not embedded. Names from inputs are data: whatever they contain, the file stays well-formed.

mod mesh;
mod shapes;
mod sheet;
#[cfg(test)]
pub(crate) mod tests;

use std::collections::HashMap;
use std::fmt::Write;

use base64::prelude::{BASE64_STANDARD, Engine};
use callscape_look::image::Image;

pub(crate) use shapes::Textures;
pub(crate) use sheet::plate;

/// The typefaces of the window, and what is like them where they are missing.
const PROPORTIONAL: &str = "Inter, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
const FIXED: &str = "Hack, 'DejaVu Sans Mono', Menlo, Consolas, monospace";

/// Of Inter, as parts of the em square: how far its base line is below the middle between ascent and descent.
const BASE: f32 = 0.364;

/// Red, green, blue encoded as sRGB, and alpha, not multiplied in.
type Ink = [u8; 4];

/// A rectangle: left, top, right, bottom.
type Sides = [f32; 4];

/// A picture that is written from the back to the front.
pub(crate) struct Svg {
    size: [f32; 2],
    defs: String,
    body: String,
    /// Clip paths and gradients, and the numbers that they are named by.
    known: HashMap<String, usize>,
    /// What lies in the open group is cut off there.
    clip: Option<Sides>,
}

/// How text is written.
struct Lettering {
    em: f32,
    ink: Ink,
    is_fixed: bool,
    weight: u32,
    is_slanted: bool,
    is_underlined: bool,
    /// How wide it is, whichever font the viewer has; none where only that knows.
    length: Option<f32>,
}

impl Lettering {
    fn plain(em: f32, ink: Ink) -> Lettering {
        Lettering {
            em,
            ink,
            is_fixed: false,
            weight: 500,
            is_slanted: false,
            is_underlined: false,
            length: None,
        }
    }
}

/// A letter or a line of them: where its base line begins, and by how many degrees it is turned about that place.
#[derive(Clone, Copy)]
struct At {
    at: [f32; 2],
    turn: f32,
}

impl Svg {
    /// A picture of `size` units in one colour.
    pub(crate) fn new(size: [f32; 2], ground: Ink) -> Svg {
        let mut svg = Svg {
            size,
            defs: String::new(),
            body: String::new(),
            known: HashMap::new(),
            clip: None,
        };
        svg.fill([0.0, 0.0, size[0], size[1]], ground);
        svg
    }

    /// The file, for a picture with sides of `pixels`.
    pub(crate) fn finish(mut self, pixels: [u32; 2]) -> String {
        self.clip_to(None);
        let [width, height] = self.size.map(number);
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" \
             xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {width} {height}\" \
             xml:space=\"preserve\">\n<defs>\n{}</defs>\n{}</svg>\n",
            pixels[0], pixels[1], self.defs, self.body
        )
    }

    /// Adds an element that ends where it begins.
    fn add(&mut self, element: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.body, "<{element}/>");
    }

    /// The number of something that is defined once; `{}` in it is that number.
    fn define(&mut self, definition: &str) -> usize {
        let next = self.known.len() + 1;
        if let Some(&known) = self.known.get(definition) {
            return known;
        }
        self.known.insert(definition.to_owned(), next);
        self.defs
            .push_str(&definition.replace("{}", &next.to_string()));
        self.defs.push('\n');
        next
    }

    /// Cuts off what follows at these sides, until others are named.
    fn clip_to(&mut self, sides: Option<Sides>) {
        let [width, height] = self.size;
        let is_all = |it: &Sides| it[0] <= 0.0 && it[1] <= 0.0 && it[2] >= width && it[3] >= height;
        let sides = sides.filter(|it| !is_all(it));
        if sides == self.clip {
            return;
        }
        if self.clip.take().is_some() {
            self.body.push_str("</g>\n");
        }
        if let Some(sides) = sides {
            let rect = rect(sides, 0.0);
            let clip = self.define(&format!("<clipPath id=\"d{{}}\"><{rect}/></clipPath>"));
            let _ = writeln!(self.body, "<g clip-path=\"url(#d{clip})\">");
            self.clip = Some(sides);
        }
    }

    /// Adds what `add` adds, moved and then enlarged.
    fn moved(&mut self, to: [f32; 2], scale: f32, add: impl FnOnce(&mut Svg)) {
        let [x, y] = to.map(number);
        let _ = writeln!(
            self.body,
            "<g transform=\"translate({x} {y}) scale({scale})\">"
        );
        let clip = self.clip.take();
        add(self);
        self.clip_to(None);
        self.clip = clip;
        self.body.push_str("</g>\n");
    }

    /// Fills a rectangle, whatever was cut off before.
    pub(crate) fn fill(&mut self, sides: Sides, ink: Ink) {
        self.clip_to(None);
        self.rect(sides, 0.0, &paint("fill", ink));
    }

    fn rect(&mut self, sides: Sides, radius: f32, paint: &str) {
        let rect = rect(sides, radius);
        self.add(&format!("{rect}{paint}"));
    }

    fn path(&mut self, way: &str, paint: &str) {
        self.add(&format!("path d=\"{way}\"{paint}"));
    }

    /// Stretches a picture over a rectangle without smoothing it.
    fn image(&mut self, [left, top, right, bottom]: Sides, image: &Image) {
        // What cannot be encoded has no pixels.
        let png = BASE64_STANDARD.encode(image.png().unwrap_or_default());
        let [x, y, width, height] = [left, top, right - left, bottom - top].map(number);
        self.add(&format!(
            "image x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" preserveAspectRatio=\"none\" \
             style=\"image-rendering:pixelated\" xlink:href=\"data:image/png;base64,{png}\""
        ));
    }

    /// Writes text: from one place on, or each letter at its own.
    fn text(&mut self, text: &str, places: &[At], letters: &Lettering) {
        let Some(first) = places.first().filter(|_| !text.trim().is_empty()) else {
            return;
        };
        let list = |of: fn(&At) -> f32| {
            let all: Vec<String> = places.iter().map(|it| number(of(it))).collect();
            all.join(" ")
        };
        let (x, y) = (list(|it| it.at[0]), list(|it| it.at[1]));
        let turn = match places {
            [_] if first.turn == 0.0 => String::new(),
            [_] => format!(" transform=\"rotate({} {x} {y})\"", number(first.turn)),
            _ => format!(" rotate=\"{}\"", list(|it| it.turn)),
        };
        let family = if letters.is_fixed {
            FIXED
        } else {
            PROPORTIONAL
        };
        let mut style = format!(
            "font-family=\"{family}\" font-size=\"{}\" font-weight=\"{}\"{}",
            number(letters.em),
            letters.weight,
            paint("fill", letters.ink)
        );
        if letters.is_slanted {
            style.push_str(" font-style=\"italic\"");
        }
        if letters.is_underlined {
            style.push_str(" text-decoration=\"underline\"");
        }
        if let (Some(length), [_]) = (letters.length, places) {
            let length = number(length);
            let _ = write!(
                style,
                " textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\""
            );
        }
        let text = escaped(text);
        let _ = writeln!(
            self.body,
            "<text x=\"{x}\" y=\"{y}\"{turn} {style}>{text}</text>"
        );
    }

    /// Writes a line whose middle is at this height.
    pub(crate) fn line(&mut self, text: &str, at: [f32; 2], em: f32, ink: Ink) {
        let at = At {
            at: [at[0], at[1] + BASE * em],
            turn: 0.0,
        };
        self.text(text, &[at], &Lettering::plain(em, ink));
    }
}

fn rect([left, top, right, bottom]: Sides, radius: f32) -> String {
    let [width, height] = [right - left, bottom - top].map(|it| it.max(0.0));
    let [x, y, w, h] = [left, top, width, height].map(number);
    let mut rect = format!("rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"");
    if radius > 0.0 {
        let _ = write!(
            rect,
            " rx=\"{}\"",
            number(radius.min(width.min(height) * 0.5))
        );
    }
    rect
}

/// The attributes for what is filled or stroked in a colour.
fn paint(what: &str, [r, g, b, a]: Ink) -> String {
    let opacity = match a {
        255 => String::new(),
        _ => format!(" {what}-opacity=\"{}\"", number(f32::from(a) / 255.0)),
    };
    format!(" {what}=\"#{r:02x}{g:02x}{b:02x}\"{opacity}")
}

/// A number with up to three decimals; what is not finite is 0.
fn number(of: f32) -> String {
    let rounded = (f64::from(of) * 1000.0).round() / 1000.0;
    match rounded.is_finite() && rounded != 0.0 {
        true => rounded.to_string(),
        false => "0".to_owned(),
    }
}

/// Text as data of an element. What no XML may contain is replaced.
fn escaped(text: &str) -> String {
    let mut data = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => data.push_str("&amp;"),
            '<' => data.push_str("&lt;"),
            '>' => data.push_str("&gt;"),
            '\u{fffe}' | '\u{ffff}' => data.push('\u{fffd}'),
            c if c.is_control() => data.push('\u{fffd}'),
            c => data.push(c),
        }
    }
    data
}
