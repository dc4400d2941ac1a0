//! Options of `callscape render` that exclude each other.

/// Options of single pictures.
const OF_PICTURES: [&str; 32] = [
    "set",
    "sizing",
    "rings",
    "max_frequency",
    "good",
    "results",
    "view",
    "at",
    "shadow",
    "timings",
    "camera",
    "focus",
    "yaw",
    "pitch",
    "distance",
    "scale",
    "height_scale",
    "highlight",
    "full_size",
    "without",
    "legend",
    "labels",
    "no_labels",
    "transparent",
    "layout",
    "map",
    "collapse",
    "expand",
    "frames",
    "from",
    "to",
    "with_sum",
];

/// Options of a picture that is not of two revisions.
pub(super) fn not_of_revisions() -> Vec<&'static str> {
    of_pictures_and(&[
        "history",
        "quality",
        "arcs",
        "arc_width",
        "bundling",
        "most_arcs",
        "color",
        "height",
        "area",
    ])
}

/// Options that a scene defines itself.
pub(super) fn not_of_scenes() -> Vec<&'static str> {
    of_pictures_and(&[
        "rev",
        "inputs",
        "bad",
        "good_recording",
        "arcs",
        "arc_width",
        "bundling",
        "most_arcs",
        "color",
        "height",
        "area",
        "no_legend",
        "level",
        "value",
        "summary",
        "json",
        "history",
    ])
}

/// Options that a film of a recording does not take.
pub(super) fn not_of_films() -> Vec<&'static str> {
    of_pictures_and(&[
        "rev",
        "bad",
        "good_recording",
        "no_legend",
        "level",
        "value",
        "summary",
        "json",
    ])
}

fn of_pictures_and(others: &[&'static str]) -> Vec<&'static str> {
    [&OF_PICTURES, others].concat()
}
