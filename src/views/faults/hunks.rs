//! The changes of the chosen function: old and new lines, with the colours of their syntax.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use egui::text::{LayoutJob, TextFormat};
use egui::{FontFamily, FontId, Rect, Sense, Ui, pos2, vec2};

use crate::parts::code_look::{LETTERS, Look, ROW};
use crate::parts::found::Found;
use crate::parts::style;
use callscape_base::escape;
use callscape_base::progress::{Cancelled, Progress};
use callscape_source::history::change::{FileChange, Hunk};
use callscape_source::syntax::{Class, Span, Syntax};
use callscape_source::text::SourceText;
use callscape_state::State;
use callscape_state::findings::Changed;
use callscape_state::job::Job;

/// So many lines stand around a change.
const AROUND: u32 = 2;
/// Of one function no more lines are shown.
const MOST: usize = 4_000;
/// Of a line no more letters are shown.
const LONGEST: usize = 400;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Same,
    Old,
    New,
    /// Lines between two changes are left out.
    Gap,
}

/// A line as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub side: Side,
    pub number: u32,
    pub text: String,
    /// Up to which byte of `text` which class reaches.
    pub classes: Vec<(usize, Class)>,
}

/// The changes in one file that are of one fault.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Lines {
    pub file: String,
    pub was: Option<String>,
    pub lines: Vec<Line>,
    /// There are more.
    pub is_cut: bool,
    /// How many letters the longest line has.
    longest: usize,
    /// The largest number of a line.
    last: u32,
}

/// Which fault of what changed.
#[derive(Clone)]
struct Key {
    changed: Arc<Changed>,
    fault: usize,
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        Arc::ptr_eq(&self.changed, &other.changed) && self.fault == other.fault
    }
}

/// The lines of the chosen fault.
#[derive(Default)]
pub(super) struct Hunks {
    found: Found<Key, Arc<Lines>>,
    wanted: Option<Key>,
}

impl Hunks {
    /// Begins to work out the lines of a fault, and takes what is ready.
    pub(super) fn update(&mut self, state: &State, of: Option<(&Arc<Changed>, usize)>) {
        self.found.poll();
        self.wanted = of.map(|(changed, fault)| Key {
            changed: Arc::clone(changed),
            fault,
        });
        let Some(key) = &self.wanted else { return };
        self.found.want(key.clone(), || {
            let key = key.clone();
            Job::named("colouring changes", state.waker(), move |progress| {
                Ok(Arc::new(of_fault(&key.changed, key.fault, progress)?))
            })
        });
    }

    pub(super) fn is_waiting(&self) -> bool {
        self.found.is_running()
    }

    /// The lines, once they are known.
    pub(super) fn lines(&self) -> Option<&Arc<Lines>> {
        self.found.of(self.wanted.as_ref()?)
    }
}

fn of_fault(changed: &Changed, at: usize, progress: &Progress) -> Result<Lines, Cancelled> {
    let Some(fault) = changed.faults.faults.get(at) else {
        return Ok(Lines::default());
    };
    let mut files = changed.changes.files.iter();
    let file = files.find(|it| it.path == fault.file);
    file.map_or(Ok(Lines::default()), |file| {
        lines_of(file, &fault.lines, progress)
    })
}

/// The lines of the hunks of `file` that have one of `wanted`, with what stands around them.
pub(super) fn lines_of(
    file: &FileChange,
    wanted: &[u32],
    progress: &Progress,
) -> Result<Lines, Cancelled> {
    let has = |hunk: &Hunk| {
        // A deletion is at the line before it.
        let near = hunk.after.start.saturating_sub(1)..hunk.after.end.max(hunk.after.start + 1);
        let first = wanted.partition_point(|&it| it < near.start);
        wanted.get(first).is_some_and(|it| near.contains(it))
    };
    let was = file.was.as_deref().unwrap_or(&file.path);
    let [before, after] = [(was, 0), (file.path.as_str(), 1)].map(|(path, side)| {
        let text = &file.texts[side];
        let syntax = Syntax::read(Path::new(path), text.text().as_bytes(), progress);
        Colored {
            text,
            syntax: syntax.ok().flatten(),
        }
    });
    let mut found = Lines {
        file: file.path.clone(),
        was: file.was.clone(),
        ..Lines::default()
    };
    let mut shown_to = 0;
    for (place, hunk) in file.hunks.iter().enumerate() {
        progress.check()?;
        if !has(hunk) {
            continue;
        }
        let start = hunk.after.start.saturating_sub(AROUND).max(shown_to + 1);
        if shown_to > 0 && start > shown_to + 1 {
            found.lines.push(Line {
                side: Side::Gap,
                number: 0,
                text: String::new(),
                classes: Vec::new(),
            });
        }
        found.add(&after, start..hunk.after.start, Side::Same);
        found.add(&before, hunk.before.clone(), Side::Old);
        found.add(&after, hunk.after.clone(), Side::New);
        // They are in order.
        let mut behind = file.hunks.iter().skip(place + 1).map(|it| it.after.start);
        let next = behind.find(|&it| it >= hunk.after.end && it > hunk.after.start);
        let end = (hunk.after.end + AROUND).min(next.unwrap_or(u32::MAX));
        let end = end.min(after.text.lines() + 1).max(hunk.after.end);
        found.add(&after, hunk.after.end..end, Side::Same);
        shown_to = end.saturating_sub(1);
        if found.is_cut {
            break;
        }
    }
    let letters = found.lines.iter().map(|it| it.text.chars().count());
    found.longest = letters.max().unwrap_or(0);
    found.last = found.lines.iter().map(|it| it.number).max().unwrap_or(1);
    Ok(found)
}

impl Lines {
    /// How many letters the longest line has, and the largest number of a line.
    pub(super) fn widest(&self) -> (usize, u32) {
        (self.longest, self.last)
    }

    /// Adds lines of a text as far as there is room.
    fn add(&mut self, of: &Colored<'_>, range: Range<u32>, side: Side) {
        let room = MOST.saturating_sub(self.lines.len());
        self.is_cut |= range.len() > room;
        let end = range.start.saturating_add(room as u32).min(range.end);
        self.lines.extend(of.lines(range.start..end, side));
    }
}

struct Colored<'a> {
    text: &'a SourceText,
    syntax: Option<Syntax>,
}

impl Colored<'_> {
    fn lines(&self, range: Range<u32>, side: Side) -> Vec<Line> {
        let whole = self.text.text();
        let bytes = [range.start, range.end.saturating_sub(1)].map(|it| self.text.range(it));
        let spans = match (bytes, &self.syntax) {
            ([Some(first), Some(last)], Some(syntax)) if !range.is_empty() => {
                syntax.spans(whole.as_bytes(), first.start..last.end)
            }
            _ => Vec::new(),
        };
        let lines = range.filter_map(|number| {
            let bytes = self.text.range(number)?;
            let (text, classes) = shown(whole, bytes, &spans);
            Some(Line {
                side,
                number,
                text,
                classes,
            })
        });
        lines.collect()
    }
}

/// A line as people may see it, tabs widened, and where its classes end.
fn shown(whole: &str, bytes: Range<usize>, spans: &[Span]) -> (String, Vec<(usize, Class)>) {
    let line = whole.get(bytes.clone()).unwrap_or_default();
    let (mut text, mut classes) = (String::new(), Vec::new());
    let mut span = spans.partition_point(|it| it.bytes.end <= bytes.start);
    for (at, letter) in line.char_indices().take(LONGEST) {
        let place = bytes.start + at;
        while spans.get(span).is_some_and(|it| it.bytes.end <= place) {
            span += 1;
        }
        let class = spans.get(span).filter(|it| it.bytes.contains(&place));
        let class = class.map_or(Class::Plain, |it| it.class);
        match letter {
            '\t' => text.push_str("    "),
            '\r' | '\n' => {}
            letter if escape::steers(letter) => {
                text.push_str(&escape::name(letter.encode_utf8(&mut [0; 4])));
            }
            letter => text.push(letter),
        }
        match classes.last_mut() {
            Some((end, last)) if *last == class => *end = text.len(),
            _ => classes.push((text.len(), class)),
        }
    }
    (text, classes)
}

/// Shows the lines, those that are seen alone.
pub(super) fn show(lines: &Lines, ui: &mut Ui, state: &State) {
    let look = Look::of(state.settings.theme);
    let font = FontId::new(LETTERS, FontFamily::Monospace);
    let title = match &lines.was {
        Some(was) => format!("{was} → {}", lines.file),
        None => lines.file.clone(),
    };
    ui.add(egui::Label::new(style::weak(title).small()).truncate());
    let advance = ui.fonts_mut(|fonts| fonts.glyph_width(&font, '0'));
    let (longest, last) = lines.widest();
    let digits = last.max(1).ilog10() as f32 + 1.0;
    let gutter = (digits + 2.0) * advance + 10.0;
    let wide = gutter + (longest as f32 + 1.0) * advance;
    let width = wide.max(ui.available_width());
    egui::ScrollArea::horizontal()
        .id_salt("changes")
        .auto_shrink([false, true])
        .show(ui, |ui| {
            let size = vec2(width, ROW * lines.lines.len() as f32 + 4.0);
            let (place, _) = ui.allocate_exact_size(size, Sense::hover());
            ui.painter().rect_filled(place, 3, look.paper);
            let seen = ui.clip_rect();
            let first = ((seen.min.y - place.min.y) / ROW).floor().max(0.0) as usize;
            let count = (seen.height() / ROW).ceil().max(0.0) as usize + 2;
            for (number, line) in lines.lines.iter().enumerate().skip(first).take(count) {
                let y = place.min.y + 2.0 + number as f32 * ROW;
                let row = Rect::from_min_max(pos2(place.min.x, y), pos2(place.max.x, y + ROW));
                draw(ui, line, row, (gutter, advance), &look, &font);
            }
        });
    if lines.is_cut {
        ui.label(style::weak("more lines are not shown").small());
    }
}

fn draw(
    ui: &Ui,
    line: &Line,
    row: Rect,
    (gutter, advance): (f32, f32),
    look: &Look,
    font: &FontId,
) {
    let painter = ui.painter();
    let weak = look.panel.weak;
    let middle = row.center().y;
    let (sign, tint) = match line.side {
        Side::Same => ("", None),
        // The colours in which runs have less and more.
        Side::Old => ("−", Some(look.change(-0.6))),
        Side::New => ("+", Some(look.change(0.6))),
        Side::Gap => {
            let at = pos2(row.min.x + gutter, middle);
            painter.text(at, egui::Align2::LEFT_CENTER, "⋯", font.clone(), weak);
            return;
        }
    };
    if let Some(color) = tint {
        painter.rect_filled(row, 0, look.paper.lerp_to_gamma(color, 0.22));
    }
    let number = pos2(row.min.x + gutter - 2.0 * advance - 6.0, middle);
    let align = egui::Align2::RIGHT_CENTER;
    painter.text(number, align, line.number.to_string(), font.clone(), weak);
    let at = pos2(row.min.x + gutter - advance - 4.0, middle);
    let align = egui::Align2::LEFT_CENTER;
    painter.text(at, align, sign, font.clone(), look.panel.text);
    let mut job = LayoutJob {
        break_on_newline: false,
        ..LayoutJob::default()
    };
    let mut start = 0;
    for &(end, class) in &line.classes {
        let color = look.text(class, line.side == Side::Same);
        let part = line.text.get(start..end).unwrap_or_default();
        job.append(part, 0.0, TextFormat::simple(font.clone(), color));
        start = end;
    }
    job.wrap.max_width = f32::INFINITY;
    let galley = ui.fonts_mut(|fonts| fonts.layout_job(job));
    let y = middle - galley.size().y * 0.5;
    painter.galley(pos2(row.min.x + gutter, y), galley, look.panel.text);
}
