//! What a click in the card does.

use crate::command::RemarkAsk;
use crate::desk::Desk;
use callscape_state::ask::PaneAsk;
use callscape_views as views;
use callscape_views::remarks;

impl Desk {
    pub(crate) fn on_remark(&mut self, ask: RemarkAsk) {
        match ask {
            RemarkAsk::Show(number) => self.show_remark(number),
            RemarkAsk::All => {
                if let Some(list) = views::named("findings") {
                    self.state.execute(PaneAsk::Toggle(list));
                }
            }
            RemarkAsk::Close => self.remarks.close(&self.state),
        }
    }

    fn show_remark(&mut self, number: usize) {
        if let Some(finding) = self.remarks.first().get(number) {
            for ask in remarks::show(finding, &self.state) {
                self.state.execute(ask);
            }
        }
    }
}
