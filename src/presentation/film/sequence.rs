//! The names of numbered pictures: `frames_%05d.png`, as other programs that make films of pictures write them.

use std::path::{Path, PathBuf};

/// The text before the number, how many digits it has at least, and the text after it.
fn parts(name: &str) -> Option<(&str, usize, &str)> {
    let (before, rest) = name.split_once('%')?;
    let (digits, after) = rest.split_once('d')?;
    let digits = match digits {
        "" => 1,
        digits => digits.strip_prefix('0')?.parse().ok()?,
    };
    (digits <= 20 && !after.contains('%')).then_some((before, digits, after))
}

/// Whether a path says where the number stands.
pub(super) fn has_number(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.and_then(parts).is_some()
}

/// The path of picture `number`, from 0; people count from 1.
pub(super) fn path_of(pattern: &Path, number: u64) -> PathBuf {
    let name = pattern.file_name().unwrap_or_default().to_string_lossy();
    match parts(&name) {
        Some((before, digits, after)) => {
            let number = number + 1;
            pattern.with_file_name(format!("{before}{number:0digits$}{after}"))
        }
        None => pattern.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_where_the_name_says() {
        let path = Path::new("a/f_%05d.png");
        assert!(has_number(path));
        assert_eq!(path_of(path, 0), Path::new("a/f_00001.png"));
        assert_eq!(path_of(Path::new("%d.png"), 99), Path::new("100.png"));
        for wrong in ["f.png", "f%s.png", "f%5d.png", "%d%d.png", "%099d.png"] {
            assert!(!has_number(Path::new(wrong)), "{wrong}");
        }
    }
}
