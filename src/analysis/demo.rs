//! The built-in demo: the structure of Lua 5.4.9 and a recording of it, both inside the program.

use std::io;
use std::path::{Path, PathBuf};

use callscape_base::files;
use callscape_facts::hierarchy::Hierarchy;
#[cfg(not(target_arch = "wasm32"))]
use callscape_facts::index::cache_dir;
use callscape_source::saved;

/// The structure, as `callscape tree --json` wrote it.
const STRUCTURE: &[u8] = include_bytes!("../../assets/demo/lua-5.4.9.tree.json");

/// The recording, as a file that any user could have recorded.
const RECORDING: &[u8] = include_bytes!("../../assets/demo/lua-queens.json.zst");

/// The name that the recording's file gets.
const RECORDING_NAME: &str = "lua-queens.json.zst";

/// The structure of the demo.
pub fn structure() -> io::Result<Hierarchy> {
    Ok(saved::read(STRUCTURE)?)
}

/// The demo's recording as a file: in the user's cache directory, or among the temporary files where that
/// cannot be written. What lies there already is used when it is the same.
#[cfg(not(target_arch = "wasm32"))]
pub fn recording() -> io::Result<PathBuf> {
    let cached = cache_dir().map_or(Err(io::ErrorKind::NotFound.into()), |dir| unpack(&dir));
    cached.or_else(|_| unpack(&files::private_folder()?))
}

/// The same in a browser, where it is held in memory.
#[cfg(target_arch = "wasm32")]
pub fn recording() -> io::Result<PathBuf> {
    let path = Path::new("/demo").join(RECORDING_NAME);
    if !files::disk::exists(&path) {
        files::held::hold(&path, RECORDING);
    }
    Ok(path)
}

#[cfg(not(target_arch = "wasm32"))]
fn unpack(dir: &Path) -> io::Result<PathBuf> {
    let path = dir.join(RECORDING_NAME);
    if std::fs::read(&path).is_ok_and(|found| found == RECORDING) {
        return Ok(path);
    }
    std::fs::create_dir_all(dir)?;
    // Not in place: another Callscape may be reading or writing it at this moment.
    files::write(&path, RECORDING).map(|()| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_demo_is_whole_and_small() {
        let structure = structure().expect("the structure is inside the program");
        assert!(structure.len() > 1000);
        assert!(STRUCTURE.len() + RECORDING.len() < 3_000_000);
        let dir = std::env::temp_dir().join(format!("callscape-demo-test-{}", std::process::id()));
        let path = unpack(&dir).expect("a temporary folder can be written");
        assert_eq!(std::fs::read(&path).expect("just written"), RECORDING);
        std::fs::write(&path, b"damaged").expect("a file of this test");
        assert_eq!(unpack(&dir).expect("written anew"), path);
        assert_eq!(std::fs::read(&path).expect("just written"), RECORDING);
        std::fs::remove_dir_all(&dir).expect("a folder of this test");
    }
}
