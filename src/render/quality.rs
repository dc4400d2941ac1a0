//! How much work pictures are worth.

use super::resolve::Light;

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

    /// What suits a device.
    pub fn for_device(device: wgpu::DeviceType) -> Quality {
        match device {
            wgpu::DeviceType::DiscreteGpu => Quality::HIGH,
            _ => Quality::MEDIUM,
        }
    }
}

impl Default for Quality {
    fn default() -> Quality {
        Quality::MEDIUM
    }
}
