//! Long work, with a progress bar on standard error.

use std::io::{self, IsTerminal};
use std::sync::mpsc;
use std::time::Duration;

use callscape_base::escape;
use callscape_base::progress::Progress;

/// How often the progress bar is redrawn.
const REDRAW: Duration = Duration::from_millis(100);

/// A progress bar on standard error, if that is a terminal; removed when dropped.
pub(crate) struct Bar(Option<indicatif::ProgressBar>);

impl Bar {
    pub(crate) fn new() -> anyhow::Result<Bar> {
        if !io::stderr().is_terminal() {
            return Ok(Bar(None));
        }
        let style = indicatif::ProgressStyle::with_template("{wide_msg} {bar:30} {percent:>3} %")?;
        Ok(Bar(Some(indicatif::ProgressBar::new(0).with_style(style))))
    }

    pub(crate) fn show(&self, progress: &Progress) {
        if let Some(bar) = &self.0 {
            let (step, done, total) = progress.state();
            bar.set_length(total);
            bar.set_position(done);
            bar.set_message(escape::name(&step).into_owned());
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// Does long work with a progress bar on standard error, if that is a terminal.
pub(crate) fn with_progress<T: Send>(
    work: impl FnOnce(&Progress) -> T + Send,
) -> anyhow::Result<T> {
    let (progress, bar) = (Progress::new(), Bar::new()?);
    if bar.0.is_none() {
        return Ok(work(&progress));
    }
    let result = std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        let progress = &progress;
        // A panic of the work drops the sender, and goes on where the scope joins its threads.
        scope.spawn(move || sender.send(work(progress)));
        loop {
            match receiver.recv_timeout(REDRAW) {
                Err(mpsc::RecvTimeoutError::Timeout) => bar.show(progress),
                result => break result,
            }
        }
    });
    Ok(result?)
}
