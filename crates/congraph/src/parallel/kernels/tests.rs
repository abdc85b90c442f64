use super::*;

/// A few numbers without a dependency: Miri is slow.
struct Numbers(u64);

impl Numbers {
    fn byte(&mut self) -> i8 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % 255) as i8
    }
}

/// Products of rows with columns in the order of the numbers themselves.
fn expected(width: usize, left: &[i8], right: &[i8]) -> Vec<i32> {
    let dot = |x: &[i8], y: &[i8]| x.iter().zip(y).map(|(&x, &y)| i32::from(x) * i32::from(y)).sum();
    left.chunks_exact(width)
        .flat_map(|x| right.chunks_exact(width).map(move |y| dot(x, y)))
        .collect()
}

fn check(width: usize, left: &[i8], right: &[i8]) {
    let mut packed = vec![0; right.len()];
    pack(width, right, &mut packed);
    let starts: Vec<i32> = left.chunks_exact(width).map(start_of).collect();
    let expected = expected(width, left, right);
    for instructions in Instructions::all() {
        // What was there before does not show.
        let mut out = vec![i32::MIN; expected.len()];
        byte_products(instructions, width, left, &starts, &packed, &mut out);
        assert!(out == expected, "{instructions:?}, {width}");
        let n_right = right.len() / width;
        for (place, &product) in expected.iter().enumerate().step_by(7) {
            let (a, b) = (place / n_right, place % n_right);
            let [x, y] = [(left, a), (right, b)].map(|(rows, k)| &rows[k * width..(k + 1) * width]);
            assert_eq!(
                pair_product(instructions, x, y, start_of(y)),
                product,
                "{instructions:?}, {width}"
            );
        }
        check_bars(instructions, width, left, right, &expected);
    }
}

/// Marks and pulls of every form are those of numbers that do not round, where these are not within rounding of a bar.
fn check_bars(instructions: Instructions, width: usize, left: &[i8], right: &[i8], products: &[i32]) {
    let (n_left, n_right) = (left.len() / width, right.len() / width);
    let mut packed = vec![0; right.len()];
    pack(width, right, &mut packed);
    let starts: Vec<i32> = left.chunks_exact(width).map(start_of).collect();
    let mut numbers = Numbers(width as u64);
    let mut number = |size: f32| size * f32::from(numbers.byte()) / 127.0;
    let most = products.iter().map(|product| product.abs()).max().unwrap_or(0) as f32;
    let scales: Vec<f32> = (0..n_right).map(|_| 1.5 + number(1.0)).collect();
    let mut bars: Vec<f32> = (0..n_right).map(|_| number(most)).collect();
    // A column that is not there.
    bars[n_right / 2] = f32::NAN;
    let others: Vec<f32> = (0..n_right).map(|_| number(most)).collect();
    let rows: Vec<RowBars> = (0..n_left)
        .map(|_| RowBars {
            half: 0.6 + number(0.5),
            low: number(most),
            other: most + number(most),
            high: -most + number(most),
            unit: 1.0 + number(0.5),
        })
        .collect();
    let columns = ColumnBars {
        scales: &scales,
        bars: &bars,
        others: &others,
    };
    let tile = ByteTile {
        width,
        left,
        starts: &starts,
        right: &packed,
    };
    let tau = 0.3 * most;
    let mut room = Vec::new();
    let mut sums = vec![0.0; n_left * (n_right + 3)];
    for _ in 0..2 {
        add_pulls(
            instructions,
            &tile,
            &rows,
            &columns,
            tau,
            &mut room,
            &mut sums,
            n_right + 3,
        );
    }
    let rounding = 1e-5 * f64::from(most) + 1e-9;
    for asked in [Asked::Open, Asked::Near, Asked::Either] {
        let mut marks = vec![0xFFFF; n_left * n_right / GROUP];
        mark_pairs(instructions, asked, &tile, &rows, &columns, &mut room, &mut marks);
        for (place, &product) in products.iter().enumerate() {
            let (a, b) = (place / n_right, place % n_right);
            let row = &rows[a];
            let is_marked = marks[place / GROUP] >> (place % GROUP) & 1 == 1;
            if bars[b].is_nan() {
                assert_eq!(is_marked, asked == Asked::Open);
                assert!(sums[a * (n_right + 3) + b].is_nan());
                continue;
            }
            let x = f64::from(product) * f64::from(scales[b]);
            let bar = f64::from(row.half) * f64::from(bars[b]);
            let (near, far) = if asked == Asked::Either {
                (x.abs(), -x.abs())
            } else {
                (x, x)
            };
            let above = |slack: f64| {
                let low = near - bar >= f64::from(row.low) + slack;
                let other = near - bar + f64::from(row.half) * f64::from(others[b]) >= f64::from(row.other) + slack;
                let high = far - bar < f64::from(row.high) - slack;
                low || asked != Asked::Open && (other || high)
            };
            if above(rounding) || !above(-rounding) {
                assert_eq!(is_marked, above(0.0), "{instructions:?} {asked:?} {width}: {a}, {b}");
            }
            let u = (x - bar - f64::from(row.low)) * f64::from(row.unit);
            let sum = f64::from(sums[a * (n_right + 3) + b]);
            let tau = f64::from(tau);
            if u < tau - 10.0 * rounding {
                assert!((sum - 2.0 * u.max(-tau)).abs() <= 20.0 * rounding, "{sum} {u} {tau}");
            } else if u > tau + 10.0 * rounding {
                assert!(sum > 1e30);
            }
        }
    }
}

#[test]
fn all_forms_are_equal_at_all_shapes() {
    let mut numbers = Numbers(1);
    let shapes: &[(usize, usize, usize)] = if cfg!(miri) {
        &[(4, 1, 1), (8, 9, 2), (12, 3, 3)]
    } else {
        &[
            (4, 1, 1),
            (8, 9, 2),
            (12, 3, 3),
            (32, 16, 16),
            (36, 23, 5),
            (200, 17, 4),
            (500, 8, 2),
            (1024, 5, 3),
            // Of tiles of registers: whole ones, several pieces, and all that may be left over.
            (64, 32, 2),
            (208, 83, 5),
            (576, 49, 3),
        ]
    };
    for &(width, n_left, n_groups) in shapes {
        let left: Vec<i8> = (0..n_left * width).map(|_| numbers.byte().max(-127)).collect();
        let right: Vec<i8> = (0..n_groups * GROUP * width)
            .map(|_| numbers.byte().max(-127))
            .collect();
        check(width, &left, &right);
    }
}

/// The longest rows of the largest values, of all signs: nothing overflows.
#[test]
fn all_forms_are_equal_at_the_extremes() {
    let (width, n_left) = if cfg!(miri) { (64, 2) } else { (LONGEST_ROW, GROUP + 1) };
    for (x, y) in [(127, 127), (127, -127), (-127, 127), (-127, -127), (0, -127), (-127, 0)] {
        check(width, &vec![x; n_left * width], &vec![y; GROUP * width]);
    }
    let alternating: Vec<i8> = (0..width).map(|k| if k % 2 == 0 { 127 } else { -127 }).collect();
    check(width, &alternating.repeat(n_left), &alternating.repeat(GROUP));
}

#[test]
fn rows_of_nothing() {
    let mut out = [7; 2 * GROUP];
    byte_products(Instructions::best(), 0, &[], &[0, 0], &[], &mut out);
    assert!(out.iter().all(|&product| product == 0));
}

/// The entrances refuse what would be read or written out of bounds.
#[test]
#[cfg(not(miri))]
fn lengths_that_do_not_fit_are_refused() {
    let refused = |width: usize, left: usize, starts: usize, right: usize, out: usize| {
        let work = move || {
            let mut products = vec![0; out];
            byte_products(
                Instructions::best(),
                width,
                &vec![0; left],
                &vec![0; starts],
                &vec![0; right],
                &mut products,
            );
        };
        std::panic::catch_unwind(work).is_err()
    };
    assert!(!refused(4, 8, 2, 64, 32));
    assert!(refused(4, 7, 2, 64, 32) && refused(4, 8, 2, 63, 32) && refused(4, 8, 2, 64, 31));
    assert!(refused(6, 12, 2, 96, 32) && refused(4, 8, 3, 64, 48));
    let refused = |left: usize, right: usize, out: usize, stride: usize| {
        let work = move || {
            let mut products = vec![0.0; out];
            row_products(
                3,
                0..3,
                [&vec![1.0; left], &vec![1.0; right]],
                &mut products,
                stride,
                false,
            );
        };
        std::panic::catch_unwind(work).is_err()
    };
    assert!(!refused(6, 9, 6, 3) && refused(6, 9, 5, 3) && refused(6, 9, 6, 2) && refused(5, 9, 6, 3));
}

#[test]
#[cfg(not(miri))]
fn products_of_stretches_add_up() {
    let (left, right) = (
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        [1.0, 0.0, 2.0, -1.0, 1.0, 1.0, 0.5, 0.5, 0.5],
    );
    let mut out = [f64::NAN; 8];
    row_products(3, 0..2, [&left, &right], &mut out, 4, false);
    row_products(3, 2..3, [&left, &right], &mut out, 4, true);
    assert_eq!((&out[..3], &out[4..7]), (&[7.0, 4.0, 3.0][..], &[16.0, 7.0, 7.5][..]));
}
