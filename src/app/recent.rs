//! What was opened before, the latest first, each with a small picture: what the welcome offers again.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::versioned;
use callscape_analysis::session::{Inputs, Sides};
use callscape_look::image::Image;

/// More than anyone looks through.
const MOST: usize = 30;

/// Sides of the pictures, in pixels.
pub(crate) const PICTURE: [u32; 2] = [320, 180];

/// Inputs that were opened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recent {
    pub source_dir: Option<PathBuf>,
    #[serde(default)]
    pub recordings: Vec<PathBuf>,
    /// So many of them are runs of A; 0 where nothing is said of sides.
    #[serde(default)]
    pub runs_of_a: usize,
}

#[derive(Default, Serialize, Deserialize)]
struct Contents {
    recent: Vec<Recent>,
}

/// All of them, and where they are kept.
#[derive(Debug, Default)]
pub struct RecentInputs {
    /// None where the user has no configuration directory, or the file cannot be read, which then stays as it is.
    path: Option<PathBuf>,
    /// Where the pictures are.
    pictures: Option<PathBuf>,
    all: Vec<Recent>,
    /// What was opened last has not been drawn yet.
    is_new: bool,
}

impl Recent {
    pub fn inputs(&self) -> Inputs {
        Inputs {
            source_dir: self.source_dir.clone(),
            recordings: self.recordings.clone(),
            sides: Sides {
                runs_of_a: self.runs_of_a,
                source_of_a: None,
            },
            ..Inputs::default()
        }
    }

    /// Whether all of it is still there.
    pub fn exists(&self) -> bool {
        let mut all = self.source_dir.iter().chain(&self.recordings);
        all.all(|path| path.exists())
    }

    /// The names of the files, the source tree first.
    pub fn title(&self) -> String {
        let all = self.source_dir.iter().chain(&self.recordings);
        let names: Vec<String> = all
            .map(|path| {
                let name = path.file_name().unwrap_or(path.as_os_str());
                name.to_string_lossy().into_owned()
            })
            .collect();
        names.join(" · ")
    }

    /// Told apart from all others by this name, as far as a hash tells.
    fn picture_name(&self) -> String {
        let all = self.source_dir.iter().chain(&self.recordings);
        let mut hash = crc32fast::Hasher::new();
        for path in all {
            hash.update(path.as_os_str().as_encoded_bytes());
            hash.update(&[0]);
        }
        format!("{:08x}.png", hash.finalize())
    }
}

impl RecentInputs {
    /// Reads what is kept, and says what could not be read.
    pub fn recall() -> (RecentInputs, Option<String>) {
        let path = dirs::config_dir().map(|dir| dir.join("callscape").join("recent.json"));
        let pictures = dirs::cache_dir().map(|dir| dir.join("callscape").join("recent"));
        RecentInputs::at(path, pictures)
    }

    fn at(path: Option<PathBuf>, pictures: Option<PathBuf>) -> (RecentInputs, Option<String>) {
        match path.as_deref().map(versioned::read).transpose() {
            Ok(found) => {
                let Contents { mut recent } = found.flatten().unwrap_or_default();
                recent.truncate(MOST);
                let all = recent;
                let kept = RecentInputs {
                    path,
                    pictures,
                    all,
                    is_new: false,
                };
                (kept, None)
            }
            Err(reason) => (RecentInputs::default(), Some(reason)),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Recent> {
        self.all.iter()
    }

    /// Notes that `inputs` were opened; nothing of the demo, of two versions, or of standard input. Not being able to keep it
    /// is no reason to disturb anyone.
    pub fn add(&mut self, inputs: &Inputs) {
        let is_plain = inputs.sides.source_of_a.is_none() && *inputs != Inputs::default();
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let is_file = |path: &PathBuf| path.exists();
        if !is_plain || !inputs.recordings.iter().all(is_file) {
            return;
        }
        let recent = Recent {
            source_dir: inputs.source_dir.as_ref().map(absolute),
            recordings: inputs.recordings.iter().map(absolute).collect(),
            runs_of_a: inputs.sides.runs_of_a,
        };
        self.all.retain(|it| *it != recent);
        self.all.insert(0, recent);
        self.all.truncate(MOST);
        self.is_new = true;
        if let Some(path) = &self.path {
            let recent = self.all.clone();
            let _ = versioned::write(path, &Contents { recent });
        }
    }

    /// The file with the picture of one of them, whether it is there or not.
    pub fn picture(&self, of: &Recent) -> Option<PathBuf> {
        Some(self.pictures.as_ref()?.join(of.picture_name()))
    }

    /// Where the picture of what was opened last belongs, once for each that is opened; the demo has none.
    pub fn take_picture(&mut self) -> Option<PathBuf> {
        let is_new = std::mem::take(&mut self.is_new);
        self.picture(self.all.first().filter(|_| is_new)?)
    }
}

/// Writes `seen`, made small, as the picture at `path`.
pub(crate) fn write_picture(seen: &Image, path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    small(seen).write_png(path)
}

/// The picture at `path`; none where there is none, or one that was not written here.
pub(crate) fn read_picture(path: &Path) -> Option<Image> {
    let file = std::io::BufReader::new(std::fs::File::open(path).ok()?);
    let mut reader = png::Decoder::new(file).read_info().ok()?;
    let (width, height) = reader.info().size();
    let is_ours = [width, height] == PICTURE
        && reader.output_color_type() == (png::ColorType::Rgba, png::BitDepth::Eight);
    let mut rgba = vec![0; (width * height * 4) as usize * usize::from(is_ours)];
    reader.next_frame(&mut rgba).ok().filter(|_| is_ours)?;
    Some(Image {
        width,
        height,
        rgba,
    })
}

/// The middle of a picture in the shape of [`PICTURE`], each pixel the mean of those that it covers.
fn small(seen: &Image) -> Image {
    let [width, height] = PICTURE;
    let wide = seen.height.saturating_mul(width) / height;
    let high = seen.width.saturating_mul(height) / width;
    let size = match wide <= seen.width {
        true => [wide, seen.height],
        false => [seen.width, high],
    };
    let corner = [(seen.width - size[0]) / 2, (seen.height - size[1]) / 2];
    let part = seen.part(corner, size);
    let mut rgba = Vec::with_capacity((width * height * 4) as usize);
    for y in 0..height {
        for x in 0..width {
            let of = |at: u32, sides: u32, all: u32| {
                let start = at * all / sides;
                start..((at + 1) * all / sides).max(start + 1).min(all.max(1))
            };
            let (mut sum, mut count) = ([0_u32; 4], 0);
            for row in of(y, height, part.height) {
                for column in of(x, width, part.width) {
                    let at = (row as usize * part.width as usize + column as usize) * 4;
                    let Some(pixel) = part.rgba.get(at..at + 4) else {
                        continue;
                    };
                    sum.iter_mut()
                        .zip(pixel)
                        .for_each(|(sum, &it)| *sum += u32::from(it));
                    count += 1;
                }
            }
            rgba.extend(sum.map(|it| (it / count.max(1)) as u8));
        }
    }
    Image {
        width,
        height,
        rgba,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_comes_first_once_and_a_file_cut_in_half_stays() {
        let dir = std::env::temp_dir().join(format!("callscape-recent-{}", std::process::id()));
        let path = dir.join("recent.json");
        let recalled = || RecentInputs::at(Some(path.clone()), None);
        let inputs = |name: &str| Inputs {
            source_dir: Some(dir.join(name)),
            ..Inputs::default()
        };
        let (mut recent, notice) = recalled();
        assert!(notice.is_none());
        recent.add(&Inputs::default());
        for name in ["a", "b", "a"] {
            recent.add(&inputs(name));
        }
        let titles: Vec<String> = recalled().0.iter().map(Recent::title).collect();
        assert_eq!(titles, ["a", "b"]);
        for number in 0..100 {
            recent.add(&inputs(&number.to_string()));
        }
        assert_eq!(recalled().0.iter().count(), MOST);
        let text = std::fs::read_to_string(&path).expect("it is there");
        std::fs::write(&path, &text[..text.len() / 2]).expect("there is room");
        let (mut broken, notice) = recalled();
        assert!(notice.is_some_and(|it| it.contains("recent.json")));
        broken.add(&inputs("c"));
        let kept = std::fs::read_to_string(&path).expect("it stays");
        assert_eq!(kept, text[..text.len() / 2]);
        let _ = std::fs::remove_dir_all(&dir);
    }

    #[test]
    fn a_small_picture_is_the_mean_of_the_middle() {
        for (width, height) in [(640, 360), (1280, 360), (640, 900), (3, 2), (0, 0)] {
            let seen = Image {
                width,
                height,
                rgba: vec![77; (width * height * 4) as usize],
            };
            let small = small(&seen);
            assert_eq!([small.width, small.height], PICTURE);
            let value = if width == 0 { 0 } else { 77 };
            assert!(small.rgba.iter().all(|&it| it == value), "{width}");
        }
    }
}
