//! `--page`: one HTML file that plays in a browser. It is the viewer, which `./x web` makes, with a pack in it, and with
//! the same as text, which needs neither scripts nor a graphics device.

use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use anyhow::{Context, ensure};
use base64::prelude::{BASE64_STANDARD, Engine};
use image::ExtendedColorType;
use image::codecs::jpeg::JpegEncoder;

use super::base85;
use super::findings::page::list;
use super::page::{STYLE, escaped};
use super::{output, phases};
use callscape_analysis::findings::findings;
use callscape_analysis::session::{Resolved, Session};
use callscape_app::headless::{PictureSettings, Studio, moment_at};
use callscape_app::sharing::{self, Opened, Wanted};
use callscape_base::files::{self, Folder};
use callscape_base::progress::Progress;
use callscape_base::units::{Cost, FunctionId, counted, grouped};
use callscape_facts::trace::FunctionMetrics;
use callscape_look::image::Image;
use callscape_look::quality::Quality;
use callscape_model::landscape::LandscapeSettings;
use callscape_model::moment::lively;
use callscape_model::surface::Surface;
use callscape_state::document::name_of;
use callscape_state::viewpoint::Viewpoint;

/// The file that pages are made of.
const VIEWER: &str = "viewer.html";
/// Placeholders in the viewer, each replaced once.
const TITLE: &str = "<title>Callscape</title>";
const STYLES: &str = "<style>\n";
const TEXT: &str = "<!--callscape text-->";
const PACK: &str = "<script type=\"application/octet-stream\" id=\"pack\">";
const VIEWER_IN: &str = "<script type=\"application/octet-stream\" id=\"viewer\">";
/// What they become: the viewer as `./x web` makes it has no pack, and is written in base64.
const PACKED: &str = "<script type=\"application/octet-stream\" id=\"pack\" data-base=\"85\">";
const VIEWER_PACKED: &str =
    "<script type=\"application/octet-stream\" id=\"viewer\" data-base=\"85\">";
/// Replaced: a page makes no requests.
const NETWORK: &str = "connect-src *";
/// Scripts without this are not run.
const NONCE: &str = "callscape";

/// Name of a pack while it becomes part of a page.
pub(crate) const NAME: &str = "page.callscape-pack";
/// No viewer or page is larger.
const MOST: u64 = 1 << 30;
/// The first interval of sampling in entries and exits, if a page is too large. All are odd: where calls follow each other,
/// even ones would meet exits alone.
const FIRST: u64 = 17;
/// What a page without a pack contains.
pub(crate) const DEMO: &str = "the built-in demo";
/// Of pictures as JPEG, of 100: edges of letters stay sharp.
const QUALITY: u8 = 90;
/// Rows of a table as text.
const ROWS: usize = 50;

/// What a page adds to the viewer.
pub(crate) struct Playable {
    pub title: String,
    /// In HTML, all names escaped.
    pub text: String,
    /// Empty for the built-in demo.
    pub pack: Vec<u8>,
}

/// The viewer, next to the program or installed by a package.
pub(crate) fn viewer() -> anyhow::Result<String> {
    let program = std::env::current_exe().and_then(|it| it.canonicalize());
    let program = program.context("cannot find the program's own folder")?;
    let folder = program.parent().unwrap_or(Path::new("."));
    let places = ["", "../web", "../share/callscape"];
    let mut places = places.map(|it| folder.join(it).join(VIEWER)).into_iter();
    let found = places.find(|it| it.is_file()).with_context(|| {
        format!(
            "{VIEWER} is missing, which pages are made of; `./x web` builds it in target/web: put it into {} or into \
             ../share/callscape from there",
            folder.display()
        )
    })?;
    files::read_text(&found, MOST).with_context(|| found.display().to_string())
}

impl Playable {
    /// The page, made of `viewer`.
    pub(crate) fn page(&self, viewer: &str) -> anyhow::Result<String> {
        let mut hash = DefaultHasher::new();
        (&self.pack, &self.text).hash(&mut hash);
        let nonce = format!("{:016x}", hash.finish());
        let of = |nonce: &str| [format!("'nonce-{nonce}'"), format!("nonce=\"{nonce}\"")];
        let [of_policy, of_script] = of(NONCE);
        let [policy, script] = of(&nonce);
        let older =
            || format!("{VIEWER} belongs to another version of Callscape; run `./x web` again");
        let (before, player) = viewer.split_once(VIEWER_IN).with_context(older)?;
        let (player, after) = player.split_once('<').with_context(older)?;
        let player = BASE64_STANDARD.decode(player.trim()).with_context(older)?;
        let mut page = format!("{before}{VIEWER_PACKED}<{after}").replace(&of_script, &script);
        for (old, new) in [
            (TITLE, format!("<title>{}</title>", escaped(&self.title))),
            (&*of_policy, policy),
            (NETWORK, "connect-src 'none'".to_owned()),
            (STYLES, format!("<style>\n{STYLE}\n")),
            (PACK, format!("{PACKED}{}", base85::encode(&self.pack))),
            (
                VIEWER_PACKED,
                format!("{VIEWER_PACKED}{}", base85::encode(&player)),
            ),
            (TEXT, self.text.clone()),
        ] {
            ensure!(page.contains(old), older());
            page = page.replacen(old, &new, 1);
        }
        Ok(page)
    }
}

/// The pack in the page at `path`; `None` for other files.
pub(crate) fn pack_in(path: &Path) -> anyhow::Result<Option<Vec<u8>>> {
    let bytes = files::read(path, MOST).with_context(|| path.display().to_string())?;
    let Ok(page) = String::from_utf8(bytes) else {
        return Ok(None);
    };
    let pack = page.split_once(PACKED);
    let pack = pack.and_then(|(_, it)| it.split_once('<'));
    Ok(pack.and_then(|(pack, _)| base85::decode(pack)))
}

/// A picture in HTML: as PNG, or as JPEG where that takes less than half of it, as for landscapes with their shadows.
pub(crate) fn picture(page: &mut String, image: &Image, alternative: &str) -> anyhow::Result<()> {
    let (width, height) = (image.width, image.height);
    let (png, mut jpeg) = (image.png()?, Vec::new());
    let pixels = image.rgba.as_chunks::<4>().0.iter();
    let rgb: Vec<u8> = pixels
        .flat_map(|&[red, green, blue, _]| [red, green, blue])
        .collect();
    let mut encoder = JpegEncoder::new_with_quality(&mut jpeg, QUALITY);
    encoder.encode(&rgb, width, height, ExtendedColorType::Rgb8)?;
    let (kind, bytes) = match jpeg.len() < png.len() / 2 {
        true => ("jpeg", jpeg),
        false => ("png", png),
    };
    writeln!(
        page,
        "<p><img alt=\"{}\" width=\"{width}\" height=\"{height}\" src=\"data:image/{kind};base64,{}\"></p>",
        escaped(alternative),
        BASE64_STANDARD.encode(bytes)
    )?;
    Ok(())
}

/// A session as text: a picture, and for each recording findings, functions and phases.
fn text(session: &Session, title: &str, progress: &Progress) -> anyhow::Result<String> {
    let mut page = String::new();
    writeln!(page, "<h1>{}</h1>", escaped(title))?;
    match landscape(session) {
        Ok(image) => picture(
            &mut page,
            &image,
            "The landscape at a time at which much is going on",
        )?,
        // The text is worth sending without one.
        Err(error) => say!("callscape: no picture in the page: {error:#}"),
    }
    for resolved in &session.recordings {
        if session.recordings.len() > 1 {
            writeln!(page, "<h2>{}</h2>", escaped(&resolved.recording.name()))?;
        }
        of_recording(&mut page, session, resolved, progress)?;
    }
    Ok(page)
}

/// The list of the contents of a page.
fn contents(said: &[String]) -> String {
    let items = said.iter().map(|it| format!("<li>{}</li>\n", escaped(it)));
    let items: String = items.collect();
    format!("<h2>What this file contains</h2>\n<ul>\n{items}</ul>\n")
}

/// The landscape at a time at which much is going on.
fn landscape(session: &Session) -> anyhow::Result<Image> {
    let first = session.recordings.first().map(|it| &*it.recording);
    let usual = LandscapeSettings::default().once_open(first, session.source_dir.is_some());
    let duration = first.map_or(Cost::ZERO, |it| it.trace.duration());
    let settings = PictureSettings {
        size: [1280, 720],
        landscape: LandscapeSettings {
            surface: Surface::usual(false, first.is_some()),
            // As `callscape render` has it.
            half_life: Cost::from_ns(duration.ns() / 150),
            ..usual
        },
        level: None,
        legend: false,
        viewpoint: Viewpoint::default(),
        quality: Quality {
            samples: 16,
            ..Quality::default()
        },
    };
    let moment = first.and_then(|first| moment_at(session, 0, lively(first)));
    Ok(Studio::new(session, &settings)?.picture(moment)?)
}

fn of_recording(
    page: &mut String,
    session: &Session,
    resolved: &Resolved,
    progress: &Progress,
) -> anyhow::Result<()> {
    let recording = &resolved.recording;
    let found = findings(recording, progress)?;
    page.push_str("<h2>Findings</h2>\n");
    list(page, recording, &found)?;
    functions(page, session, resolved)?;
    if recording.profile.is_none() && recording.trace.calls() > 0 {
        page.push_str("<h2>Phases</h2>\n<pre>");
        let lines = phases::lines(session, resolved, progress)?;
        for line in lines.iter().take(ROWS) {
            writeln!(page, "{}", escaped(line))?;
        }
        if lines.len() > ROWS {
            writeln!(page, "and {} more lines", lines.len() - ROWS)?;
        }
        page.push_str("</pre>\n");
    }
    output::ensure_whole(recording)
}

fn functions(page: &mut String, session: &Session, resolved: &Resolved) -> anyhow::Result<()> {
    let recording = &resolved.recording;
    let functions = &recording.functions;
    let metrics = recording.function_metrics(None);
    let mut rows: Vec<(FunctionId, FunctionMetrics)> = functions.ids().zip(metrics).collect();
    rows.retain(|(_, it)| it.calls > 0 || it.total.ns() > 0);
    // Stable, so that equals stay in the order of their first appearance.
    rows.sort_by_key(|(_, it)| std::cmp::Reverse(it.self_cost.size()));
    page.push_str("<h2>Functions</h2>\n<div class=\"wide\"><table><tr><th>self</th><th>total</th><th>calls</th><th>function</th></tr>\n");
    let unit = recording.unit();
    for (id, it) in rows.iter().take(ROWS) {
        let module = resolved.resolution.modules.get(id.index());
        let module = module.map(|&it| session.hierarchy.path(it));
        writeln!(
            page,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{} <span class=\"weak\">{}</span></td></tr>",
            escaped(&unit.show(it.self_cost)),
            escaped(&unit.show(it.total)),
            output::calls(it.calls, recording.counts_calls()),
            escaped(functions.get(*id).name),
            escaped(&module.unwrap_or_default())
        )?;
    }
    page.push_str("</table></div>\n");
    if rows.len() > ROWS {
        let more = grouped((rows.len() - ROWS) as u64);
        writeln!(page, "<p class=\"weak\">and {more} more functions</p>")?;
    }
    Ok(())
}

/// A pack that becomes part of a page.
pub(crate) struct Packed {
    /// A line for each part.
    pub said: Vec<String>,
    pub bytes: Vec<u8>,
    /// The pack, opened: a page says nothing of what is not in it.
    pub opened: Opened,
}

pub(crate) fn packed(wanted: &Wanted, out: &Path, progress: &Progress) -> anyhow::Result<Packed> {
    let folder = Folder::beside(out).with_context(|| out.display().to_string())?;
    let inner = folder.path().join(NAME);
    let (said, _) = sharing::pack(wanted, &inner, progress)?;
    let opened = sharing::open(&inner, progress)?;
    let bytes = std::fs::read(&inner)?;
    Ok(Packed {
        said,
        bytes,
        opened,
    })
}

/// Writes a page of `wanted` to `out`, or of the built-in demo if nothing is wanted. Recordings are sampled until it has
/// `at_most` bytes. Returns a line for each part, and the size in bytes.
pub(crate) fn share(
    wanted: &Wanted,
    at_most: Option<u64>,
    out: &Path,
    progress: &Progress,
) -> anyhow::Result<(Vec<String>, u64)> {
    let viewer = viewer()?;
    let mut wanted = wanted.clone();
    let inputs = &wanted.inputs;
    let has_inputs = inputs.source_dir.is_some() || !inputs.recordings.is_empty();
    let is_demo = !has_inputs && wanted.session.is_none() && wanted.scenes.is_empty();
    let title = name_of(inputs);
    let mut whole = None;
    loop {
        let (said, pack, shown) = match is_demo {
            true => (vec![DEMO.to_owned()], Vec::new(), wanted.inputs.clone()),
            false => {
                let packed = packed(&wanted, out, progress)?;
                (packed.said, packed.bytes, packed.opened.inputs)
            }
        };
        let session = Session::open(&shown, progress)?;
        // The text takes longer to make than the pack: not for one that is too large without it.
        let mut bytes = (viewer.len() / 16 * 15 + pack.len() / 4 * 5) as u64;
        if at_most.is_none_or(|most| bytes <= most) {
            let told = text(&session, &title, progress)?;
            let text = format!("{told}{}", contents(&said));
            let title = title.clone();
            let page = Playable { title, text, pack }.page(&viewer)?;
            bytes = page.len() as u64;
            if at_most.is_none_or(|most| bytes <= most) {
                write(out, &page)?;
                return Ok((said, bytes));
            }
        }
        let most = at_most.unwrap_or(bytes);
        // Short intervals take more room than the calls: a stack is longer than a call.
        let every = wanted.kept.stacks.map_or(FIRST, |every| 4 * every + 1);
        let calls = session.recordings.iter();
        let calls = calls.map(|it| it.recording.trace.calls()).max();
        // Those of the first page, which is not sampled.
        ensure!(
            every < *whole.get_or_insert(calls.unwrap_or_default()),
            "{}: the page has {} and cannot be made smaller than --at-most {}",
            out.display(),
            counted(bytes, "byte", "bytes"),
            grouped(most)
        );
        wanted.kept.stacks = Some(every);
    }
}

/// As [`share`], of any size.
pub(crate) fn share_whole(
    wanted: &Wanted,
    out: &Path,
    progress: &Progress,
) -> anyhow::Result<(Vec<String>, u64)> {
    share(wanted, None, out, progress)
}

/// Writes a page to `path`.
pub(crate) fn write(path: &Path, page: &str) -> anyhow::Result<()> {
    files::write(path, page.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
}
