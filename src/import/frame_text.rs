//! Frames as valgrind's tools write them: `0x4846828: malloc (vg_replace_malloc.c:381)`.

use super::demangle::demangle;
use callscape_facts::functions::Function;

/// The parts of a frame. Lines are those of calls and are left out; a function that is not known is named by its
/// address.
pub(super) fn function<T>(frame: &str, take: impl FnOnce(Function<'_>) -> T) -> T {
    let (address, rest) = frame.split_once(": ").unwrap_or(("", frame));
    let (name, place) = match rest.strip_suffix(')').and_then(|it| it.rsplit_once(" (")) {
        Some((name, place)) => (name, place),
        None => (rest, ""),
    };
    let (file, library) = match place.strip_prefix("in ") {
        Some(library) => ("", library),
        None => (place.rsplit_once(':').map_or(place, |(file, _)| file), ""),
    };
    let name = match name {
        "???" | "" => address.to_owned(),
        name => demangle(name),
    };
    take(Function {
        name: &name,
        file,
        line: 0,
        library,
    })
}

/// The name of the function of valgrind's own that a frame is, where it is one: what was called to allocate.
pub(super) fn allocator(frame: &str) -> Option<String> {
    function(frame, |it| {
        let is_own = it.library.contains("vgpreload") || it.file.starts_with("vg_replace_malloc");
        is_own.then(|| it.name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_apart() {
        for (frame, expected) in [
            (
                "0x4846828: malloc (vg_replace.c:381)",
                "malloc vg_replace.c ",
            ),
            ("0x10A3: ??? (in /usr/bin/xz)", "0x10A3  /usr/bin/xz"),
            (
                "0x1: operator new(unsigned long) (a.cpp:3)",
                "operator new(unsigned long) a.cpp ",
            ),
            ("nothing", "nothing  "),
        ] {
            let found = function(frame, |it| {
                format!("{} {} {}", it.name, it.file, it.library)
            });
            assert_eq!(found, expected);
        }
    }
}
