//! From one picture of a film to the next where a shot changes at once what does not ease by itself: colours and
//! heights together, arcs, what is folded, the run that is shown.

use callscape_look::image::Image;

/// Seconds.
const SECONDS: f32 = 0.6;

/// A picture that what is drawn takes the place of.
pub struct Dissolve {
    from: Image,
    mixed: Image,
    /// Frames that it has shown, of how many.
    frame: u32,
    frames: u32,
}

impl Dissolve {
    /// From a picture, in a film of so many frames a second.
    pub fn new(from: Image, fps: u32) -> Dissolve {
        Dissolve {
            mixed: from.clone(),
            from,
            frame: 0,
            frames: (SECONDS * fps as f32).round() as u32 + 1,
        }
    }

    /// Goes on by a frame; how much of what is drawn is to be seen, 1 when it is over.
    pub fn advance(&mut self) -> f32 {
        self.frame = (self.frame + 1).min(self.frames);
        self.share()
    }

    /// It begins and ends slowly.
    fn share(&self) -> f32 {
        let share = self.frame as f32 / self.frames as f32;
        share * share * (3.0 - 2.0 * share)
    }

    /// Mixes what is drawn in; a picture of another size is shown as it is.
    pub fn mix(&mut self, drawn: &Image) {
        // Of 256, so that the bytes are the same on every machine.
        let share = (self.share() * 256.0).round() as u32;
        if drawn.rgba.len() != self.from.rgba.len() {
            self.mixed.clone_from(drawn);
            return;
        }
        let pairs = self.from.rgba.iter().zip(&drawn.rgba);
        for (mixed, (&from, &to)) in self.mixed.rgba.iter_mut().zip(pairs) {
            let sum = u32::from(from) * (256 - share) + u32::from(to) * share;
            *mixed = ((sum + 128) >> 8) as u8;
        }
    }

    pub fn image(&self) -> &Image {
        &self.mixed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dissolve_goes_all_the_way_in_even_steps_of_time() {
        let picture = |value: u8| Image {
            width: 2,
            height: 1,
            rgba: vec![value; 8],
        };
        let mut dissolve = Dissolve::new(picture(10), 30);
        let mut last = 10;
        let mut steps = 0;
        while dissolve.advance() < 1.0 {
            dissolve.mix(&picture(210));
            let now = dissolve.image().rgba[0];
            assert!(now >= last && now - last < 18, "{last} {now}");
            (last, steps) = (now, steps + 1);
        }
        assert_eq!(steps, 18);
        dissolve.mix(&picture(210));
        assert_eq!(dissolve.image(), &picture(210));
    }
}
