//! How much work pictures are worth.

/// How much work a picture is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quality {
    /// How many pictures, each shifted by a part of a pixel, are averaged once nothing moves.
    pub samples: u32,
    /// How finely occlusion and shadow are sought.
    pub light: Light,
    /// Whether the lamp throws shadows, soft ones.
    pub shadow: bool,
}

impl Quality {
    /// For weak devices: coarser in motion, and a little less smooth at rest.
    pub const LOW: Quality = Quality {
        samples: 8,
        light: Light::Low,
        shadow: true,
    };
    pub const MEDIUM: Quality = Quality {
        samples: 16,
        light: Light::Medium,
        shadow: true,
    };
    /// For fast devices, whose pictures in motion then look as those at rest, and for stills to be printed.
    pub const HIGH: Quality = Quality {
        samples: 48,
        light: Light::High,
        shadow: true,
    };
}

impl Default for Quality {
    fn default() -> Quality {
        Quality::MEDIUM
    }
}

/// How finely light is sought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Light {
    /// Not at all, and no arcs are drawn: only the faces are told apart, of a picture that is hardly seen.
    None,
    /// For weak devices.
    Low,
    #[default]
    Medium,
    /// For fast devices, whose pictures in motion then look as those at rest.
    High,
}

impl Light {
    /// One step less fine, but sought where it was.
    pub fn coarser(self) -> Light {
        match self {
            Light::None => Light::None,
            Light::Low | Light::Medium => Light::Low,
            Light::High => Light::Medium,
        }
    }

    /// How many cones toward the sky, steps along each, and steps toward the lamp.
    pub fn counts(self) -> [u8; 3] {
        match self {
            Light::None => [0, 0, 0],
            Light::Low => [3, 2, 3],
            Light::Medium => [4, 3, 6],
            Light::High => [8, 4, 8],
        }
    }
}
