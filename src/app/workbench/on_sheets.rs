//! What pointer and keys do to the views that draw on sheets.

use glam::Vec2;

use super::super::ask::{SheetAsk, SheetKey};
use super::super::rows::RowsChoice;
use super::super::sheets::SheetAction;
use super::Workbench;
use crate::views::table::ViewId;

impl Workbench {
    /// Whether a sheet that can be seen is still being worked out.
    pub fn sheets_wait(&self) -> bool {
        let Some(document) = &self.document else {
            return false;
        };
        let Some(sheets) = &document.sheets else {
            return false;
        };
        let mut views = ViewId::ALL.into_iter();
        views.any(|view| self.dock.is_visible(view) && sheets.is_waiting(view))
    }

    /// The view under the pointer if it draws on a sheet.
    pub fn sheet_pointed_at(&self) -> Option<ViewId> {
        let sheets = self.document.as_ref()?.sheets.as_ref()?;
        let view = self.view_pointed_at?;
        sheets.visible(view).map(|_| view)
    }

    pub(super) fn act_on_sheet(&mut self, view: ViewId, action: SheetAction) {
        let Some(document) = &mut self.document else {
            return;
        };
        let all = document.resolved().map(|it| it.recording.trace.range());
        let all = document.selection.range.or(all);
        if let (Some(sheets), Some(all)) = (&mut document.sheets, all) {
            sheets.act(&document.session, view, action, all);
        }
    }

    pub(super) fn on_sheet(&mut self, ask: SheetAsk) {
        match ask {
            SheetAsk::Act(view, action) => self.act_on_sheet(view, action),
            SheetAsk::Press(key) => self.press_on_sheet(key),
            SheetAsk::SetRows(choice) => self.set_rows(choice),
            SheetAsk::NextRows => {
                if let Some(document) = &self.document {
                    self.set_rows(document.rows.next());
                }
            }
        }
    }

    fn set_rows(&mut self, choice: RowsChoice) {
        if let Some(document) = &mut self.document {
            document.rows = choice;
        }
        self.update_rows();
    }

    /// Brings the rows of the overview to what the landscape, the range and the choice of the user make them. Not
    /// while a range is drawn: they would go away under the pointer.
    pub(super) fn update_rows(&mut self) {
        if let Some(document) = &mut self.document
            && self.before_drag.is_none()
        {
            document.update_rows();
        }
    }

    fn press_on_sheet(&mut self, key: SheetKey) {
        let (Some(view), Some(at)) = (self.sheet_pointed_at(), self.sheet_pointer) else {
            return;
        };
        let width = self.dock.place(view).map_or(0.0, |place| place.width());
        self.act_on_sheet(
            view,
            match key {
                SheetKey::Zoom(factor) => SheetAction::Zoom {
                    at,
                    factor: Vec2::new(factor, 1.0),
                },
                SheetKey::Pan(share) => SheetAction::Pan(Vec2::new(share * width, 0.0)),
            },
        );
    }
}
