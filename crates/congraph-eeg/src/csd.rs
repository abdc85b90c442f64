//! Current source density: the surface Laplacian of the potential, by spherical splines (Perrin et al. 1989).
//!
//! The potential at the electrodes is interpolated on the sphere by c₀ + Σ_j c_j g(cos ∠(x, x_j)), smoothed by λ, with
//! Σ c_j = 0; its Laplacian is −Σ_j c_j h(cos ∠)/r². With n the degree of the Legendre polynomials and m the stiffness,
//!
//! ```text
//! g(x) = 1/4π Σ_n (2n+1)/(n(n+1))^m     P_n(x),     G = g + λ I
//! h(x) = 1/4π Σ_n (2n+1)/(n(n+1))^(m−1) P_n(x)
//! CSD  = H C / r²,    C = G⁻¹ Z − G⁻¹ 1 · (1ᵀ G⁻¹ Z)/(1ᵀ G⁻¹ 1),    Z = I − 11ᵀ/n
//! ```
//!
//! One matrix, electrodes × electrodes, for all samples. It does not see the reference: CSD · 1 = 0. The same as MNE's
//! `compute_current_source_density`, in units of the potential per square metre.

use std::f64::consts::PI;

use congraph::Error;

use crate::linear::Cholesky;
use crate::montage::{Position, Sphere, dot, fit_sphere, minus, unit};

/// The sphere that stands for the head.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Head {
    /// Around the origin of the positions, with the radius of the sphere that fits them best. This is what MNE's
    /// `sphere="auto"` comes down to for EEG.
    #[default]
    AroundOrigin,
    /// The sphere that fits the electrodes best.
    Fitted,
    /// This one.
    Given(Sphere),
}

/// How splines are fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplineSettings {
    /// λ: how much is smoothed.
    pub lambda2: f64,
    /// m: how stiff the splines are; at least 2.
    pub stiffness: i32,
    /// How many Legendre polynomials are summed.
    pub n_legendre_terms: usize,
    /// The sphere that stands for the head.
    pub head: Head,
}

impl Default for SplineSettings {
    fn default() -> Self {
        Self {
            lambda2: 1e-5,
            stiffness: 4,
            n_legendre_terms: 50,
            head: Head::default(),
        }
    }
}

/// The matrix that turns potentials at some electrodes into their current source density.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceLaplacian {
    n: usize,
    matrix: Vec<f64>,
}

impl SurfaceLaplacian {
    /// The matrix for electrodes at these positions.
    ///
    /// # Errors
    /// [`Error::Parameter`] if a setting is out of range, no sphere fits, or two electrodes lie on the same spot.
    pub fn new(positions: &[Position], settings: &SplineSettings) -> Result<Self, Error> {
        if !(0.0..1.0).contains(&settings.lambda2) || settings.stiffness < 2 || settings.n_legendre_terms < 1 {
            return Err(refused(format!(
                "needs 0 ≤ lambda2 < 1, a stiffness of at least 2 and at least one Legendre term, not {}, {} and {}",
                settings.lambda2, settings.stiffness, settings.n_legendre_terms
            )));
        }
        let sphere = head_sphere(positions, settings.head)?;
        // Only angles matter to the splines: electrodes are projected onto the sphere along its radii.
        let directions: Vec<Position> = positions
            .iter()
            .map(|at| unit(minus(*at, sphere.centre)))
            .collect::<Option<_>>()
            .ok_or_else(|| refused("cannot be computed: an electrode is in the centre of the head".into()))?;
        let (g, h) = spline_matrices(&directions, settings);
        let factor = Cholesky::new(g, positions.len(), 1e-14).ok_or_else(|| {
            refused("cannot be computed: two electrodes are at the same place, or lambda2 is too small".into())
        })?;
        Ok(Self::from_splines(&factor, &h, positions.len(), sphere.radius))
    }

    /// H C / r², column by column: column k is the density that a unit potential at electrode k causes.
    fn from_splines(factor: &Cholesky, h: &[f64], n: usize, radius: f64) -> Self {
        // G⁻¹ 1 and 1ᵀ G⁻¹ 1, which keep Σ c_j = 0.
        let mut ones = vec![1.0; n];
        factor.solve(&mut ones);
        let total: f64 = ones.iter().sum();
        let scale = 1.0 / (radius * radius);
        let mut matrix = vec![0.0; n * n];
        for column in 0..n {
            // A column of Z = I − 11ᵀ/n: the unit potential against the average reference.
            let mut c = vec![-1.0 / n as f64; n];
            c[column] += 1.0;
            factor.solve(&mut c);
            let shift = c.iter().sum::<f64>() / total;
            c.iter_mut().zip(&ones).for_each(|(c, one)| *c -= shift * one);
            for row in 0..n {
                let sum: f64 = h[row * n..row * n + n].iter().zip(&c).map(|(h, c)| h * c).sum();
                matrix[row * n + column] = sum * scale;
            }
        }
        Self { n, matrix }
    }

    /// The entry that says how much the potential at one electrode adds to the density at another.
    pub fn entry(&self, density: usize, potential: usize) -> f64 {
        self.matrix[density * self.n + potential]
    }

    /// Turns potentials into densities: channels after one another, `n_times` values each.
    ///
    /// # Panics
    /// If the values are not those of as many channels as there are electrodes.
    pub fn apply(&self, values: &mut [f64], n_times: usize) {
        assert_eq!(values.len(), self.n * n_times, "one row of values per electrode");
        let potentials = values.to_vec();
        for (row, densities) in values.chunks_exact_mut(n_times.max(1)).enumerate() {
            densities.fill(0.0);
            for (column, potential) in potentials.chunks_exact(n_times.max(1)).enumerate() {
                let factor = self.entry(row, column);
                densities
                    .iter_mut()
                    .zip(potential)
                    .for_each(|(sum, x)| *sum += factor * x);
            }
        }
    }
}

fn refused(message: String) -> Error {
    Error::Parameter { name: "csd", message }
}

/// The sphere that stands for the head.
fn head_sphere(positions: &[Position], head: Head) -> Result<Sphere, Error> {
    let fitted = || {
        let n = positions.len();
        let message = format!("needs at least four electrodes that do not lie in a plane; no sphere fits these {n}");
        fit_sphere(positions).ok_or_else(|| refused(message))
    };
    Ok(match head {
        Head::Given(sphere) => sphere,
        Head::Fitted => fitted()?,
        Head::AroundOrigin => Sphere {
            centre: [0.0; 3],
            ..fitted()?
        },
    })
}

/// G (with λ on its diagonal) and H between electrodes in these directions, row by row.
fn spline_matrices(directions: &[Position], settings: &SplineSettings) -> (Vec<f64>, Vec<f64>) {
    let n = directions.len();
    let (spline, laplacian) = (
        weights(settings, settings.stiffness),
        weights(settings, settings.stiffness - 1),
    );
    let (mut g, mut h) = (vec![0.0; n * n], vec![0.0; n * n]);
    for i in 0..n {
        for j in 0..=i {
            // Rounding may carry the cosine past 1, where Legendre polynomials grow fast.
            let cosine = dot(directions[i], directions[j]).clamp(-1.0, 1.0);
            let [bent, dense] = legendre_sums(cosine, &spline, &laplacian);
            (g[i * n + j], g[j * n + i]) = (bent, bent);
            (h[i * n + j], h[j * n + i]) = (dense, dense);
        }
        g[i * n + i] += settings.lambda2;
    }
    (g, h)
}

/// (2n+1)/(4π (n(n+1))^power) for n = 1, 2, …
fn weights(settings: &SplineSettings, power: i32) -> Vec<f64> {
    let weight = |n: usize| {
        let n = n as f64;
        (2.0 * n + 1.0) / (4.0 * PI * (n * (n + 1.0)).powi(power))
    };
    (1..=settings.n_legendre_terms).map(weight).collect()
}

/// Two sums over P₁(x), P₂(x), … by their recurrence (n+1) P_{n+1} = (2n+1) x P_n − n P_{n−1}.
fn legendre_sums(x: f64, first: &[f64], second: &[f64]) -> [f64; 2] {
    let (mut before, mut here) = (1.0, x);
    let mut sums = [0.0; 2];
    for (k, (a, b)) in first.iter().zip(second).enumerate() {
        sums[0] += a * here;
        sums[1] += b * here;
        let n = (k + 1) as f64;
        (before, here) = (here, ((2.0 * n + 1.0) * x * here - n * before) / (n + 1.0));
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::standard_montage;

    fn cap() -> Vec<Position> {
        standard_montage().iter().map(|(_, at)| *at).collect()
    }

    #[test]
    fn the_reference_is_not_seen_and_densities_of_the_head_balance() {
        let n = cap().len();
        let csd = SurfaceLaplacian::new(&cap(), &SplineSettings::default()).unwrap();
        let size = (0..n).map(|k| csd.entry(k, k).abs()).fold(0.0, f64::max);
        for row in 0..n {
            let sum: f64 = (0..n).map(|column| csd.entry(row, column)).sum();
            assert!(sum.abs() < 1e-10 * size);
            assert!(csd.entry(row, row) > 0.0);
        }
    }

    #[test]
    fn spherical_harmonics_are_its_eigenfunctions() {
        // −∇² Y = n(n+1)/r² Y. The cap covers the upper half only and λ smooths, so only the middle of it, and roughly.
        let settings = SplineSettings {
            lambda2: 1e-9,
            ..SplineSettings::default()
        };
        let csd = SurfaceLaplacian::new(&cap(), &settings).unwrap();
        let at_cz = standard_montage().iter().position(|(name, _)| name == "Cz").unwrap();
        let mut values: Vec<f64> = cap().iter().map(|at| at[2] / 0.095).collect();
        csd.apply(&mut values, 1);
        let told = 2.0 / 0.095_f64.powi(2);
        assert!((values[at_cz] / told - 1.0).abs() < 0.02, "{} {told}", values[at_cz]);
    }

    #[test]
    fn electrodes_that_cannot_be_are_refused() {
        let refused = |cap: &[Position]| {
            SurfaceLaplacian::new(cap, &SplineSettings::default())
                .unwrap_err()
                .to_string()
        };
        assert!(refused(&cap()[..3]).contains("four electrodes"));
        let mut twice = cap();
        twice[1] = twice[0];
        let settings = SplineSettings {
            lambda2: 0.0,
            ..SplineSettings::default()
        };
        assert!(SurfaceLaplacian::new(&twice, &settings).is_err());
    }
}
