//! The window of the notes, opened, fed and closed beside the first.

use winit::event::WindowEvent;
use winit::event_loop::ActiveEventLoop;

use super::App;
use super::notes::Notes;

impl App {
    /// Opens and closes the window of the notes, and has the first fill the screen, as is asked for.
    pub(super) fn follow_presentation(&mut self, event_loop: &ActiveEventLoop) {
        let Some(view) = &self.view else { return };
        let is_full = view.window.fullscreen().is_some();
        if is_full != self.desk.talk.is_full {
            let full = winit::window::Fullscreen::Borderless(None);
            view.window
                .set_fullscreen(self.desk.talk.is_full.then_some(full));
        }
        let live = self.desk.talk.live.as_ref();
        let is_wanted = live.is_some_and(|live| live.has_notes);
        match (is_wanted, &self.notes) {
            (true, None) => match Notes::open(event_loop, &view.graphics.canvas.gpu, &self.desk) {
                Ok(notes) => self.notes = Some(notes),
                Err(error) => {
                    self.close_notes();
                    self.desk
                        .state
                        .tell_briefly(format!("No second window can be opened: {error:#}"));
                }
            },
            (false, Some(_)) => self.notes = None,
            (true, Some(notes)) => notes.redraw(),
            (false, None) => {}
        }
    }

    fn close_notes(&mut self) {
        self.notes = None;
        if let Some(live) = &mut self.desk.talk.live {
            live.has_notes = false;
        }
    }

    pub(super) fn on_notes_event(&mut self, event_loop: &ActiveEventLoop, event: WindowEvent) {
        if self.log.as_mut().is_some_and(|log| log.hears(&event)) {
            self.redraw();
        }
        if let WindowEvent::KeyboardInput { event: key, .. } = &event {
            // Keys mean the same in both windows.
            self.on_key(key);
            return;
        }
        let (Some(view), Some(notes)) = (&self.view, &mut self.notes) else {
            return;
        };
        let gpu = &view.graphics.canvas.gpu;
        match event {
            WindowEvent::RedrawRequested => notes.draw(event_loop, gpu, &self.desk),
            WindowEvent::ModifiersChanged(modifiers) => self.modifiers = modifiers.state(),
            event => {
                if notes.on_event(&event, gpu) {
                    self.close_notes();
                }
            }
        }
    }
}
