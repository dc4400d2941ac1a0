//! Faults of the graphics device made on purpose, in builds for tests: `CALLSCAPE_FAULT` names one and the frame in
//! which it happens, such as `device@20`.

use crate::graphics::Graphics;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The device is lost.
    Device,
    /// The surface of the window is lost.
    Surface,
    /// The device has no memory left.
    Memory,
}

/// At most one fault to come.
#[derive(Debug, Default)]
pub(super) struct Fault(Option<(Kind, u64)>);

impl Fault {
    pub(super) fn from_environment() -> Fault {
        Fault(std::env::var("CALLSCAPE_FAULT").ok().and_then(|text| {
            let (kind, frame) = text.split_once('@')?;
            let kind = match kind {
                "device" => Kind::Device,
                "surface" => Kind::Surface,
                "memory" => Kind::Memory,
                _ => return None,
            };
            Some((kind, frame.parse().ok()?))
        }))
    }

    /// Lets it happen when its frame has come.
    pub(super) fn happen(&mut self, frame: u64, graphics: &mut Graphics) {
        let Some((kind, _)) = self.0.take_if(|(_, at)| frame >= *at) else {
            return;
        };
        match kind {
            Kind::Device => {
                graphics.canvas.gpu.device.destroy();
                // It is told when all work is done.
                let _ = graphics.canvas.gpu.wait();
            }
            Kind::Surface => graphics.lose_surface(),
            Kind::Memory => graphics.canvas.gpu.complain_of_memory(),
        }
    }
}
