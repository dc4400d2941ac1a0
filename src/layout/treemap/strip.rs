//! Ordered tiling by strips: Bederson, Shneiderman, Wattenberg, "Ordered and Quantum Treemaps", 2002,
//! section 3.3.

use super::Rect;

/// What decides how square a strip's rectangles come out: kept up to date as the strip grows.
#[derive(Clone, Copy, Default)]
struct Strip {
    first: usize,
    end: usize,
    sum: f64,
    square_sum: f64,
}

impl Strip {
    fn starting_at(first: usize) -> Strip {
        Strip {
            first,
            end: first,
            ..Strip::default()
        }
    }

    fn with(self, weight: f64) -> Strip {
        Strip {
            end: self.end + 1,
            sum: self.sum + weight,
            square_sum: self.square_sum + weight * weight,
            ..self
        }
    }

    fn joined(self, next: Strip) -> Strip {
        Strip {
            first: self.first,
            end: next.end,
            sum: self.sum + next.sum,
            square_sum: self.square_sum + next.square_sum,
        }
    }

    /// The sum of a + 1/a over the strip's rectangles, a being height by width, each counted by its weight: a
    /// splinter that is seen is worse than one that is not. `squareness` is the height of the whole by its width,
    /// divided by the sum of all weights.
    fn elongation(&self, squareness: f64) -> f64 {
        let squared = self.sum * self.sum * squareness;
        (self.end - self.first) as f64 * squared + self.square_sum / squared
    }

    fn mean_elongation(&self, squareness: f64) -> f64 {
        self.elongation(squareness) / self.sum
    }
}

/// Divides `rect` among `weights`, which are positive, in their order, as text is read: strips from north to
/// south, in each from west to east. A strip takes the next weight as long as its rectangles do not become
/// more elongated on average; the last joins the one before where that is better. O(n).
pub(super) fn strip(weights: &[f32], rect: Rect, mut place: impl FnMut(usize, Rect)) {
    let total: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
    let squareness = rect.height() / (rect.width() * total);
    let mut free = rect;
    let mut placed = 0.0;
    let mut put = |strip: Strip| {
        placed += strip.sum;
        let whole = if strip.end == weights.len() {
            free
        } else {
            let south =
                (rect.north - rect.height() * (placed / total)).clamp(rect.south, free.north);
            let whole = Rect { south, ..free };
            free.north = south;
            whole
        };
        let mut rest = whole;
        let mut before = 0.0;
        for (at, &weight) in weights.iter().enumerate().take(strip.end).skip(strip.first) {
            before += f64::from(weight);
            let mut cell = rest;
            if at + 1 < strip.end {
                let share = (before / strip.sum).min(1.0);
                cell.east = (whole.west + whole.width() * share).clamp(rest.west, whole.east);
            }
            rest.west = cell.east;
            place(at, cell);
        }
    };

    let mut previous: Option<Strip> = None;
    let mut at = 0;
    while at < weights.len() {
        let mut current = Strip::starting_at(at).with(f64::from(weights[at]));
        while let Some(&weight) = weights.get(current.end) {
            let longer = current.with(f64::from(weight));
            if longer.mean_elongation(squareness) > current.mean_elongation(squareness) {
                break;
            }
            current = longer;
        }
        at = current.end;
        if let Some(last) = previous.take() {
            let joined = last.joined(current);
            let apart = last.elongation(squareness) + current.elongation(squareness);
            if at == weights.len() && joined.elongation(squareness) < apart {
                current = joined;
            } else {
                put(last);
            }
        }
        previous = Some(current);
    }
    if let Some(last) = previous {
        put(last);
    }
}
