//! What colours say is told apart by people of every colour vision.

use callscape::look::ink::diverging;
use callscape::look::theme::Palette;
use callscape::model::theme::Theme;
use callscape::state::city::thread_color;
use callscape::units::ThreadId;

use crate::perceive::{DEFICIENCIES, apart};

/// Colours that mean different things are at least so far apart for everyone, where 100 is black from white. What is
/// told apart by its place or form as well (what runs stands up, arcs are ribbons, less and more have marks) may be
/// nearer.
#[test]
fn colours_are_told_apart_with_every_colour_vision() {
    for theme in [Theme::Light, Theme::Dark] {
        let palette = Palette::of(theme);
        let thread = thread_color(theme, ThreadId(0));
        let [less, more] = [-1.0, 1.0].map(|strength| diverging(theme, strength));
        let [little_less, little_more] = [-0.1, 0.1].map(|strength| diverging(theme, strength));
        let [half_less, half_more] = [-0.5, 0.5].map(|strength| diverging(theme, strength));
        let pairs = [
            ("past and open activity", palette.warm, palette.hot, 18.0),
            (
                "past activity and roofs",
                palette.warm,
                palette.deepest,
                18.0,
            ),
            (
                "open activity and roofs",
                palette.hot,
                palette.deepest,
                12.0,
            ),
            ("caller and callee", palette.caller, palette.callee, 15.0),
            ("callers and roofs", palette.caller, palette.deepest, 15.0),
            ("callees and roofs", palette.callee, palette.deepest, 15.0),
            ("hyperarc and callers", thread, palette.caller, 10.0),
            ("hyperarc and callees", thread, palette.callee, 18.0),
            ("less and more", less, more, 15.0),
            ("half less and more", half_less, half_more, 18.0),
            ("a little less and more", little_less, little_more, 9.0),
            ("a little less and half", little_less, half_less, 10.0),
            ("a little more and half", little_more, half_more, 9.0),
            ("half less and less", half_less, less, 10.0),
            ("half more and more", half_more, more, 10.0),
            ("half less and roofs", half_less, palette.deepest, 12.0),
            ("half more and roofs", half_more, palette.deepest, 12.0),
            ("root and roofs", palette.root, palette.deepest, 15.0),
            ("letters and roofs", palette.text, palette.deepest, 35.0),
        ];
        for (what, a, b, least) in pairs {
            let everyone = DEFICIENCIES.map(|(name, rows)| (name, Some(rows)));
            for (name, rows) in everyone.into_iter().chain([("most people", None)]) {
                let found = apart(a, b, rows);
                assert!(
                    found >= least,
                    "{theme:?}, {name}: {what} are {found} apart, not {least}"
                );
            }
        }
    }
}
