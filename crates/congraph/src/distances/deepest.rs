//! What a pass finds: pairs with lower bounds of their costs, those furthest from absence first where they are too many.

/// Sorted pairs. There are many, and a list of all would be there beside its parts for a while.
#[derive(Default)]
pub(super) struct Stretch {
    pub(super) pairs: Vec<[u32; 2]>,
    /// No more than the cost of each pair in each view, one row per pair.
    pub(super) bounds: Vec<f32>,
}

impl Stretch {
    /// Both as one.
    pub(super) fn merged(self, other: &Self, n_views: usize) -> Self {
        if other.pairs.is_empty() {
            return self;
        }
        let mut both: Vec<([u32; 2], &[f32])> = Vec::with_capacity(self.pairs.len() + other.pairs.len());
        for stretch in [&self, other] {
            both.extend(stretch.pairs.iter().copied().zip(stretch.bounds.chunks_exact(n_views)));
        }
        both.sort_unstable_by_key(|&(pair, _)| pair);
        let mut bounds = Vec::with_capacity(both.len() * n_views);
        both.iter().for_each(|(_, own)| bounds.extend_from_slice(own));
        Self {
            pairs: both.iter().map(|&(pair, _)| pair).collect(),
            bounds,
        }
    }
}

/// The pairs furthest from absence, at most `most` of them.
#[derive(Default)]
pub(super) struct DeepestPairs {
    most: usize,
    complete: bool,
    /// How deep, which pair, and where its bounds are.
    pairs: Vec<(f64, [u32; 2], u32)>,
    bounds: Vec<f32>,
    /// Tiles that others must be asked for: blocks, and whether of negative edges.
    pub(super) aside: Vec<(usize, bool)>,
}

impl DeepestPairs {
    /// None yet, and at most so many.
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            complete: true,
            ..Self::default()
        }
    }

    pub(super) fn push(&mut self, depth: f64, pair: [u32; 2], bounds: &[f64]) {
        let place = self.bounds.len() / bounds.len();
        self.pairs.push((depth, pair, place as u32));
        // Rounded down, a bound stays one; where a view lacks the pair it is infinite.
        let lower = |&bound: &f64| match bound {
            f64::INFINITY => f32::INFINITY,
            bound => (bound as f32).next_down(),
        };
        self.bounds.extend(bounds.iter().map(lower));
        // Selecting only when twice full costs O(1) per pair.
        if self.pairs.len() >= self.most.saturating_mul(2) {
            self.keep_deepest();
            self.gather(bounds.len());
        }
    }

    /// Sorted, in no more room than they need, and whether these are all.
    pub(super) fn finished(mut self, n_views: usize) -> (Stretch, bool) {
        self.keep_deepest();
        self.pairs.sort_unstable_by_key(|&(_, pair, _)| pair);
        let mut bounds = Vec::with_capacity(self.pairs.len() * n_views);
        for &(_, _, place) in &self.pairs {
            bounds.extend_from_slice(&self.bounds[place as usize * n_views..][..n_views]);
        }
        let stretch = Stretch {
            pairs: self.pairs.iter().map(|&(_, pair, _)| pair).collect(),
            bounds,
        };
        (stretch, self.complete)
    }

    fn keep_deepest(&mut self) {
        if self.pairs.len() > self.most {
            self.pairs
                .select_nth_unstable_by(self.most, |x, y| y.0.total_cmp(&x.0).then(x.1.cmp(&y.1)));
            self.pairs.truncate(self.most);
            self.complete = false;
        }
    }

    /// Lets go of the bounds of pairs that were left out.
    fn gather(&mut self, n_views: usize) {
        let mut kept = Vec::with_capacity(self.pairs.len() * n_views);
        for (place, (_, _, own)) in self.pairs.iter_mut().enumerate() {
            let first = *own as usize * n_views;
            kept.extend_from_slice(&self.bounds[first..first + n_views]);
            *own = place as u32;
        }
        self.bounds = kept;
    }
}
