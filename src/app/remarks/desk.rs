//! What a click in the card does.

use crate::command::RemarkAsk;
use crate::desk::Desk;
use callscape_filter::selection::Pointed;
use callscape_state::ask::{CameraAsk, PaneAsk, SelectAsk};
use callscape_state::document::Document;
use callscape_views as views;

impl Desk {
    pub(crate) fn on_remark(&mut self, ask: RemarkAsk) {
        match ask {
            RemarkAsk::Show(number) => self.show_remark(number),
            RemarkAsk::Close => self.remarks.close(&self.state),
        }
    }

    fn show_remark(&mut self, number: usize) {
        let Some(finding) = self.remarks.first().get(number) else {
            return;
        };
        let (view, when) = (views::named(finding.kind.view()), finding.when);
        let about = finding.functions.first().or(finding.path.last()).copied();
        let resolved = self.state.document.as_ref().and_then(Document::resolved);
        let modules = resolved.map(|it| &it.resolution.modules);
        let module = about.and_then(|it| modules?.get(it.index()).copied());
        if let Some(module) = module {
            self.state.execute(SelectAsk::Choose(Pointed {
                function: about,
                ..Pointed::at_module(Some(module))
            }));
            self.state.execute(CameraAsk::FlyIfSeen(module));
        }
        if let Some((_, range)) = when {
            self.state.execute(SelectAsk::SetRange(Some(range)));
        }
        if let Some(view) = view.filter(|&it| !self.state.panes.is_visible(it)) {
            self.state.execute(PaneAsk::Toggle(view));
        }
    }
}
