//! Loops compiled once for each kind of vector unit; the widest one available is chosen at run time. All do the same
//! operations on the same numbers, so no result depends on the machine.

use std::ops::{Add, Div, Mul, Sub};

use pulp::{Simd, WithSimd};

/// How many edges vectorised code takes at a time.
pub const LANES: usize = 8;

/// Runs `work`, whose loops the compiler is left to vectorise. The closure and all that it calls in its loops must be
/// `#[inline(always)]`.
#[inline(always)]
pub(crate) fn vectorised<T>(work: impl FnMut() -> T) -> T {
    pulp::Arch::new().dispatch(Vectorised(work))
}

/// Called as `FnMut`: called as `FnOnce`, which `pulp` does with a bare closure, a closure that only borrows goes
/// through a shim that is not inlined, and runs compiled for the oldest vector unit.
struct Vectorised<F>(F);

impl<T, F: FnMut() -> T> WithSimd for Vectorised<F> {
    type Output = T;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) -> T {
        (self.0)()
    }
}

/// The largest size of a value.
#[inline(always)]
pub(crate) fn largest(values: &[f64]) -> f64 {
    let mut lanes = [0.0_f64; LANES];
    let (head, tail) = values.as_chunks::<LANES>();
    for chunk in head {
        for lane in 0..LANES {
            let size = chunk[lane].abs();
            lanes[lane] = if size > lanes[lane] { size } else { lanes[lane] };
        }
    }
    let largest = |largest: f64, size: f64| if size > largest { size } else { largest };
    tail.iter().map(|x| x.abs()).chain(lanes).fold(0.0, largest)
}

/// Σ f(x), in running sums that the compiler keeps in vector registers.
#[inline(always)]
pub(crate) fn sum(values: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    let mut sums = [0.0; LANES];
    let (head, tail) = values.as_chunks::<LANES>();
    for chunk in head {
        for lane in 0..LANES {
            sums[lane] += f(chunk[lane]);
        }
    }
    sums.iter().sum::<f64>() + tail.iter().map(|&x| f(x)).sum::<f64>()
}

/// Σ f(x, y).
#[inline(always)]
pub(crate) fn sum_of_two(x: &[f64], y: &[f64], f: impl Fn(f64, f64) -> f64) -> f64 {
    let mut sums = [0.0; LANES];
    let ((heads, tail), (others, other_tail)) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
    for (x, y) in heads.iter().zip(others) {
        for lane in 0..LANES {
            sums[lane] += f(x[lane], y[lane]);
        }
    }
    let tail = tail.iter().zip(other_tail).map(|(&x, &y)| f(x, y));
    sums.iter().sum::<f64>() + tail.sum::<f64>()
}

/// Eight numbers that are treated alike, lane by lane.
pub(crate) type Column = [f64; LANES];

/// As many of them as the vector unit takes at once, for loops over something else that the compiler would rather
/// vectorise.
#[derive(Clone, Copy)]
pub(crate) struct Lanes<S: Simd> {
    simd: S,
    values: S::f64s,
}

impl<S: Simd> Lanes<S> {
    /// How many of these make a column.
    pub(crate) const PER_COLUMN: usize = size_of::<Column>() / size_of::<S::f64s>();

    #[inline(always)]
    pub(crate) fn splat(simd: S, value: f64) -> Self {
        let values = simd.splat_f64s(value);
        Self { simd, values }
    }

    /// The part `q` of a column.
    #[inline(always)]
    pub(crate) fn load(simd: S, column: &Column, q: usize) -> Self {
        let values = S::as_simd_f64s(column).0[q];
        Self { simd, values }
    }

    #[inline(always)]
    pub(crate) fn store(self, column: &mut Column, q: usize) {
        S::as_mut_simd_f64s(column).0[q] = self.values;
    }

    #[inline(always)]
    pub(crate) fn half(self) -> Self {
        self * Self::splat(self.simd, 0.5)
    }

    /// `then` where this is positive, zero elsewhere.
    #[inline(always)]
    pub(crate) fn if_positive(self, then: Self) -> Self {
        let zero = Self::splat(self.simd, 0.0);
        self.if_greater(zero, then, zero)
    }

    /// The larger one, this one if either is NaN.
    #[inline(always)]
    pub(crate) fn or_larger(self, other: Self) -> Self {
        other.if_greater(self, other, self)
    }

    /// `then` where this is greater than `bar`, `otherwise` elsewhere.
    #[inline(always)]
    fn if_greater(self, bar: Self, then: Self, otherwise: Self) -> Self {
        let simd = self.simd;
        let mask = simd.greater_than_f64s(self.values, bar.values);
        // `select_f64s` is not always inlined, and a call costs more than all the rest.
        let [then, otherwise] = [then, otherwise].map(|lanes| simd.transmute_u64s_f64s(lanes.values));
        self.with(simd.transmute_f64s_u64s(simd.select_u64s(mask, then, otherwise)))
    }

    /// The sum of all lanes, in an order that depends on their number.
    #[inline(always)]
    pub(crate) fn sum(self) -> f64 {
        self.simd.reduce_sum_f64s(self.values)
    }

    /// Adds these to part `q` of a column of sums.
    #[inline(always)]
    pub(crate) fn add_to(self, sums: &mut Column, q: usize) {
        (Self::load(self.simd, sums, q) + self).store(sums, q);
    }

    /// Adds the squares to part `q` of a column of sums.
    #[inline(always)]
    pub(crate) fn add_square(self, sums: &mut Column, q: usize) {
        (Self::load(self.simd, sums, q) + self * self).store(sums, q);
    }

    #[inline(always)]
    fn with(self, values: S::f64s) -> Self {
        Self { values, ..self }
    }
}

impl<S: Simd> Add for Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(self.simd.add_f64s(self.values, other.values))
    }
}

impl<S: Simd> Sub for Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(self.simd.sub_f64s(self.values, other.values))
    }
}

impl<S: Simd> Mul for Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(self.simd.mul_f64s(self.values, other.values))
    }
}

impl<S: Simd> Div for Lanes<S> {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.with(self.simd.div_f64s(self.values, other.values))
    }
}
