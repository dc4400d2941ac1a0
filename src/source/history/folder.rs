//! What a folder has to hold to be a repository.

use std::path::Path;

use callscape_base::files;

/// `HEAD` is no longer, in bytes.
const LONGEST_HEAD: u64 = 1 << 16;

/// Whether a folder holds a repository: `.git` itself, or a bare one. Files of other programs may have these names too, but
/// `HEAD` names a branch or a commit: <https://git-scm.com/docs/gitrepository-layout>.
pub fn is_repository(folder: &Path) -> bool {
    let has_folders = ["objects", "refs"]
        .iter()
        .all(|it| folder.join(it).is_dir());
    if !has_folders || !folder.join("HEAD").is_file() {
        return false;
    }
    let head = files::read_text(&folder.join("HEAD"), LONGEST_HEAD).unwrap_or_default();
    let digits = head.trim_end();
    head.starts_with("ref:")
        || digits.len() >= 40 && digits.bytes().all(|it| it.is_ascii_hexdigit())
}
