//! How all points push each other away, in sub-quadratic time: Barnes and Hut's quad tree.
//!
//! A square that holds several points is cut in four. Seen from a point that is farther from a square's centre of mass
//! than the square's side over θ, its points push as one at that centre. The squares that are opened, and the order of
//! the sums, depend on the points alone: the same points have the same forces on any number of threads.
//!
//! Cost: O(n log n) for points that do not crowd on one spot; squares are cut at most [`DEEPEST`] times.

/// θ: the largest side of a square, over its distance, that is taken as one point.
const OPENING: f64 = 0.8;
/// Points nearer to each other than this many halvings can part stay in one square.
const DEEPEST: usize = 24;
/// A square of so few points is not cut.
const FEW: usize = 8;

/// A square: its points are `order[first..end]`, its parts `children`.
struct Square {
    centre: [f64; 2],
    count: f64,
    side: f64,
    first: usize,
    end: usize,
    /// The squares that it was cut into; empty if it was not.
    children: Vec<usize>,
}

/// The squares over some points.
pub(super) struct Tree<'p> {
    points: &'p [[f64; 2]],
    /// The points' numbers, those of one square side by side.
    order: Vec<usize>,
    squares: Vec<Square>,
}

impl<'p> Tree<'p> {
    /// Cuts the square that holds all points, which must be finite.
    pub(super) fn new(points: &'p [[f64; 2]]) -> Self {
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for at in points {
            for axis in 0..2 {
                low[axis] = low[axis].min(at[axis]);
                high[axis] = high[axis].max(at[axis]);
            }
        }
        let side = (high[0] - low[0]).max(high[1] - low[1]);
        let mut tree = Self {
            points,
            order: (0..points.len()).collect(),
            squares: Vec::new(),
        };
        if !points.is_empty() {
            tree.cut(0, points.len(), low, side, 0);
        }
        tree
    }

    /// Makes the square of `order[first..end]` with this corner and side, and all below it; its number.
    fn cut(&mut self, first: usize, end: usize, corner: [f64; 2], side: f64, depth: usize) -> usize {
        let count = (end - first) as f64;
        let mut centre = [0.0; 2];
        for &point in &self.order[first..end] {
            centre[0] += self.points[point][0];
            centre[1] += self.points[point][1];
        }
        let number = self.squares.len();
        self.squares.push(Square {
            centre: centre.map(|sum| sum / count),
            count,
            side,
            first,
            end,
            children: Vec::new(),
        });
        if end - first <= FEW || depth == DEEPEST {
            return number;
        }
        let half = 0.5 * side;
        let middle = corner.map(|low| low + half);
        let quarter = |at: [f64; 2]| usize::from(at[0] >= middle[0]) + 2 * usize::from(at[1] >= middle[1]);
        let points = self.points;
        self.order[first..end].sort_by_key(|&point| quarter(points[point]));
        let mut children = Vec::new();
        let mut from = first;
        for part in 0..4 {
            let inside = self.order[from..end].partition_point(|&point| quarter(points[point]) <= part);
            if inside > 0 {
                let corner = [
                    corner[0] + half * (part % 2) as f64,
                    corner[1] + half * (part / 2) as f64,
                ];
                children.push(self.cut(from, from + inside, corner, half, depth + 1));
                from += inside;
            }
        }
        self.squares[number].children = children;
        number
    }

    /// The sum of what `push` says of the others: the factor of the difference, for the square of its length.
    pub(super) fn force(&self, at: [f64; 2], push: impl Fn(f64) -> f64) -> [f64; 2] {
        let mut force = [0.0, 0.0];
        let mut add = |other: [f64; 2], count: f64| {
            let apart = [at[0] - other[0], at[1] - other[1]];
            let factor = count * push(apart[0] * apart[0] + apart[1] * apart[1]);
            force[0] += factor * apart[0];
            force[1] += factor * apart[1];
        };
        let mut open: Vec<usize> = (0..self.squares.len().min(1)).collect();
        while let Some(number) = open.pop() {
            let square = &self.squares[number];
            let apart = [at[0] - square.centre[0], at[1] - square.centre[1]];
            let is_far = square.side * square.side < OPENING * OPENING * (apart[0] * apart[0] + apart[1] * apart[1]);
            if is_far {
                add(square.centre, square.count);
            } else if square.children.is_empty() {
                self.order[square.first..square.end]
                    .iter()
                    .for_each(|&point| add(self.points[point], 1.0));
            } else {
                open.extend(square.children.iter().rev());
            }
        }
        force
    }
}
