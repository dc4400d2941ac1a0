//! The findings of one run as bookmarks and shots.

use super::scene::{Bookmark, Caption, Go, Shot, TimeText, ViewName};
use callscape_analysis::findings::Finding;
use callscape_analysis::session::{Resolved, Session};
use callscape_base::units::{Time, TimeSpec};
use callscape_views as views;

/// For each finding a bookmark, and a shot with the sentence as its caption: the camera flies to the function, which is
/// selected, and the view opens that shows more.
pub fn shots(
    findings: &[Finding],
    session: &Session,
    resolved: &Resolved,
) -> Vec<(Bookmark, Shot)> {
    let mut before: Vec<ViewName> = Vec::new();
    let shot = |(number, finding): (usize, &Finding)| {
        let subject = finding.functions.first().or(finding.path.last());
        let module = subject.and_then(|it| resolved.resolution.modules.get(it.index()));
        let module = module.map(|&it| session.hierarchy.path(it));
        let at = |time: Time| TimeText(TimeSpec::At(time));
        let range = finding.when.map_or_else(Vec::new, |(_, range)| {
            [range.start, range.end].map(at).to_vec()
        });
        let view = views::named(finding.view);
        let show: Vec<ViewName> = view.map(ViewName).into_iter().collect();
        let title = finding.kind.title();
        let function = subject.map(|&it| resolved.recording.functions.get(it).name);
        let name = function.map_or_else(|| title.to_owned(), |it| format!("{title}: {it}"));
        let bookmark = Bookmark {
            name: name.clone(),
            module: Some(module.clone().unwrap_or_default()),
            range: Some(range.clone()),
            views: Some([&[ViewName(views::main())], &show[..]].concat()),
            ..Bookmark::default()
        };
        let hide = std::mem::replace(&mut before, show.clone());
        let shot = Shot {
            name: name.clone(),
            camera: module.clone().map(|module| Go {
                module: Some(module),
                ..Go::default()
            }),
            summary: (number == 0).then_some(true),
            range: Some(range),
            select: Some(module.unwrap_or_default()),
            hide: hide.into_iter().filter(|it| !show.contains(it)).collect(),
            show,
            caption: Some(Caption {
                text: name,
                below: finding.text.clone(),
                ..Caption::default()
            }),
            ..Shot::default()
        };
        (bookmark, shot)
    };
    findings.iter().enumerate().map(shot).collect()
}
