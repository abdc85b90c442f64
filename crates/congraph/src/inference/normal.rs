//! The normal distribution.

/// Φ, by the rational functions of Hart (1968) in West's arrangement (2005): within 1e-14, and far out within 1e-7 of itself.
pub(super) fn normal(x: f64) -> f64 {
    const ABOVE: [f64; 7] = [
        3.526_249_659_989_11e-2,
        0.700_383_064_443_688,
        6.373_962_203_531_65,
        33.912_866_078_383,
        112.079_291_497_871,
        221.213_596_169_931,
        220.206_867_912_376,
    ];
    const BELOW: [f64; 8] = [
        8.838_834_764_831_84e-2,
        1.755_667_163_182_64,
        16.064_177_579_207,
        86.780_732_202_946_1,
        296.564_248_779_674,
        637.333_633_378_831,
        793.826_512_519_948,
        440.413_735_824_752,
    ];
    let size = x.abs();
    let tail = if size > 37.0 {
        0.0
    } else {
        let density = (-0.5 * size * size).exp();
        if size < 7.071_067_811_865_475 {
            let value = |numbers: &[f64]| numbers.iter().fold(0.0, |sum, number| sum * size + number);
            density * value(&ABOVE) / value(&BELOW)
        } else {
            let fraction = (1..=4).rev().fold(size + 0.65, |rest, k| size + f64::from(k) / rest);
            density / (fraction * 2.506_628_274_631)
        }
    };
    if x > 0.0 { 1.0 - tail } else { tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_distribution_is_that_of_tables() {
        for (x, expected) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_543),
            (-1.959_963_984_540_054, 0.025),
            (-5.0, 2.866_515_718_791_94e-7),
            (-8.0, 6.220_960_574_271_78e-16),
        ] {
            let off = (normal(x) - expected).abs();
            assert!(off < 1e-14 && off < 1e-7 * expected, "{x}: {}", normal(x));
        }
    }
}
