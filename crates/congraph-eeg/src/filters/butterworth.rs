//! Butterworth band-pass filters as second-order sections.
//!
//! The analogue low-pass prototype of order M has its poles on the left half of the unit circle. Frequencies are warped
//! (tan) so that the bilinear map brings them back to where they were asked for; the map of low-pass to band-pass, s →
//! (s² + ω₀²)/(B s), makes two poles of each:
//!
//! ```text
//! s² − B p s + ω₀² = 0,   ω₀² = ω₁ ω₂,   B = ω₂ − ω₁,   z = (1 + s/2fs)/(1 − s/2fs)
//! ```
//!
//! with M zeros at z = 1 and M at z = −1: every section has 1 − z⁻² above. A pole and its conjugate make a section; the
//! real pole of an odd order makes one of its own two, which are real, not conjugate, when the band is wide (B > 2ω₀).

use std::f64::consts::PI;

use congraph::Error;

/// A band and how steeply it is cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// Lower edge in Hz; half of the power passes there in one direction.
    pub low_hz: f64,
    /// Upper edge in Hz.
    pub high_hz: f64,
    /// The order M of the low-pass prototype, as SciPy's `butter` counts it: the band-pass has 2M poles.
    pub order: usize,
}

impl Band {
    /// A band with the usual order, 4.
    pub fn new(low_hz: f64, high_hz: f64) -> Self {
        Self {
            low_hz,
            high_hz,
            order: 4,
        }
    }
}

/// (b₀ + b₁z⁻¹ + b₂z⁻²) / (1 + a₁z⁻¹ + a₂z⁻²).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// b₀, b₁, b₂.
    pub above: [f64; 3],
    /// a₁, a₂.
    pub below: [f64; 2],
}

/// The sections of a band-pass filter at a sampling rate; the same filter as SciPy's
/// `butter(order, [low, high], "bandpass", output="sos", fs=…)`.
///
/// # Errors
/// [`Error::Parameter`] unless 0 < low < high < half of the sampling rate and 1 ≤ order ≤ 20.
pub fn butterworth(band: &Band, sampling_hz: f64) -> Result<Vec<Section>, Error> {
    let refused = |message: String| Err(Error::Parameter { name: "band", message });
    let (low, high, nyquist) = (band.low_hz, band.high_hz, sampling_hz / 2.0);
    if !(low > 0.0 && low < high && high.is_finite()) {
        return refused(format!(
            "{low}:{high} must have two edges above 0 Hz, the lower one first"
        ));
    }
    if high >= nyquist || nyquist.is_nan() {
        return refused(format!(
            "{low}:{high} reaches above {nyquist} Hz, half of the sampling rate of {sampling_hz} Hz, beyond which \
            nothing was recorded"
        ));
    }
    if !(1..=20).contains(&band.order) {
        return refused(format!("has order {}; it must be 1 to 20", band.order));
    }
    // Step 1: the edges as analogue frequencies, warped so that the bilinear map brings them back to low and high.
    let twice = 2.0 * sampling_hz;
    let warped = |hz: f64| twice * (PI * hz / sampling_hz).tan();
    let (first, last) = (warped(low), warped(high));
    let (centre_squared, width) = (first * last, last - first);
    // Step 2: a pole of the prototype per k, its conjugate implied, becomes two of the band-pass.
    let order = band.order as f64;
    let mut sections = Vec::with_capacity(band.order);
    for k in 0..band.order.div_ceil(2) {
        let angle = PI * (2.0 * k as f64 + 1.0 + order) / (2.0 * order);
        // Half of B p. cos and sin would leave the real pole of an odd order slightly off the axis.
        let is_real = 2 * k + 1 == band.order;
        let half = if is_real {
            Complex { re: -1.0, im: 0.0 }
        } else {
            Complex {
                re: angle.cos(),
                im: angle.sin(),
            }
        }
        .times(0.5 * width);
        let root = half.squared().minus_real(centre_squared).sqrt();
        let poles = [half.plus(root), half.plus(root.times(-1.0))].map(|s| bilinear(s, twice));
        if is_real {
            sections.push(section(poles[0], poles[1]));
        } else {
            sections.extend(poles.map(|pole| section(pole, pole.conjugate())));
        }
    }
    // The poles nearest to the unit circle come last, as in SciPy: rounding then differs least.
    sections.sort_by(|a, b| a.below[1].total_cmp(&b.below[1]));
    // Step 3: the gain at the centre of the band is 1 in every section, so that none over- or underflows.
    let centre = 2.0 * (centre_squared.sqrt() / twice).atan();
    for section in &mut sections {
        let gain = section.gain_at(centre);
        section.above.iter_mut().for_each(|b| *b /= gain);
    }
    Ok(sections)
}

impl Section {
    /// |H| at an angle of the unit circle.
    fn gain_at(&self, angle: f64) -> f64 {
        let at = |c: [f64; 3]| {
            let re = c[0] + c[1] * angle.cos() + c[2] * (2.0 * angle).cos();
            let im = c[1] * angle.sin() + c[2] * (2.0 * angle).sin();
            re.hypot(im)
        };
        at(self.above) / at([1.0, self.below[0], self.below[1]])
    }
}

/// The section with these two poles, and zeros at 1 and −1.
fn section(first: Complex, second: Complex) -> Section {
    let sum = first.re + second.re;
    let product = first.re * second.re - first.im * second.im;
    Section {
        above: [1.0, 0.0, -1.0],
        below: [-sum, product],
    }
}

/// z = (1 + s/2fs)/(1 − s/2fs), with `twice` for 2fs.
fn bilinear(s: Complex, twice: f64) -> Complex {
    let (above, below) = (
        Complex {
            re: twice + s.re,
            im: s.im,
        },
        Complex {
            re: twice - s.re,
            im: -s.im,
        },
    );
    let size = below.re * below.re + below.im * below.im;
    Complex {
        re: (above.re * below.re + above.im * below.im) / size,
        im: (above.im * below.re - above.re * below.im) / size,
    }
}

/// As much of complex numbers as is needed here.
#[derive(Clone, Copy, Debug)]
struct Complex {
    re: f64,
    im: f64,
}

impl Complex {
    fn times(self, factor: f64) -> Self {
        Self {
            re: self.re * factor,
            im: self.im * factor,
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            re: self.re + other.re,
            im: self.im + other.im,
        }
    }

    fn minus_real(self, other: f64) -> Self {
        Self {
            re: self.re - other,
            im: self.im,
        }
    }

    fn squared(self) -> Self {
        Self {
            re: self.re * self.re - self.im * self.im,
            im: 2.0 * self.re * self.im,
        }
    }

    fn conjugate(self) -> Self {
        Self {
            re: self.re,
            im: -self.im,
        }
    }

    /// The root with a real part ≥ 0, without cancellation.
    fn sqrt(self) -> Self {
        let size = self.re.hypot(self.im);
        if size == 0.0 {
            return self;
        }
        let large = (0.5 * (size + self.re.abs())).sqrt();
        let small = 0.5 * self.im.abs() / large;
        let (re, im) = if self.re >= 0.0 { (large, small) } else { (small, large) };
        Self {
            re,
            im: im.copysign(self.im),
        }
    }
}
