//! How different two pictures look to the eye: distances in Oklab after a blur as wide as what the eye does not tell
//! apart.

use callscape::look::image::Image;
use callscape::look::theme::linear;

/// Distances as parts of 100 from black to white; 2 are just seen side by side.
#[derive(Clone, Copy, Debug)]
pub struct Difference {
    pub mean: f32,
    /// That which one pixel in a hundred exceeds.
    pub most: f32,
}

/// What people see of linear colours who lack cones for long, middle and short waves: Machado, Oliveira and Fernandes,
/// *A physiologically-based model for simulation of color vision deficiency*, 2009, at severity 1.
pub const DEFICIENCIES: [(&str, [[f32; 3]; 3]); 3] = [
    (
        "protanopia",
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
    ),
    (
        "deuteranopia",
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
    ),
    (
        "tritanopia",
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ],
    ),
];

/// The distance of two linear colours, as that of pictures, seen through one of [`DEFICIENCIES`] or by most people.
pub fn apart(a: [f32; 3], b: [f32; 3], through: Option<[[f32; 3]; 3]>) -> f32 {
    let [a, b] = [a, b].map(|colour| {
        let seen = through.map_or(colour, |rows| {
            rows.map(|row| (0..3).map(|i| row[i] * colour[i]).sum::<f32>().max(0.0))
        });
        oklab(seen)
    });
    let squares = a.iter().zip(&b).map(|(a, b)| (a - b).powi(2));
    100.0 * squares.sum::<f32>().sqrt()
}

/// https://bottosson.github.io/posts/oklab/
fn oklab([r, g, b]: [f32; 3]) -> [f32; 3] {
    let l = (0.412_221_46 * r + 0.536_332_55 * g + 0.051_445_995 * b).cbrt();
    let m = (0.211_903_5 * r + 0.680_699_5 * g + 0.107_396_96 * b).cbrt();
    let s = (0.088_302_46 * r + 0.281_718_85 * g + 0.629_978_7 * b).cbrt();
    [
        0.210_454_26 * l + 0.793_617_8 * m - 0.004_072_047 * s,
        1.977_998_5 * l - 2.428_592_2 * m + 0.450_593_7 * s,
        0.025_904_037 * l + 0.782_771_77 * m - 0.808_675_77 * s,
    ]
}

/// The colours of a picture, each the mean of a pixel and its neighbours in linear light.
fn perceived(image: &Image) -> Vec<[f32; 3]> {
    let (width, height) = (image.width as usize, image.height as usize);
    let table: Vec<f32> = (0..=255).map(|value| linear(value)[2]).collect();
    let at = |x: usize, y: usize, channel: usize| {
        table[usize::from(image.rgba[(y * width + x) * 4 + channel])]
    };
    let mut colours = Vec::with_capacity(width * height);
    for y in 0..height {
        for x in 0..width {
            let mut sum = [0.0; 3];
            let mut count = 0.0;
            for y in y.saturating_sub(1)..(y + 2).min(height) {
                for x in x.saturating_sub(1)..(x + 2).min(width) {
                    for (channel, sum) in sum.iter_mut().enumerate() {
                        *sum += at(x, y, channel);
                    }
                    count += 1.0;
                }
            }
            colours.push(oklab(sum.map(|sum| sum / count)));
        }
    }
    colours
}

/// How two pictures of one size differ.
pub fn difference(a: &Image, b: &Image) -> Difference {
    assert_eq!((a.width, a.height), (b.width, b.height));
    let pairs = perceived(a).into_iter().zip(perceived(b));
    let mut distances: Vec<f32> = pairs
        .map(|(a, b)| {
            let squares = a.iter().zip(&b).map(|(a, b)| (a - b).powi(2));
            100.0 * squares.sum::<f32>().sqrt()
        })
        .collect();
    distances.sort_by(f32::total_cmp);
    let at = (distances.len() * 99 / 100).min(distances.len().saturating_sub(1));
    Difference {
        mean: distances.iter().sum::<f32>() / distances.len().max(1) as f32,
        most: distances.get(at).copied().unwrap_or_default(),
    }
}

#[test]
fn black_and_white_are_a_hundred_apart_and_noise_is_hardly_seen() {
    let image = |value: &dyn Fn(usize) -> u8| Image {
        width: 20,
        height: 20,
        rgba: (0..1600).map(|at| value(at / 4)).collect(),
    };
    let grey = image(&|_| 128);
    let far = difference(&image(&|_| 0), &image(&|_| 255));
    assert!((far.mean - 100.0).abs() < 0.1, "{far:?}");
    let noise = difference(&grey, &image(&|at| 128 + (at * 7919 % 5) as u8 - 2));
    assert!(noise.most < 1.0, "{noise:?}");
    // An edge that has moved by a pixel is seen.
    let edge = |from: usize| image(&move |at| if at % 20 < from { 60 } else { 200 });
    let moved = difference(&edge(10), &edge(11));
    assert!(moved.most > 5.0 && moved.mean < 5.0, "{moved:?}");
}
