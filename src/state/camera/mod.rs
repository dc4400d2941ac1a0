//! The camera control: turns drags, wheel and keys into motion of a pose. Pure: knows no window, no GPU
//! and no clock but the seconds it is told.
//!
//! Drags follow the pointer at once; wheel, keys and flights ease. Any input interrupts a flight where
//! it is. The eye stays above what stands below it, and the picture's middle stays on the city while orbiting.

pub mod motion;
pub mod past;

use glam::{Vec2, Vec3};

use callscape_look::pose::{Bounds, FOV_Y, FreeArea, LONG_LENS, MIN_DISTANCE, Pose};
use motion::{Flight, Spring};

use callscape_look::camera::Camera;

/// How input moves the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Turn about the point under the pointer.
    Orbit,
    /// Move with the keys, look around with the mouse.
    Fly,
}

/// A direction to look in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Straight down, north at the top.
    Top,
    /// From a corner, what is parallel shown as parallel, and the three axes equally foreshortened.
    Isometric,
}

/// How far an isometric view looks down: the arc tangent of 1/√2.
pub const ISOMETRIC_PITCH: f32 = 0.615_479_7;

/// The keys of fly mode that are held down, as directions: 1, 0 or -1 each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Thrust {
    pub forward: f32,
    pub right: f32,
    pub up: f32,
}

/// Directions of the view of the whole city: from the south, a little turned so that two sides show.
const HOME_YAW: f32 = 1.45;
/// In a window as wide as high.
const HOME_PITCH: f32 = 1.4;

/// Looking straight down the heading would have no direction, so a degree is left.
const MAX_PITCH: f32 = 1.55;
const MIN_ORBIT_PITCH: f32 = 0.05;
const MIN_FLY_PITCH: f32 = -1.2;

/// The eye's least height over the ground, and over what stands there, in world units.
const MIN_HEIGHT: f32 = 1.0;

/// What a flight will reach within this many seconds it begins to rise over, at this rate.
const LOOK_AHEAD: f32 = 0.7;
const RISE_RATE: f32 = 5.0;
const LOOKS_AHEAD: u8 = 12;

/// Radians per window height dragged.
const TURN: f32 = 3.2;

const ZOOM_RATE: f32 = 16.0;
/// The logarithm of the scale of a notch of the wheel.
const ZOOM_STEP: f32 = 0.22;
const THRUST_RATE: f32 = 10.0;

#[derive(Clone, Debug, PartialEq)]
enum Motion {
    Still,
    /// Towards or away from `anchor`: `left` is the logarithm of the scale still to come.
    Zoom {
        anchor: Vec3,
        left: Spring,
    },
    Flight(Flight),
}

/// What a drag does, and the point in the world that was under the pointer when it began.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Drag {
    Turn { pivot: Vec3 },
    Pan { grabbed: Vec3 },
    Look,
}

/// The camera and what moves it.
#[derive(Clone, Debug)]
pub struct CameraControl {
    pose: Pose,
    mode: Mode,
    bounds: Bounds,
    motion: Motion,
    drag: Option<Drag>,
    thrust: Thrust,
    /// Velocity in fly mode along x, y, z in world units a second.
    velocity: [Spring; 3],
    /// Fly speed in world units a second.
    speed: f32,
}

impl CameraControl {
    /// Shows all of `bounds`.
    pub fn new(bounds: Bounds, aspect: f32, free: FreeArea) -> CameraControl {
        CameraControl {
            pose: home(&bounds, aspect, free),
            mode: Mode::Orbit,
            bounds,
            motion: Motion::Still,
            drag: None,
            thrust: Thrust::default(),
            velocity: [Spring::at(0.0); 3],
            speed: bounds.diagonal() * 0.15,
        }
    }

    pub fn camera(&self) -> Camera {
        self.pose.camera()
    }

    pub fn pose(&self) -> Pose {
        self.pose
    }

    /// Looks from another place at once.
    pub fn look_from(&mut self, pose: Pose) {
        self.stop();
        self.pose = pose;
    }

    /// Where a flight under way leads.
    pub fn destination(&self) -> Option<Pose> {
        match &self.motion {
            Motion::Flight(flight) => Some(flight.destination()),
            _ => None,
        }
    }

    /// Ends what moves by itself, here.
    pub fn stop(&mut self) {
        self.motion = Motion::Still;
        self.velocity = [Spring::at(0.0); 3];
    }

    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Fly speed in world units a second.
    pub fn speed(&self) -> f32 {
        self.speed
    }

    /// From one corner of the city to the opposite one, in world units.
    pub fn reach(&self) -> f32 {
        self.bounds.diagonal()
    }

    /// The city has another shape from now on (a module was collapsed); the view stays.
    pub(crate) fn set_bounds(&mut self, bounds: Bounds) {
        self.bounds = bounds;
    }

    /// Whether the picture will differ in the next frame.
    pub fn is_moving(&self) -> bool {
        self.motion != Motion::Still
            || (self.mode == Mode::Fly
                && (self.thrust != Thrust::default() || self.velocity.iter().any(is_alive)))
    }

    /// Moves on by `seconds`; whether the pose changed.
    pub fn advance(&mut self, seconds: f32) -> bool {
        let before = self.pose;
        match &mut self.motion {
            Motion::Still => {}
            Motion::Zoom { anchor, left } => {
                let (anchor, was) = (*anchor, left.value);
                left.advance(0.0, ZOOM_RATE, seconds);
                let scale = (was - left.value).exp();
                if left.value.abs() < 1e-4 && left.velocity.abs() < 1e-3 {
                    self.motion = Motion::Still;
                }
                self.zoom_by(anchor, scale);
            }
            Motion::Flight(flight) => {
                let (pose, over) = flight.advance(seconds);
                self.pose = pose;
                if over {
                    self.motion = Motion::Still;
                }
            }
        }
        if self.mode == Mode::Fly {
            self.coast(seconds);
        }
        self.pose != before
    }

    /// Fly mode: the velocity eases towards what the held keys ask for.
    fn coast(&mut self, seconds: f32) {
        let Thrust { forward, right, up } = self.thrust;
        let wanted = self.pose.forward() * forward + self.pose.right() * right + Vec3::Z * up;
        let wanted = wanted.normalize_or_zero() * self.speed;
        if wanted == Vec3::ZERO && !self.velocity.iter().any(is_alive) {
            self.velocity = [Spring::at(0.0); 3];
            return;
        }
        let mut way = Vec3::ZERO;
        for (axis, velocity) in self.velocity.iter_mut().enumerate() {
            way[axis] = travelled(velocity, wanted[axis], seconds);
            velocity.advance(wanted[axis], THRUST_RATE, seconds);
        }
        self.pose.target += way;
        self.keep_in_air();
    }

    /// Keeps the eye over the surface below it; in fly mode it rises in time over what lies ahead. `surface` gives
    /// the height of what stands at a place. Whether the pose changed.
    pub(crate) fn keep_clear(&mut self, seconds: f32, surface: impl Fn(Vec2) -> f32) -> bool {
        let eye = self.pose.eye();
        let above = |at: Vec2| surface(at) + MIN_HEIGHT;
        let mut rise = above(eye.truncate()) - eye.z;
        let [x, y, _] = self.velocity.map(|axis| axis.value);
        let way = Vec2::new(x, y);
        if self.mode == Mode::Fly && way != Vec2::ZERO {
            let ahead = (1..=LOOKS_AHEAD).map(|look| {
                let share = f32::from(look) / f32::from(LOOKS_AHEAD);
                above(eye.truncate() + way * (share * LOOK_AHEAD))
            });
            let wanted = ahead.fold(f32::NEG_INFINITY, f32::max) - eye.z;
            rise = rise.max(wanted * (1.0 - (-RISE_RATE * seconds).exp()));
        }
        if rise.is_finite() && rise > 0.0 {
            self.pose.target.z += rise;
        }
        rise > 0.0
    }

    /// Starts a drag that turns; `under` is the point of the world under the pointer.
    pub(crate) fn start_turn(&mut self, under: Option<Vec3>) {
        self.motion = Motion::Still;
        self.drag = Some(match self.mode {
            Mode::Fly => Drag::Look,
            Mode::Orbit => Drag::Turn {
                pivot: under.unwrap_or(self.pose.target),
            },
        });
    }

    /// Starts a drag that moves along the ground; `under` is the point under the pointer.
    pub(crate) fn start_pan(&mut self, under: Option<Vec3>) {
        self.motion = Motion::Still;
        self.drag = Some(match self.mode {
            Mode::Fly => Drag::Look,
            Mode::Orbit => Drag::Pan {
                grabbed: under.unwrap_or(self.pose.target),
            },
        });
    }

    pub(crate) fn end_drag(&mut self) {
        self.drag = None;
    }

    /// The pointer moved from `from` to `to` in a window of `size`, all in physical pixels.
    pub fn drag(&mut self, from: Vec2, to: Vec2, size: Vec2) {
        let moved = (to - from) / size.y.max(1.0);
        match self.drag {
            Some(Drag::Turn { pivot }) => {
                let pitch = self.pose.pitch + moved.y * TURN;
                let pitch = pitch.clamp(MIN_ORBIT_PITCH, MAX_PITCH) - self.pose.pitch;
                let turned = self.pose.turned(pivot, -moved.x * TURN, pitch);
                self.pose = if turned.eye().z < MIN_HEIGHT {
                    self.pose.turned(pivot, -moved.x * TURN, 0.0)
                } else {
                    turned
                };
                self.keep_city();
            }
            Some(Drag::Pan { grabbed }) => {
                let camera = self.pose.camera();
                let eye = self.pose.eye();
                let ray = camera.ray(to, size);
                let along = (grabbed.z - eye.z) / ray.z;
                // At and above the horizon there is no ground to hold on to.
                let reach = eye.distance(grabbed) * 8.0;
                if along.is_finite() && along > 0.0 && along < reach {
                    self.pose.target += grabbed - (eye + ray * along);
                    self.keep_city();
                }
            }
            Some(Drag::Look) => {
                let eye = self.pose.eye();
                // The picture follows the pointer, as if one held it.
                self.pose.yaw += moved.x * TURN * 0.5;
                self.pose.pitch =
                    (self.pose.pitch - moved.y * TURN * 0.5).clamp(MIN_FLY_PITCH, MAX_PITCH);
                self.pose.target = eye + self.pose.forward() * self.pose.distance;
            }
            None => {}
        }
    }

    /// The wheel turned by `notches`, positive away from the user: zooms towards the point `under` the
    /// pointer, or changes the fly speed.
    pub fn wheel(&mut self, notches: f32, under: Option<Vec3>) {
        if !notches.is_finite() {
            return;
        }
        if self.mode == Mode::Fly {
            let slowest = self.bounds.diagonal() * 1e-3;
            let fastest = self.bounds.diagonal() * 2.0;
            self.speed = (self.speed * 1.2f32.powf(notches)).clamp(slowest, fastest);
            return;
        }
        let step = notches * ZOOM_STEP;
        let anchor = under.unwrap_or(self.pose.target);
        match &mut self.motion {
            Motion::Zoom { anchor: at, left } => {
                left.value += step;
                *at = anchor;
            }
            _ => {
                let left = Spring::at(step);
                self.motion = Motion::Zoom { anchor, left };
            }
        }
    }

    /// Comes nearer to the point `under` the pointer at once, by this factor, as two fingers that part do.
    pub fn pinch(&mut self, nearer: f32, under: Option<Vec3>) {
        if !(nearer.is_finite() && nearer > 0.0) {
            return;
        }
        if self.mode == Mode::Fly {
            self.wheel(nearer.ln() / ZOOM_STEP, under);
            return;
        }
        self.motion = Motion::Still;
        self.zoom_by(under.unwrap_or(self.pose.target), nearer.clamp(0.1, 10.0));
    }

    /// Turns the picture about the point `under` the pointer at once, by this many radians against the clock.
    pub fn twist(&mut self, radians: f32, under: Option<Vec3>) {
        if !radians.is_finite() {
            return;
        }
        self.motion = Motion::Still;
        let pivot = match self.mode {
            Mode::Orbit => under.unwrap_or(self.pose.target),
            Mode::Fly => self.pose.eye(),
        };
        self.pose = self.pose.turned(pivot, -radians, 0.0);
        if self.mode == Mode::Orbit {
            self.keep_city();
        }
    }

    /// Has a point of the ground in the middle, without turning or zooming; eases there, or is there at once.
    pub fn look_at(&mut self, ground: Vec2, at_once: bool) {
        let from = self.pose;
        let mut to = from;
        to.target += (ground - from.target.truncate()).extend(0.0);
        if !to.target.is_finite() {
            return;
        }
        self.stop();
        self.pose = to;
        match self.mode {
            Mode::Orbit => self.keep_city(),
            Mode::Fly => self.keep_in_air(),
        }
        if !at_once {
            let to = std::mem::replace(&mut self.pose, from);
            self.fly(to);
        }
    }

    fn zoom_by(&mut self, anchor: Vec3, nearer: f32) {
        let eye = self.pose.eye();
        let nearest = MIN_DISTANCE * self.pose.lens();
        let distance = eye.distance(anchor).max(nearest);
        let scale = (1.0 / nearer).max(nearest / distance);
        self.pose = self.pose.scaled(anchor, scale);
        self.keep_city();
    }

    /// The keys of fly mode that are held.
    pub fn set_thrust(&mut self, thrust: Thrust) {
        if self.mode == Mode::Fly && thrust != self.thrust {
            self.motion = Motion::Still;
        }
        self.thrust = thrust;
    }

    pub(crate) fn toggle_mode(&mut self) {
        self.drag = None;
        self.velocity = [Spring::at(0.0); 3];
        match self.mode {
            Mode::Orbit => {
                self.mode = Mode::Fly;
                // One flies with the eyes that one has.
                let to = self.pose.through(FOV_Y);
                self.motion = match self.pose.fov_y == FOV_Y {
                    true => Motion::Still,
                    false => Motion::Flight(Flight::new(self.pose, to)),
                };
            }
            Mode::Fly => {
                self.mode = Mode::Orbit;
                // What fly mode allows and orbit mode does not is eased away.
                let from = self.pose;
                self.pose.pitch = from.pitch.clamp(MIN_ORBIT_PITCH, MAX_PITCH);
                let eye = from.eye();
                self.pose.target = eye + self.pose.forward() * from.distance;
                self.keep_city();
                let to = std::mem::replace(&mut self.pose, from);
                self.motion = Motion::Flight(Flight::straight(from, to));
            }
        }
    }

    /// Eases to a view of everything.
    pub(crate) fn fly_home(&mut self, aspect: f32, free: FreeArea) {
        self.fly(home(&self.bounds, aspect, free));
    }

    /// Eases to a view of `bounds`, a part of the city, without changing the heading.
    pub(crate) fn fly_to(&mut self, bounds: &Bounds, aspect: f32, free: FreeArea) {
        let pitch = self.pose.pitch.clamp(0.6, 1.1).max(bounds.roof_pitch());
        // Its surroundings tell where it is: what is small takes a third of the window, not all of it.
        let side = (bounds.max - bounds.min).truncate().max_element();
        let city = (self.bounds.max - self.bounds.min).truncate().max_element();
        let margin = side * (1.0 - side / city.max(side)).max(0.02);
        let margin = Vec3::new(margin, margin, 0.0);
        let around = Bounds {
            min: bounds.min - margin,
            max: bounds.max + margin,
        };
        let direction = [self.pose.yaw, pitch];
        self.fly(Pose::framing(
            &around,
            direction,
            self.pose.fov_y,
            aspect,
            free,
        ));
    }

    /// Eases to another place to look from.
    pub fn fly_to_pose(&mut self, pose: Pose) {
        self.fly(pose);
    }

    /// Eases to a preset direction: of everything in a window of this shape, else of what is in the middle, as
    /// large as it is.
    pub(crate) fn fly_to_preset(&mut self, preset: Preset, everything: Option<(f32, FreeArea)>) {
        let from = self.destination().unwrap_or(self.pose);
        let (direction, fov_y) = preset.direction(&from);
        let to = match everything {
            Some((aspect, free)) => Pose::framing(&self.bounds, direction, fov_y, aspect, free),
            None => {
                let [yaw, pitch] = direction;
                Pose { yaw, pitch, ..from }.through(fov_y)
            }
        };
        if self.mode == Mode::Fly {
            self.toggle_mode();
        }
        self.fly(to);
    }

    fn fly(&mut self, mut to: Pose) {
        to.distance = to.distance.max(MIN_DISTANCE * to.lens());
        self.velocity = [Spring::at(0.0); 3];
        self.drag = None;
        self.motion = Motion::Flight(Flight::new(self.pose, to));
    }

    /// Orbit mode: the middle of the picture shows the city, from a distance at which it can be seen.
    fn keep_city(&mut self) {
        let (eye, forward) = (self.pose.eye(), self.pose.forward());
        let lens = self.pose.lens();
        let farthest = self.bounds.diagonal() * 2.5 * lens;
        // Where the line of sight leaves the column of air over the city: its ground or one of its sides.
        let mut enters = 0.0f32;
        let mut leaves = (eye.z - self.bounds.min.z) / -forward.z.min(-1e-3);
        for axis in 0..2 {
            if forward[axis].abs() < 1e-6 {
                let inside = (self.bounds.min[axis]..=self.bounds.max[axis]).contains(&eye[axis]);
                if !inside {
                    leaves = f32::NEG_INFINITY;
                }
                continue;
            }
            let a = (self.bounds.min[axis] - eye[axis]) / forward[axis];
            let b = (self.bounds.max[axis] - eye[axis]) / forward[axis];
            enters = enters.max(a.min(b));
            leaves = leaves.min(a.max(b));
        }
        if leaves < enters || leaves <= 0.0 {
            // It passes the city by: the eye moves with its target back over it.
            let ground = (eye.z - self.bounds.min.z) / -forward.z.min(-1e-3);
            let reach = ground.clamp(MIN_DISTANCE * lens, farthest);
            let seen = eye + forward * reach;
            let target = seen.clamp(self.bounds.min, self.bounds.max);
            self.pose.target = target.with_z(self.bounds.min.z);
            self.pose.distance = reach;
        } else {
            self.pose.distance = leaves.clamp(MIN_DISTANCE * lens, farthest);
            self.pose.target = eye + forward * leaves.max(MIN_DISTANCE * lens);
        }
        self.lift();
    }

    /// Fly mode: the eye stays over the ground and within sight of the city.
    fn keep_in_air(&mut self) {
        let eye = self.pose.eye();
        let margin = Vec3::splat(self.bounds.diagonal());
        let (min, max) = (self.bounds.min - margin, self.bounds.max + margin);
        self.pose.target += eye.clamp(min, max) - eye;
        self.lift();
    }

    fn lift(&mut self) {
        let below = self.bounds.min.z + MIN_HEIGHT - self.pose.eye().z;
        if below > 0.0 {
            self.pose.target.z += below;
        }
    }
}

impl Preset {
    /// Heading and pitch, and the field of view, of this preset coming from `pose`. The corner of an isometric view
    /// is the nearest one, and the next when it is one already.
    pub fn direction(self, pose: &Pose) -> ([f32; 2], f32) {
        use std::f32::consts::{FRAC_PI_2, FRAC_PI_4};
        match self {
            Preset::Top => ([FRAC_PI_2, MAX_PITCH], FOV_Y),
            Preset::Isometric => {
                let corner = ((pose.yaw - FRAC_PI_4) / FRAC_PI_2).round() * FRAC_PI_2 + FRAC_PI_4;
                let is_there = (corner - pose.yaw).abs() < 1e-3
                    && (pose.pitch - ISOMETRIC_PITCH).abs() < 1e-3
                    && pose.fov_y == LONG_LENS;
                let yaw = if is_there { corner + FRAC_PI_2 } else { corner };
                ([yaw, ISOMETRIC_PITCH], LONG_LENS)
            }
        }
    }
}

/// The view of the whole city in a window whose width is `aspect` times its height. Into a narrow window
/// one looks down more steeply, so that the city fills it.
pub fn home(bounds: &Bounds, aspect: f32, free: FreeArea) -> Pose {
    let pitch = (HOME_PITCH / aspect).clamp(0.6, 1.15);
    Pose::framing(bounds, [HOME_YAW, pitch], FOV_Y, aspect, free)
}

fn is_alive(velocity: &Spring) -> bool {
    velocity.value.abs() > 1e-2 || velocity.velocity.abs() > 1e-1
}

/// The integral of the spring's value over the next `seconds`.
fn travelled(velocity: &Spring, wanted: f32, seconds: f32) -> f32 {
    let offset = velocity.value - wanted;
    let slope = velocity.velocity + THRUST_RATE * offset;
    let decay = (-THRUST_RATE * seconds).exp();
    let along_offset = offset * (1.0 - decay) / THRUST_RATE;
    let along_slope =
        slope * (1.0 - (1.0 + THRUST_RATE * seconds) * decay) / (THRUST_RATE * THRUST_RATE);
    wanted * seconds + along_offset + along_slope
}

#[cfg(test)]
mod tests;
