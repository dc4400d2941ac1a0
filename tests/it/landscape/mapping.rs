//! Values as colours and heights.

use callscape::filter::cut::Cut;
use callscape::layout::geometry::{BlockKind, BlockLook};
use callscape::model::highlight::Highlight;
use callscape::model::landscape::LandscapeSettings;
use callscape::model::metric::Metric;
use callscape::model::surface::{Scale, Surface};
use callscape::state::city::City;

use super::{session, settings};
use crate::common::Random;

#[test]
fn what_stands_out_has_its_values_and_the_rest_is_neutral() {
    let session = session(11);
    let mut random = Random(4);
    for surface in [
        Surface::Neutral,
        Surface::District,
        Surface::Metric(Metric::LinesOfCode),
    ] {
        let settings = LandscapeSettings {
            surface,
            ..settings()
        };
        let mut view = City::new(&session, &settings, &Cut::all());
        let plain = view.looks().to_vec();
        let values = view
            .metrics()
            .values(&session.hierarchy, Metric::LinesOfCode);
        for _ in 0..20 {
            let ends = [0, 1].map(|_| random.below(60) as f64);
            let highlight = Highlight {
                metric: Metric::LinesOfCode,
                low: ends[0].min(ends[1]),
                high: ends[0].max(ends[1]),
            };
            view.highlight(&session.hierarchy, Some(highlight));
            let mut taken = 0;
            for ((block, look), before) in view.blocks().iter().zip(view.looks()).zip(&plain) {
                let value = values[block.module.index()];
                let is_in = block.kind != BlockKind::Terrace
                    && value > 0.0
                    && (highlight.low..=highlight.high).contains(&value);
                taken += u32::from(is_in);
                assert_eq!(look.data[3] > 0.0, is_in, "{value} in {highlight:?}");
                assert!(!is_in || before.data[3] == 0.0 || look.data == before.data);
            }
            assert_eq!(view.highlighted().0, taken);
            // Laid out with it at once it is the same.
            let settings = LandscapeSettings {
                highlight: Some(highlight),
                ..settings
            };
            let again = City::new(&session, &settings, &Cut::all());
            assert_eq!(again.looks(), view.looks());
        }
        view.highlight(&session.hierarchy, None);
        assert_eq!(view.looks(), plain);
    }
}

#[test]
fn heights_are_spread_as_asked_for_and_keep_their_order() {
    let session = session(12);
    let heights = |height_scale| {
        let settings = LandscapeSettings {
            height: Some(Metric::LinesOfCode),
            height_scale,
            ..settings()
        };
        let view = City::new(&session, &settings, &Cut::all());
        let values = view
            .metrics()
            .values(&session.hierarchy, Metric::LinesOfCode);
        let solid = view
            .blocks()
            .iter()
            .filter(|it| it.kind != BlockKind::Terrace);
        let mut of: Vec<(f64, f32)> = solid
            .map(|it| (values[it.module.index()], it.max.z - it.min.z))
            .collect();
        of.sort_by(|a, b| a.0.total_cmp(&b.0));
        of
    };
    let tallest = |of: &[(f64, f32)]| of.iter().map(|it| it.1).fold(0.0, f32::max);
    let root = heights(None);
    for scale in [Scale::Linear, Scale::Log, Scale::Quantile] {
        let of = heights(Some(scale));
        // Plinths differ a little by their footprints.
        assert!(of.is_sorted_by(|a, b| a.1 <= b.1 + 4.0), "{scale:?}");
        assert!((tallest(&of) - tallest(&root)).abs() < 4.0, "{scale:?}");
    }
    let mean = |of: &[(f64, f32)]| of.iter().map(|it| it.1).sum::<f32>() / of.len() as f32;
    assert!(mean(&heights(Some(Scale::Linear))) < mean(&root));
}

#[test]
fn colours_ease_to_what_they_say_and_pictures_do_not_wait() {
    let session = session(3);
    let plain = settings();
    let by_lines = LandscapeSettings {
        surface: Surface::Metric(Metric::LinesOfCode),
        ..plain
    };
    let mut view = City::new(&session, &plain, &Cut::all());
    assert!(!view.is_fading(), "nothing was there before");
    assert!(!view.lay_out(&session, &by_lines, &Cut::all()));
    let goal = view.looks().to_vec();
    let strength = |look: &BlockLook| look.data[3];
    let strongest = goal.iter().map(strength).fold(0.0, f32::max);
    let most = |view: &mut City| view.looks_now().iter().map(strength).fold(0.0, f32::max);
    assert_eq!(most(&mut view), 0.0, "it begins with the neutral");
    let mut before = 0.0;
    let mut steps = 0;
    loop {
        view.advance(0.04);
        if !view.is_fading() {
            break;
        }
        let now = most(&mut view);
        assert!(now > before && now < strongest, "{now}");
        before = now;
        steps += 1;
    }
    assert!(steps > 4, "{steps}");
    assert_eq!(view.looks_now(), goal);
    // Half way, and back: from what is seen.
    view.lay_out(&session, &plain, &Cut::all());
    view.advance(0.2);
    let half = most(&mut view);
    view.lay_out(&session, &by_lines, &Cut::all());
    assert!((most(&mut view) - half).abs() < 1e-6 && half > 0.0);
    view.settle();
    assert!(!view.is_fading() && view.looks_now() == goal);
}
