//! The graphics device: found, opened with all that it offers, and watched for errors.

use std::sync::{Arc, Mutex, PoisonError};

use thiserror::Error;

use callscape_look::quality::Quality;

/// Why there is nothing to draw with, or why a picture could not be drawn.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum GpuError {
    #[error(
        "no graphics adapter with Vulkan, Metal or Direct3D 12 was found; install a driver for the \
         GPU or, to draw in software, the packages libvulkan1 and mesa-vulkan-drivers"
    )]
    NoAdapter,
    #[error(
        "the graphics adapter {adapter} refused to open: {reason}; update its driver or, to draw in \
         software, install the packages libvulkan1 and mesa-vulkan-drivers"
    )]
    NoDevice { adapter: String, reason: String },
    #[error(
        "the graphics adapter {adapter} cannot draw this: {lacks}; to draw in software, install the packages \
         libvulkan1 and mesa-vulkan-drivers and set VK_DRIVER_FILES to the file of lavapipe"
    )]
    TooWeak { adapter: String, lacks: String },
    #[error(
        "the graphics device is out of memory; close other programs, select a lower quality, or make the picture \
         smaller"
    )]
    OutOfMemory,
    #[error("a picture of {width} × {height} pixels cannot be drawn; sides may be 1 to {limit}")]
    Size { width: u32, height: u32, limit: u32 },
    #[error("the graphics device was lost: {0}")]
    Lost(String),
    #[error("the graphics device reported an error: {0}")]
    Failed(String),
}

/// What the device complained of since it was last asked.
#[derive(Default)]
struct Complaints {
    first: Option<String>,
    count: usize,
    lost: Option<String>,
    is_out_of_memory: bool,
}

/// An open graphics device.
pub struct Gpu {
    pub instance: wgpu::Instance,
    pub adapter: wgpu::Adapter,
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    complaints: Arc<Mutex<Complaints>>,
}

/// The back ends that have what the passes need; OpenGL cannot read back depth in a shader.
pub const BACKENDS: wgpu::Backends = wgpu::Backends::VULKAN
    .union(wgpu::Backends::METAL)
    .union(wgpu::Backends::DX12)
    .union(wgpu::Backends::BROWSER_WEBGPU);

/// What of an adapter is used.
enum Offer {
    All,
    Within(Box<wgpu::Limits>),
}

/// What the passes cannot do without and an adapter does not have.
fn lacks(adapter: &wgpu::Adapter, limits: &wgpu::Limits) -> Option<String> {
    let flags = adapter.get_downlevel_capabilities().flags;
    let wanted = wgpu::DownlevelFlags::COMPUTE_SHADERS
        | wgpu::DownlevelFlags::INDIRECT_EXECUTION
        | wgpu::DownlevelFlags::VERTEX_STORAGE;
    if !flags.contains(wanted) {
        return Some("it has no compute shaders, or none that support indirect drawing".to_owned());
    }
    let least = MOST_BUFFERS;
    let found = limits.max_storage_buffers_per_shader_stage;
    (found < least).then(|| format!("its shaders can read {found} buffers, but need {least}"))
}

/// Storage buffers that the pass with the most of them binds.
const MOST_BUFFERS: u32 = 5;

impl Gpu {
    /// Opens the most powerful adapter, software where there is no other, without a window.
    pub fn headless() -> Result<Gpu, GpuError> {
        let mut description = wgpu::InstanceDescriptor::new_without_display_handle();
        description.backends = BACKENDS;
        let instance = wgpu::Instance::new(description);
        pollster::block_on(Gpu::open(instance, None, Offer::All))
    }

    /// Opens it as if it offered no more than `limits`, and could not tell times: what others have to live with.
    pub fn headless_within(limits: wgpu::Limits) -> Result<Gpu, GpuError> {
        let mut description = wgpu::InstanceDescriptor::new_without_display_handle();
        description.backends = BACKENDS;
        let offer = Offer::Within(Box::new(limits));
        pollster::block_on(Gpu::open(wgpu::Instance::new(description), None, offer))
    }

    /// Opens an adapter that can present on `surface`, which was created by `instance`.
    pub fn for_surface(
        instance: wgpu::Instance,
        surface: &wgpu::Surface<'_>,
    ) -> Result<Gpu, GpuError> {
        pollster::block_on(Gpu::for_canvas(instance, surface))
    }

    /// The same where nothing may wait: in a browser.
    pub async fn for_canvas(
        instance: wgpu::Instance,
        surface: &wgpu::Surface<'_>,
    ) -> Result<Gpu, GpuError> {
        Gpu::open(instance, Some(surface), Offer::All).await
    }

    async fn open(
        instance: wgpu::Instance,
        surface: Option<&wgpu::Surface<'_>>,
        offer: Offer,
    ) -> Result<Gpu, GpuError> {
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::HighPerformance,
            compatible_surface: surface,
            ..Default::default()
        };
        let adapter = instance
            .request_adapter(&options)
            .await
            .map_err(|_| GpuError::NoAdapter)?;
        let (features, limits) = match offer {
            Offer::All => (
                adapter.features() & wgpu::Features::TIMESTAMP_QUERY,
                adapter.limits(),
            ),
            Offer::Within(limits) => (wgpu::Features::empty(), *limits),
        };
        if let Some(lacks) = lacks(&adapter, &limits) {
            return Err(GpuError::TooWeak {
                adapter: adapter.get_info().name,
                lacks,
            });
        }
        let description = wgpu::DeviceDescriptor {
            label: Some("callscape"),
            required_features: features,
            // Without asking, a device has only the limits that every browser grants.
            required_limits: limits,
            experimental_features: wgpu::ExperimentalFeatures::disabled(),
            memory_hints: wgpu::MemoryHints::Performance,
            trace: wgpu::Trace::Off,
        };
        let (device, queue) = adapter
            .request_device(&description)
            .await
            .map_err(|error| GpuError::NoDevice {
                adapter: adapter.get_info().name,
                reason: error.to_string(),
            })?;
        let complaints = Arc::new(Mutex::new(Complaints::default()));
        let heard = Arc::clone(&complaints);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
            if matches!(error, wgpu::Error::OutOfMemory { .. }) {
                heard.is_out_of_memory = true;
                return;
            }
            heard.count += 1;
            heard.first.get_or_insert_with(|| error.to_string());
        }));
        let heard = Arc::clone(&complaints);
        device.set_device_lost_callback(move |_, message| {
            let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
            heard.lost.get_or_insert(message);
        });
        Ok(Gpu {
            instance,
            adapter,
            device,
            queue,
            complaints,
        })
    }

    /// The adapter's name as its driver gives it, such as `llvmpipe (LLVM 15.0.6, 256 bits)`.
    pub fn name(&self) -> String {
        self.adapter.get_info().name
    }

    /// Whether the device is lost, without waiting.
    pub fn check_lost(&self) -> Result<(), GpuError> {
        let complaints = self.complaints.lock();
        let complaints = complaints.unwrap_or_else(PoisonError::into_inner);
        let lost = complaints.lost.clone();
        lost.map_or(Ok(()), |reason| Err(GpuError::Lost(reason)))
    }

    /// What went wrong since the last call: a lost device, or the first of the errors and how many
    /// followed it. Call once a frame; a lost device stays lost and needs a new `Gpu`.
    pub fn check(&self) -> Result<(), GpuError> {
        let mut complaints = self
            .complaints
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(reason) = &complaints.lost {
            return Err(GpuError::Lost(reason.clone()));
        }
        if std::mem::take(&mut complaints.is_out_of_memory) {
            // What else went wrong went wrong for want of memory.
            (complaints.count, complaints.first) = (0, None);
            return Err(GpuError::OutOfMemory);
        }
        let count = std::mem::take(&mut complaints.count);
        match complaints.first.take() {
            None => Ok(()),
            Some(first) if count > 1 => Err(GpuError::Failed(format!(
                "{first} (and {} more)",
                count - 1
            ))),
            Some(first) => Err(GpuError::Failed(first)),
        }
    }

    /// As if the device had run out of memory: for tests of what follows.
    pub fn complain_of_memory(&self) {
        let complaints = self.complaints.lock();
        complaints
            .unwrap_or_else(PoisonError::into_inner)
            .is_out_of_memory = true;
    }

    /// Whether a picture of this size can be drawn.
    pub fn check_size(&self, [width, height]: [u32; 2]) -> Result<(), GpuError> {
        let limit = self.device.limits().max_texture_dimension_2d;
        if (1..=limit).contains(&width) && (1..=limit).contains(&height) {
            Ok(())
        } else {
            Err(GpuError::Size {
                width,
                height,
                limit,
            })
        }
    }

    /// Waits until the device has done all that was submitted.
    pub fn wait(&self) -> Result<(), GpuError> {
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .map(|_| ())
            .map_err(|error| GpuError::Failed(error.to_string()))
    }
}

/// What suits a device.
pub fn quality_for(device: wgpu::DeviceType) -> Quality {
    match device {
        wgpu::DeviceType::DiscreteGpu => Quality::HIGH,
        _ => Quality::MEDIUM,
    }
}
