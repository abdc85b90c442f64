use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use super::*;
use crate::progress::no_progress;
use crate::simulate::{self, Filter, simulate};
use crate::views::{Kind, Missing, Table, ViewOptions};

/// Tables of signals on similar graphs, in blocks of `length` samples.
fn tables(n_nodes: usize, n_views: usize, n_signals: usize, length: usize, seed: u64) -> Vec<Table> {
    let settings = simulate::Settings {
        n_nodes,
        n_views,
        n_signals: vec![n_signals],
        graph: simulate::GraphModel::ErdosRenyi { probability: 0.3 },
        filter: Filter::Gaussian,
        seed,
        ..Default::default()
    };
    let mut tables = simulate(&settings).unwrap().tables;
    for table in &mut tables {
        table.blocks = Some((0..n_signals).map(|sample| format!("b{}", sample / length)).collect());
    }
    tables
}

fn views(tables: &[Table]) -> Views {
    Views::assemble(tables.to_vec(), &ViewOptions::default()).unwrap().0
}

fn asked(views: &Views, settings: Settings) -> Direct {
    of_views(views, &settings, &no_progress).unwrap().unwrap()
}

/// The inverse by elimination, written without the library.
fn inverse(mut a: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = a.len();
    for (row, values) in a.iter_mut().enumerate() {
        values.extend((0..n).map(|column| f64::from(u8::from(column == row))));
    }
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, pivot);
        let top = a[k].clone();
        for (row, values) in a.iter_mut().enumerate() {
            let factor = if row == k {
                1.0 - 1.0 / top[k]
            } else {
                values[k] / top[k]
            };
            values.iter_mut().zip(&top).for_each(|(x, top)| *x -= factor * top);
        }
    }
    a.into_iter().map(|row| row[n..].to_vec()).collect()
}

/// atanh of the partial correlations of samples (one list of rows per view), straight from §"C_i … z" of the module.
fn brute(views: &[Vec<Vec<f64>>], zscored: bool) -> Vec<f64> {
    let n = views[0][0].len();
    let mut pooled = vec![vec![0.0; n]; n];
    for rows in views {
        let p = rows.len() as f64;
        let mean: Vec<f64> = (0..n).map(|a| rows.iter().map(|row| row[a]).sum::<f64>() / p).collect();
        let sd = |a: usize| rows.iter().map(|row| (row[a] - mean[a]).powi(2)).sum::<f64>().sqrt();
        let sds: Vec<f64> = (0..n).map(|a| if zscored { sd(a) } else { 1.0 }).collect();
        let mut covariance = vec![vec![0.0; n]; n];
        for row in rows {
            let mut x: Vec<f64> = (0..n).map(|a| (row[a] - mean[a]) / sds[a]).collect();
            let common = x.iter().sum::<f64>() / n as f64;
            x.iter_mut().for_each(|x| *x -= common);
            for a in 0..n {
                (0..n).for_each(|b| covariance[a][b] += x[a] * x[b]);
            }
        }
        let trace: f64 = (0..n).map(|a| covariance[a][a]).sum();
        for a in 0..n {
            (0..n).for_each(|b| pooled[a][b] += covariance[a][b] / trace / views.len() as f64);
        }
    }
    // Q (QᵀCQ)⁻¹ Qᵀ with Helmert's basis Q of the signals that sum to 0.
    let basis: Vec<Vec<f64>> = (1..n)
        .map(|k| {
            let size = ((k * (k + 1)) as f64).sqrt();
            (0..n)
                .map(|a| {
                    if a < k {
                        1.0 / size
                    } else if a == k {
                        -(k as f64) / size
                    } else {
                        0.0
                    }
                })
                .collect()
        })
        .collect();
    let form = |x: &[f64], y: &[f64]| -> f64 {
        (0..n)
            .map(|a| x[a] * pooled[a].iter().zip(y).map(|(c, y)| c * y).sum::<f64>())
            .sum()
    };
    let small = inverse(
        basis
            .iter()
            .map(|x| basis.iter().map(|y| form(x, y)).collect())
            .collect(),
    );
    let entry = |a: usize, b: usize| -> f64 {
        (0..n - 1)
            .flat_map(|i| (0..n - 1).map(move |j| (i, j)))
            .map(|(i, j)| basis[i][a] * small[i][j] * basis[j][b])
            .sum()
    };
    let diagonal: Vec<f64> = (0..n).map(|a| entry(a, a)).collect();
    let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b)));
    pairs
        .map(|(a, b)| (-entry(a, b) / (diagonal[a] * diagonal[b]).sqrt()).atanh())
        .collect()
}

fn rows(table: &Table) -> Vec<Vec<f64>> {
    table.values.chunks(table.n_columns).map(<[f64]>::to_vec).collect()
}

#[test]
fn deletions_are_those_of_deleting_and_refitting() {
    // Blocks of 1 and 2 samples are taken out by Woodbury's formula, of 10 by another inverse; z-scores always by that.
    // With 100 samples of each view a fifth of the views' own is part of it.
    for (length, zscored, n_samples) in [
        (1, false, 40),
        (2, false, 40),
        (10, false, 40),
        (2, true, 40),
        (2, false, 100),
    ] {
        let own = if n_samples == 100 { 0.2 } else { 0.0 };
        let brute = |views: &[Vec<Vec<f64>>], zscored: bool| -> Vec<f64> {
            let mut z: Vec<f64> = brute(views, zscored).iter().map(|z| (1.0 - own) * z).collect();
            for view in views {
                let alone = super::tests::brute(std::slice::from_ref(view), zscored);
                let each = own / views.len() as f64;
                z.iter_mut().zip(alone).for_each(|(z, alone)| *z += each * alone);
            }
            z
        };
        let mut tables = tables(12, 3, n_samples, length, 5 + length as u64);
        // Blocks of very different strength, so that the traces move.
        for table in &mut tables {
            for (sample, row) in table.values.chunks_mut(12).enumerate() {
                row.iter_mut()
                    .for_each(|x| *x *= if sample < length { 3.0 } else { 1.0 } + 0.01 * sample as f64);
            }
        }
        let settings = Settings {
            zscore: Some(zscored),
            ..Settings::default()
        };
        let found = asked(&views(&tables), settings).pooled.unwrap();

        let all: Vec<Vec<Vec<f64>>> = tables.iter().map(rows).collect();
        let whole = brute(&all, zscored);
        let mut variances = vec![0.0; whole.len()];
        for view in 0..all.len() {
            let n_blocks = n_samples / length;
            let without = |block: usize| {
                let mut left = all.clone();
                left[view].drain(block * length..(block + 1) * length);
                brute(&left, zscored)
            };
            let deleted: Vec<Vec<f64>> = (0..n_blocks).map(without).collect();
            for (pair, variance) in variances.iter_mut().enumerate() {
                let mean = deleted.iter().map(|z| z[pair]).sum::<f64>() / n_blocks as f64;
                let square: f64 = deleted.iter().map(|z| (z[pair] - mean).powi(2)).sum();
                *variance += (n_blocks as f64 - 1.0) / n_blocks as f64 * square;
            }
        }
        assert_eq!(found.df, 3.0 * (n_samples as f64 / length as f64 - 1.0));
        for pair in 0..whole.len() {
            let z = found.partial[pair].atanh();
            let se = z / found.direct_z[pair];
            assert!(
                (se / variances[pair].sqrt() - 1.0).abs() < 1e-10,
                "{length} {zscored} {pair}: {se}"
            );
            assert!(z <= whole[pair] + 1e-12 && z >= whole[pair] - 0.25);
            if found.constant_share == 0.0 {
                assert!((z - whole[pair]).abs() < 1e-11);
            }
        }
    }
}

#[test]
fn a_signal_that_all_nodes_share_does_not_count() {
    let plain = tables(15, 3, 120, 6, 3);
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let (mut shared, mut referenced) = (plain.clone(), plain.clone());
    for table in &mut shared {
        for row in table.values.chunks_mut(15) {
            let common = 3.0 * rng.sample::<f64, _>(StandardNormal);
            row.iter_mut().for_each(|x| *x += common);
        }
    }
    for table in &mut referenced {
        for row in table.values.chunks_mut(15) {
            let mean = row.iter().sum::<f64>() / 15.0;
            row.iter_mut().for_each(|x| *x -= mean);
        }
    }
    let settings = Settings {
        zscore: Some(false),
        ..Settings::default()
    };
    let expected = asked(&views(&plain), settings).pooled.unwrap();
    assert!(expected.q_direct.iter().any(|q| *q < 0.01));
    for tables in [&shared, &referenced] {
        let found = asked(&views(tables), settings).pooled.unwrap();
        for (found, expected) in found.direct_z.iter().zip(&expected.direct_z) {
            assert!(
                (found - expected).abs() < 1e-7 * (1.0 + expected.abs()),
                "{found} {expected}"
            );
        }
    }
}

#[test]
fn neither_order_nor_threads_matter() {
    let given = tables(14, 3, 80, 4, 11);
    let expected = asked(&views(&given), Settings::default());
    let mut turned = given.clone();
    turned.reverse();
    for table in &mut turned {
        table.values.chunks_mut(14).for_each(<[f64]>::reverse);
        table.column_names.as_mut().unwrap().reverse();
    }
    let turned = views(&turned);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let found = pool.install(|| asked(&turned, Settings::default()));
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(found, one.install(|| asked(&turned, Settings::default())));
    let place = |a: usize, b: usize| complete_index(14, 13 - b, 13 - a);
    let (pooled, reference) = (found.pooled.unwrap(), expected.pooled.unwrap());
    for (pair, &[a, b]) in Edges::complete(14).pairs().iter().enumerate() {
        let other = place(a as usize, b as usize);
        assert_eq!(reference.direct_z[pair], pooled.direct_z[other]);
        assert_eq!(reference.q_direct[pair], pooled.q_direct[other]);
        assert_eq!(
            expected.q_most.as_ref().unwrap()[pair],
            found.q_most.as_ref().unwrap()[other]
        );
        for view in 0..3 {
            let of = |direct: &[OfView], view: usize, pair: usize| {
                let view = &direct[view];
                [&view.q_view, &view.difference_z, &view.q_difference].map(|column| column.as_ref().unwrap()[pair])
            };
            assert_eq!(of(&expected.views, view, pair), of(&found.views, 2 - view, other));
        }
    }
}

#[test]
fn what_is_absent_has_its_reason() {
    let told = |tables: &[Table], settings: Settings| {
        let direct = asked(&views(tables), settings);
        let find = |column| direct.absent.iter().find(|absent| absent.column == column);
        let reason = |column| find(column).map_or(String::new(), |absent| absent.reason.clone());
        (direct.pooled.is_some(), ["q_direct", "q_view", "q_most"].map(reason))
    };
    let (is_there, [direct, view, _]) = told(&tables(20, 2, 18, 1, 1), Settings::default());
    assert!(
        !is_there && direct.contains("worth") && direct.contains("20 nodes need 40"),
        "{direct}"
    );
    assert!(view.contains("view `view1`"), "{view}");
    let (is_there, [direct, ..]) = told(&tables(8, 2, 100, 25, 1), Settings::default());
    assert!(
        !is_there && direct.contains("there are 8 blocks in all views"),
        "{direct}"
    );
    let (is_there, [direct, ..]) = told(&tables(8, 2, 100, 100, 1), Settings::default());
    assert!(
        !is_there && direct.contains("view `view1` has a single block"),
        "{direct}"
    );
    let (is_there, [direct, view, most]) = told(&tables(20, 3, 60, 2, 1), Settings::default());
    assert!(
        is_there && direct.is_empty() && view.is_empty() && most.contains("need 80, 4 each"),
        "{most}"
    );
    let by_views = Settings {
        units: Units::Views,
        ..Settings::default()
    };
    let (is_there, [direct, ..]) = told(&tables(8, 3, 100, 5, 1), by_views);
    assert!(!is_there && direct.contains("there are 3 views"), "{direct}");
    let (is_there, [_, view, most]) = told(&tables(8, 12, 50, 5, 1), by_views);
    assert!(
        is_there && view.contains("one of them") && most.contains("units"),
        "{view} {most}"
    );

    let by_samples = Settings {
        units: Units::Samples,
        ..Settings::default()
    };
    // A series without blocks, each sample much like the one before.
    let mut slow = tables(8, 2, 400, 1, 1);
    for table in &mut slow {
        table.blocks = None;
        for sample in 1..400 {
            for node in 0..8 {
                table.values[sample * 8 + node] += 0.8 * table.values[(sample - 1) * 8 + node];
            }
        }
    }
    let (is_there, [direct, ..]) = told(&slow, by_samples);
    assert!(!is_there && direct.contains("at lag 1"), "{direct}");
    let pieces = asked(&views(&slow), Settings::default());
    assert!(pieces.pooled.is_some() && pieces.views.iter().all(|view| view.are_pieces && view.n_units > 10));
    let short = |table: &Table| Table::new(&table.name, 8, table.values[..60 * 8].to_vec());
    let (is_there, [direct, ..]) = told(&slow.iter().map(short).collect::<Vec<_>>(), Settings::default());
    assert!(!is_there && direct.contains("too short to be cut"), "{direct}");

    // A copy of a node.
    let mut copied = tables(8, 2, 100, 5, 1);
    for table in &mut copied {
        table
            .values
            .chunks_mut(8)
            .for_each(|row| row[7] = 2.0 * row[6] - row[5]);
    }
    let (is_there, [direct, ..]) = told(&copied, Settings::default());
    assert!(!is_there && direct.contains("depend on each other exactly"), "{direct}");

    let refused = Settings {
        level: 0.0,
        ..Settings::default()
    };
    assert!(of_views(&views(&slow), &refused, &no_progress).is_err());
    let stop = |_: &crate::progress::Progress| std::ops::ControlFlow::Break(());
    assert_eq!(
        of_views(&views(&tables(8, 2, 100, 5, 1)), &Settings::default(), &stop),
        Ok(None)
    );
}

#[test]
fn products_of_signals_have_no_units() {
    let gram = |seed: u64| {
        let table = tables(6, 1, 80, 1, seed).remove(0);
        let entry = |a: usize, b: usize| table.values.chunks(6).map(|row| row[a] * row[b]).sum::<f64>();
        let values = (0..36).map(|k| entry(k / 6, k % 6)).collect();
        Table {
            n_samples: Some(80),
            ..Table::new(format!("v{seed}"), 6, values)
        }
    };
    let options = ViewOptions {
        kind: Kind::Gram,
        ..ViewOptions::default()
    };
    let (views, _) = Views::assemble(vec![gram(1), gram(2)], &options).unwrap();
    let direct = asked(&views, Settings::default());
    assert!(direct.pooled.is_none() && direct.absent[0].reason.contains("without the samples"));
}

#[test]
fn nodes_that_a_view_lacks_are_judged_by_the_others() {
    let whole = tables(12, 3, 120, 4, 21);
    let mut masked = whole.clone();
    masked[1] = {
        let values = rows(&whole[1]).into_iter().flat_map(|row| row[..11].to_vec()).collect();
        let names = whole[1].column_names.as_ref().unwrap()[..11].to_vec();
        Table {
            blocks: whole[1].blocks.clone(),
            ..Table::new("view2", 11, values).with_columns(names)
        }
    };
    let options = ViewOptions {
        missing: Missing::Mask,
        ..ViewOptions::default()
    };
    let (masked, _) = Views::assemble(masked, &options).unwrap();
    let found = asked(&masked, Settings::default());
    let expected = asked(&views(&whole), Settings::default());
    let pooled = found.pooled.as_ref().unwrap();
    let mut own = Vec::new();
    for (pair, [_, b]) in Edges::complete(12).pairs().iter().enumerate() {
        assert_eq!(pooled.q_direct[pair].is_nan(), *b == 11);
        assert_eq!(found.views[1].q_view.as_ref().unwrap()[pair].is_nan(), *b == 11);
        assert!(!found.q_most.as_ref().unwrap()[pair].is_nan());
        assert!(found.n_views_at_least.as_ref().unwrap()[pair] <= if *b == 11 { 2 } else { 3 });
        if *b < 11 {
            own.push(pooled.q_direct[pair]);
        }
    }
    assert_eq!(found.views[0].q_view, expected.views[0].q_view);
    assert!(
        found
            .absent
            .iter()
            .any(|absent| absent.column == "q_direct of nodes that some views lack" && absent.reason.contains("n12"))
    );

    // As if nobody had the node.
    let fewer = |table: &Table| {
        let values = rows(table).into_iter().flat_map(|row| row[..11].to_vec()).collect();
        let names = table.column_names.as_ref().unwrap()[..11].to_vec();
        Table {
            blocks: table.blocks.clone(),
            ..Table::new(&table.name, 11, values).with_columns(names)
        }
    };
    let fewer: Vec<Table> = whole.iter().map(fewer).collect();
    assert_eq!(own, asked(&views(&fewer), Settings::default()).pooled.unwrap().q_direct);
}

#[test]
fn independent_nodes_are_called_independent_with_any_number_of_samples() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    // Nodes of very different strength; with 6000 samples, what the constant signal makes is 5 standard errors.
    let noise = |view: usize| {
        let values = (0..2000 * 16).map(|k| (1.0 + (k % 16) as f64 / 8.0) * rng.sample::<f64, _>(StandardNormal));
        Table {
            blocks: Some((0..2000).map(|k| (k / 50).to_string()).collect()),
            ..Table::new(format!("v{view}"), 16, values.collect())
        }
    };
    let noise: Vec<Table> = (0..3).map(noise).collect();
    let direct = asked(&views(&noise), Settings::default());
    assert_eq!(direct.supported(), Vec::<[u32; 2]>::new());
    let pooled = direct.pooled.unwrap();
    assert!(pooled.constant_share > 0.8, "{}", pooled.constant_share);
    let above = pooled.direct_z.iter().filter(|z| **z > 1.645).count();
    assert!(above < 16, "{above} of 120");
    // Signals on a graph have no such part.
    let graph = asked(&views(&tables(16, 3, 2000, 50, 2)), Settings::default())
        .pooled
        .unwrap();
    assert!(graph.constant_share < 0.2, "{}", graph.constant_share);
}

/// A share a little below 1 makes all pairs of many samples look a little dependent: where it is not told from 1, it is 1.
#[test]
fn the_share_of_independent_nodes_is_one() {
    let noise = |seed: u64| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut table = |view: usize| {
            let values = (0..1200 * 20).map(|_| rng.sample(StandardNormal)).collect();
            Table {
                blocks: Some((0..1200).map(|sample| format!("b{:02}", sample / 60)).collect()),
                ..Table::new(format!("view{view}"), 20, values)
            }
        };
        views(&[table(0), table(1)])
    };
    let share = |views: &Views| asked(views, Settings::default()).pooled.unwrap().constant_share;
    let n_whole = (0..20).filter(|&seed| share(&noise(seed)) == 1.0).count();
    assert!(n_whole >= 18, "{n_whole} of 20");
    // Signals on a graph are told from independent ones.
    let graphs = (0..5).map(|seed| share(&views(&tables(20, 2, 1200, 60, seed))));
    assert!(graphs.into_iter().all(|share| share < 0.7));
}
