//! What the paper says about its EEG experiments, judged on the epochs at hand.
//!
//! Levels are compared by the mean over the subjects of paired differences, as in the simulated experiments. Where
//! there is but one comparison, of communities, the difference must be beyond its 95 % band: some are in the fifth
//! decimal.

use super::communities::Consistency;
use super::recovery::{Learned, Recovery};
use super::scalp::Globe;
use super::smoothness::Smoothness;
use super::{Data, Results};
use crate::claims::{Claim, SIMILAR};
use crate::statistics::Band;

/// A community is around a place if its middle is at most this far from it, in metres: about the distance between
/// neighbours of the 10-10 system.
const NEAR: f64 = 0.035;
/// Where the paper finds communities: around one of these electrodes each.
const REGIONS: [(&str, &[&str]); 5] = [
    ("frontal-central", &["FCz", "Fz"]),
    ("left lateral prefrontal", &["F7", "F5"]),
    ("right lateral prefrontal", &["F8", "F6"]),
    ("visual", &["Oz", "POz"]),
    ("motor", &["Cz", "C3", "C4", "CPz"]),
];

pub(super) fn all(results: &Results) -> Vec<Claim> {
    let mut claims = Vec::new();
    if let Some(recovery) = &results.recovery {
        claims.extend(of_recovery(recovery));
    }
    if let Some(smoothness) = &results.smoothness {
        claims.push(of_smoothness(smoothness));
    }
    if let Some(communities) = &results.communities {
        claims.extend(of_communities(&results.data, communities));
    }
    claims
}

fn claim(id: &str, sentence: &str, figure: &str, (holds, numbers): (bool, String)) -> Claim {
    Claim {
        id: id.into(),
        sentence: sentence.into(),
        figure: figure.into(),
        holds,
        numbers,
    }
}

/// Whether the mean of one − two is fine at every level that is asked about, with its band.
fn differences<S: AsRef<[f64]>>(
    symbol: &str,
    one: &[(f64, S)],
    two: &[(f64, S)],
    about: impl Fn(f64) -> bool,
    is_fine: impl Fn(f64) -> bool,
) -> (bool, String) {
    let mut holds = true;
    let mut said = Vec::new();
    for ((level, one), (_, two)) in one.iter().zip(two).filter(|((level, _), _)| about(*level)) {
        let band = Band::of_differences(one.as_ref(), two.as_ref());
        holds &= is_fine(band.mean);
        said.push(format!(
            "{symbol} = {level}: {:+.3} ({:+.3} to {:+.3})",
            band.mean, band.low, band.high
        ));
    }
    (holds, said.join(", "))
}

fn both(names: [&str; 2], one: &(bool, String), two: &(bool, String)) -> (bool, String) {
    (
        one.0 && two.0,
        format!("{} {}; {} {}", names[0], one.1, names[1], two.1),
    )
}

/// The panels against each subject's own graph, and against one graph of all.
const RECOVERY: [&str; 2] = ["eeg-recovery a", "eeg-recovery b"];
const ABOVE: fn(f64) -> bool = |difference| difference > 0.0;
const EVERYWHERE: fn(f64) -> bool = |_| true;

fn of_recovery(recovery: &Recovery) -> Vec<Claim> {
    let mut claims = against_own_graphs(recovery);
    claims.extend(against_one_graph(recovery));
    claims
}

/// The differences of two methods, at the shares ρ of the trials that are asked about.
fn compared(
    recovery: &Recovery,
    truth: usize,
    one: Learned,
    two: Learned,
    about: fn(f64) -> bool,
    is_fine: fn(f64) -> bool,
) -> (bool, String) {
    differences(
        "ρ",
        &recovery.series(truth, one),
        &recovery.series(truth, two),
        about,
        is_fine,
    )
}

fn against_own_graphs(recovery: &Recovery) -> Vec<Claim> {
    vec![
        claim(
            "E1",
            "against each subject's own graph, mvGL-ℓ1 has higher performance than svGL for ρ up to 0.3",
            RECOVERY[0],
            compared(
                recovery,
                0,
                Learned::MvGl1,
                Learned::SvGl,
                |share| share <= 0.3 + 1e-9,
                ABOVE,
            ),
        ),
        claim(
            "E2",
            "for ρ > 0.3 mvGL-ℓ1 and svGL become similar to each other",
            RECOVERY[0],
            compared(
                recovery,
                0,
                Learned::MvGl1,
                Learned::SvGl,
                |share| share > 0.3 + 1e-9,
                |difference| difference.abs() <= SIMILAR,
            ),
        ),
        claim(
            "E3",
            "the consensus graph performs worse than the subjects' graphs of mvGL-ℓ1 and svGL",
            RECOVERY[0],
            both(
                ["below mvGL-ℓ1 by", "below svGL by"],
                &compared(recovery, 0, Learned::MvGl1, Learned::Consensus, EVERYWHERE, ABOVE),
                &compared(recovery, 0, Learned::SvGl, Learned::Consensus, EVERYWHERE, ABOVE),
            ),
        ),
    ]
}

fn against_one_graph(recovery: &Recovery) -> Vec<Claim> {
    vec![
        claim(
            "E4",
            "against one graph of all subjects, mvGL-ℓ1 has much higher performance than svGL for all ρ",
            RECOVERY[1],
            compared(recovery, 1, Learned::MvGl1, Learned::SvGl, EVERYWHERE, |difference| {
                difference > SIMILAR
            }),
        ),
        claim(
            "E5",
            "the consensus graph of mvGL-ℓ1 has the highest F1",
            RECOVERY[1],
            both(
                ["above mvGL-ℓ1 by", "above svGL by"],
                &compared(recovery, 1, Learned::Consensus, Learned::MvGl1, EVERYWHERE, ABOVE),
                &compared(recovery, 1, Learned::Consensus, Learned::SvGl, EVERYWHERE, ABOVE),
            ),
        ),
    ]
}

fn of_smoothness(smoothness: &Smoothness) -> Claim {
    let [alone, together] = [0, 1].map(|method| smoothness.series(method));
    claim(
        "E6",
        "held-out data have lower total variation on the subjects' graphs of mvGL-ℓ1 than on those of svGL",
        "eeg-smoothness",
        differences("density", &together, &alone, |_| true, |difference| difference < 0.0),
    )
}

fn of_communities(data: &Data, found: &Consistency) -> Vec<Claim> {
    let more = |of: usize| {
        let [consensus, group] = [0, 1].map(|which| &found.nmi[which][of]);
        let band = Band::of_differences(consensus, group);
        let [one, two] = [consensus, group].map(|values| Band::of(values).mean);
        (
            band.low > 0.0,
            format!(
                "mean NMI {one:.3} against {two:.3}, {:+.3} ({:+.3} to {:+.3})",
                band.mean, band.low, band.high
            ),
        )
    };
    vec![
        claim(
            "E7",
            "communities of the consensus graph are more consistent with those of mvGL-ℓ1's subject graphs than the \
             group partition of svGL's",
            "eeg-consistency",
            more(0),
        ),
        claim(
            "E8",
            "communities of the consensus graph are more consistent with those of svGL's subject graphs than the group \
             partition of svGL's",
            "eeg-consistency",
            more(1),
        ),
        claim(
            "E9",
            "there are communities around frontal-central, left and right lateral prefrontal, visual and motor regions \
             (of an error task)",
            "eeg-communities",
            regions(data, found),
        ),
    ]
}

/// How far the middle of the nearest community is from each region.
fn regions(data: &Data, found: &Consistency) -> (bool, String) {
    let globe = Globe::of(&data.positions);
    let labels = &found.partitions[0];
    let n = labels.iter().max().map_or(0, |most| most + 1);
    let of = |community: usize| (0..labels.len()).filter(move |&node| labels[node] == community);
    let middles: Vec<[f64; 3]> = (0..n).map(|community| globe.middle(of(community))).collect();
    let mut holds = true;
    let mut said = Vec::new();
    for (region, electrodes) in REGIONS {
        let own = (0..labels.len()).filter(|&node| electrodes.contains(&data.nodes[node].as_str()));
        let far = own.flat_map(|node| middles.iter().map(move |middle| (node, *middle)));
        let nearest = far
            .map(|(node, middle)| globe.far(node, middle))
            .fold(f64::INFINITY, f64::min);
        holds &= nearest <= NEAR;
        said.push(format!("{region} {:.0} mm", 1000.0 * nearest));
    }
    let said = said.join(", ");
    (
        holds,
        format!(
            "{n} communities; from the nearest middle of one to {said} (near: {:.0} mm)",
            1000.0 * NEAR
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_judged_by_the_mean_of_paired_differences() {
        let one = [(0.1, vec![0.5, 0.7]), (0.4, vec![0.6, 0.6])];
        let two = [(0.1, vec![0.4, 0.6]), (0.4, vec![0.7, 0.6])];
        let (holds, said) = differences("ρ", &one, &two, |level| level < 0.3, |difference| difference > 0.0);
        assert!(holds && said.starts_with("ρ = 0.1: +0.100 ("), "{said}");
        assert!(!differences("ρ", &one, &two, |_| true, |difference| difference > 0.0).0);
    }
}
