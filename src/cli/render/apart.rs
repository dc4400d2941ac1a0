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

/// Options that say what the landscape shows.
const OF_LOOKS: [&str; 7] = [
    "arcs",
    "arc_width",
    "bundling",
    "most_arcs",
    "color",
    "height",
    "area",
];

/// Further options that no film takes.
const NOT_OF_FILMS: [&str; 8] = [
    "rev",
    "bad",
    "good_recording",
    "no_legend",
    "level",
    "value",
    "summary",
    "json",
];

/// Options of a picture that is not of two revisions.
pub(super) fn not_of_revisions() -> Vec<&'static str> {
    [&OF_PICTURES[..], &OF_LOOKS, &["history", "quality"][..]].concat()
}

/// Options that a scene defines itself.
pub(super) fn not_of_scenes() -> Vec<&'static str> {
    let others = ["inputs", "history"];
    [&OF_PICTURES[..], &OF_LOOKS, &NOT_OF_FILMS, &others[..]].concat()
}

/// Options that a film of a recording does not take.
pub(super) fn not_of_films() -> Vec<&'static str> {
    [&OF_PICTURES[..], &NOT_OF_FILMS].concat()
}
