//! A grid search that is the same for every method: a coarse grid in equal ratios, longer where the best is at its end,
//! then twice finer around the best.

/// How often the grid grows past an end.
const GROWTHS: usize = 8;
/// How often the ratio is halved around the best.
const REFINEMENTS: usize = 2;

/// What was tried at one value: what it scored, by as many rules as there are.
struct Tried<T, const RULES: usize> {
    value: f64,
    /// None where the value cannot be used.
    outcome: Option<([f64; RULES], T)>,
}

/// The outcome with the best score by each rule; the smallest value of equals. `trial` is given the outcome at the
/// value tried before it, to start from.
pub(super) fn search<T, E, const RULES: usize>(
    coarse: &[f64],
    mut trial: impl FnMut(f64, Option<&T>) -> Result<Option<([f64; RULES], T)>, E>,
) -> Result<[Option<T>; RULES], E>
where
    T: Clone,
{
    let mut tried: Vec<Tried<T, RULES>> = Vec::new();
    let mut at = |value: f64, tried: &mut Vec<Tried<T, RULES>>| -> Result<(), E> {
        // Warm start: what was found at the nearest value, by ratio.
        let nearest = tried.iter().filter(|tried| tried.outcome.is_some()).min_by(|one, two| {
            let far = |tried: &Tried<T, RULES>| (tried.value / value).ln().abs();
            far(one).total_cmp(&far(two))
        });
        let beside = nearest.and_then(|tried| tried.outcome.as_ref()).map(|(_, found)| found);
        let outcome = trial(value, beside)?;
        let place = tried.partition_point(|other| other.value < value);
        tried.insert(place, Tried { value, outcome });
        Ok(())
    };
    // Step 1: the coarse grid.
    for &value in coarse {
        at(value, &mut tried)?;
    }
    let mut ratio = match coarse {
        [first, second, ..] => second / first,
        _ => 1.5,
    };
    // Step 2: longer, as long as the best is at an end.
    for rule in 0..RULES {
        for _ in 0..GROWTHS {
            let next = match best(&tried, rule) {
                Some(0) => tried[0].value / ratio,
                Some(last) if last + 1 == tried.len() => tried[last].value * ratio,
                _ => break,
            };
            at(next, &mut tried)?;
        }
    }
    // Step 3: finer around the best of each rule.
    for _ in 0..REFINEMENTS {
        ratio = ratio.sqrt();
        for rule in 0..RULES {
            let Some(best) = best(&tried, rule) else { continue };
            let value = tried[best].value;
            for next in [value / ratio, value * ratio] {
                let is_new = tried
                    .iter()
                    .all(|other| (other.value / next).ln().abs() > 0.1 * ratio.ln());
                if is_new {
                    at(next, &mut tried)?;
                }
            }
        }
    }
    Ok(std::array::from_fn(|rule| {
        let found = &tried[best(&tried, rule)?];
        found.outcome.as_ref().map(|(_, found)| found.clone())
    }))
}

fn best<T, const RULES: usize>(tried: &[Tried<T, RULES>], rule: usize) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (place, tried) in tried.iter().enumerate() {
        if let Some((scores, _)) = &tried.outcome
            && best.is_none_or(|(_, score)| scores[rule] > score)
        {
            best = Some((place, scores[rule]));
        }
    }
    best.map(|(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(peaks: [f64; 2], coarse: &[f64]) -> [f64; 2] {
        let trial = |x: f64, _: Option<&f64>| Ok::<_, ()>(Some((peaks.map(|peak| -(x / peak).ln().abs()), x)));
        search(coarse, trial).unwrap().map(Option::unwrap)
    }

    #[test]
    fn the_best_is_found_to_a_quarter_of_a_step_inside_the_grid_and_beyond() {
        for peak in [0.9, 3.3, 27.0, 0.05] {
            let [x, y] = found([peak, 5.0], &[1.0, 2.0, 4.0, 8.0]);
            assert!((x / peak).ln().abs() <= 2.0_f64.ln() / 8.0 + 1e-12, "{peak}: {x}");
            assert!((y / 5.0).ln().abs() <= 2.0_f64.ln() / 8.0 + 1e-12);
        }
    }

    #[test]
    fn values_that_cannot_be_used_are_passed_over() {
        let trial = |x: f64, _: Option<&f64>| Ok::<_, ()>((x > 3.0).then_some(([-x], x)));
        let [x] = search(&[1.0, 2.0, 4.0, 8.0], trial).unwrap();
        assert!(x.unwrap() > 3.0);
        let [none] = search(&[1.0, 2.0], |_: f64, _: Option<&f64>| {
            Ok::<_, ()>(None::<([f64; 1], f64)>)
        })
        .unwrap();
        assert!(none.is_none());
    }
}
