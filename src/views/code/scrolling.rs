//! Where in the text one is, and where that is going.

/// Which part of the rows is seen, and where that is going.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scroll {
    top: f64,
    target: f64,
    wish: Option<Wish>,
    /// The first column that is seen.
    left: f32,
    rows_seen: f32,
    columns_seen: f32,
}

#[derive(Clone, Copy, Debug)]
enum Wish {
    /// With what stands above, unless it is seen.
    Reveal(u32),
    /// As little as needed.
    Keep(u32),
    To(f64),
}

impl Scroll {
    /// The first row that is seen, and how much of it is not.
    pub(super) fn top(&self) -> f64 {
        match self.wish {
            Some(Wish::To(top)) => top,
            _ => self.top,
        }
    }

    /// How many rows there is room for; 0 before there was any.
    pub(super) fn rows_seen(&self) -> f32 {
        self.rows_seen
    }

    pub(super) fn left(&self) -> f32 {
        self.left
    }

    pub(super) fn set(&mut self, top: f64) {
        self.wish = Some(Wish::To(top));
    }

    pub(super) fn reveal(&mut self, row: u32) {
        self.wish = Some(Wish::Reveal(row));
    }

    pub(super) fn keep_in_sight(&mut self, row: u32) {
        self.wish = Some(Wish::Keep(row));
    }

    /// By so many rows, at once: what the hand moves does not lag behind it.
    pub(super) fn by(&mut self, rows: f64) {
        self.target = self.top + rows;
        self.top = self.target;
    }

    /// Of a text of so many columns, of which some are seen.
    pub(super) fn across(&mut self, by: f32, columns: u32) {
        let most = (columns as f32 + 8.0 - self.columns_seen).max(0.0);
        self.left = (self.left + by).clamp(0.0, most);
    }

    pub(super) fn set_columns_seen(&mut self, seen: f32) {
        self.columns_seen = seen;
    }

    /// Brings a column into sight, and the first ones with it where there is room for both.
    pub(super) fn reveal_column(&mut self, column: u32) {
        let (column, seen) = (column as f32, self.columns_seen.max(40.0));
        self.left = if column + 8.0 < seen {
            0.0
        } else {
            (column - seen * 0.3).max(0.0).floor()
        };
    }

    /// Finds its place among `rows` of which `seen` are seen, and goes on its way for `seconds`. Whether it is on its way.
    pub(super) fn lay_out(&mut self, rows: u32, seen: f32, seconds: f32) -> bool {
        let is_first = std::mem::replace(&mut self.rows_seen, seen) == 0.0;
        let seen = f64::from(seen);
        let wish = self.wish.take();
        match wish {
            Some(Wish::To(top)) => self.target = top,
            Some(Wish::Reveal(row)) => {
                let row = f64::from(row);
                if is_first || row < self.target + 2.0 || row > self.target + seen - 4.0 {
                    self.target = (row - (seen * 0.3).floor()).floor();
                }
            }
            Some(Wish::Keep(row)) => {
                let (row, margin) = (f64::from(row), (seen * 0.2).floor().min(3.0));
                let lowest = (row + margin + 1.0 - seen).ceil();
                self.target = self.target.clamp(lowest, (row - margin).max(lowest));
            }
            None => {}
        }
        // The last lines can be read in the middle.
        let most = (f64::from(rows) - seen * 0.5).max(0.0).floor();
        self.target = if self.target.is_finite() {
            self.target.clamp(0.0, most)
        } else {
            0.0
        };
        let way = self.target - self.top;
        let is_far = way.abs() > 2.0 * seen;
        if is_first || is_far || way.abs() < 0.02 || matches!(wish, Some(Wish::To(_))) {
            self.top = self.target;
            return false;
        }
        self.top += way * f64::from(1.0 - (-16.0 * seconds).exp());
        true
    }
}
