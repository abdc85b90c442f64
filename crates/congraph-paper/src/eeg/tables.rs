//! What is written of the EEG experiments: a CSV and an SVG each, and words for `summary.md`.

use std::fmt::Write;

use congraph_cli::failure::Failure;
use congraph_io::{Folder, write_text};

use super::communities::Consistency;
use super::recovery::{Learned, Recovery};
use super::scalp::{self, Globe, Picture};
use super::smoothness::{FOLDS, LABELS, METHODS, Smoothness};
use super::{BAND, DENSITY, Data, Results, SIMILARITY, TRIALS, WINDOW};
use crate::chart::{Chart, Line, Panel};
use crate::statistics::Band;

const TRUTHS: [&str; 2] = ["each subject", "all subjects"];

pub(super) fn write(results: &Results, folder: &Folder) -> Result<(), Failure> {
    let data = &results.data;
    if let Some(recovery) = &results.recovery {
        write_text(folder, "eeg-recovery.csv", &recovery_csv(data, recovery))?;
        write_text(folder, "eeg-recovery.svg", &recovery_chart(recovery).svg())?;
    }
    if let Some(smoothness) = &results.smoothness {
        write_text(folder, "eeg-smoothness.csv", &smoothness_csv(data, smoothness))?;
        write_text(folder, "eeg-smoothness.svg", &smoothness_chart(smoothness).svg())?;
    }
    if let Some(found) = &results.communities {
        write_text(folder, "eeg-communities.csv", &communities_csv(data, found))?;
        write_text(folder, "eeg-communities.svg", &communities_picture(data, found))?;
        write_text(folder, "eeg-consistency.csv", &consistency_csv(found))?;
    }
    Ok(())
}

fn recovery_csv(data: &Data, recovery: &Recovery) -> String {
    let mut text = String::from("truth,share,n_trials,method,subject,f1,low,high,density,similarity,alpha,beta\n");
    let names = data.names();
    for (truth, called) in TRUTHS.iter().enumerate() {
        for level in &recovery.levels {
            for point in &level.points[truth] {
                let row = format!("{called},{},{},{}", level.share, level.n_trials, point.learned.name());
                for (name, f1) in names.iter().zip(&point.f1) {
                    let _ = writeln!(text, "{row},{name},{f1},,,,,,");
                }
                let Band { mean, low, high } = Band::of(&point.f1);
                let beta = if point.learned == Learned::SvGl {
                    0.0
                } else {
                    point.parameters.beta
                };
                let _ = writeln!(
                    text,
                    "{row},mean,{mean},{low},{high},{},{},{},{beta}",
                    point.density, point.similarity, point.parameters.alpha
                );
            }
        }
    }
    text
}

fn recovery_chart(recovery: &Recovery) -> Chart {
    let panel = |truth: usize| {
        let line = |learned: Learned| Line {
            label: learned.label().into(),
            points: recovery
                .series(truth, learned)
                .into_iter()
                .map(|(share, f1)| (share, Band::of(f1)))
                .collect(),
        };
        Panel {
            title: format!("{}. truth of {}", ["a", "b"][truth], TRUTHS[truth]),
            x_label: "share ρ of the trials".into(),
            lines: Learned::ALL.map(line).into_iter().collect(),
        }
    };
    Chart {
        title: "Recovery of graphs from few EEG trials".into(),
        y_label: "mean F1 of the subjects".into(),
        logarithmic: false,
        columns: 2,
        panels: vec![panel(0), panel(1)],
    }
}

fn smoothness_csv(data: &Data, smoothness: &Smoothness) -> String {
    let mut text = String::from(
        "density,method,fold,subject,total_variation,relative_variation,low,high,learned_density,similarity\n",
    );
    let names = data.names();
    for density in smoothness.densities() {
        for (method, called) in METHODS.iter().enumerate() {
            for fold in smoothness.folds.iter().filter(|fold| fold.density == density) {
                let found = &fold.methods[method];
                let row = format!("{density},{called},{}", fold.fold + 1);
                let (total, relative) = (Band::of(&found.total), Band::of(&found.relative));
                let _ = writeln!(
                    text,
                    "{row},mean,{},{},{},{},{},{}",
                    total.mean, relative.mean, relative.low, relative.high, found.density, found.similarity
                );
            }
            let series = smoothness.series(method);
            let Some((_, values)) = series.iter().find(|(level, _)| *level == density) else {
                continue;
            };
            for (name, value) in names.iter().zip(values) {
                let _ = writeln!(text, "{density},{called},mean,{name},,{value},,,,");
            }
            let Band { mean, low, high } = Band::of(values);
            let _ = writeln!(text, "{density},{called},mean,mean,,{mean},{low},{high},,");
        }
    }
    text
}

fn smoothness_chart(smoothness: &Smoothness) -> Chart {
    let line = |method: usize| Line {
        label: LABELS[method].into(),
        points: smoothness
            .series(method)
            .into_iter()
            .map(|(density, values)| (density, Band::of(&values)))
            .collect(),
    };
    Chart {
        title: "Held-out EEG trials".into(),
        y_label: "relative total variation".into(),
        logarithmic: false,
        columns: 1,
        panels: vec![Panel {
            title: format!("{FOLDS} folds, one to learn from"),
            x_label: "density of the graphs".into(),
            lines: vec![line(0), line(1)],
        }],
    }
}

fn communities_csv(data: &Data, found: &Consistency) -> String {
    let mut text = String::from("node,x,y,z,consensus_of_mvGL-l1,group_of_svGL\n");
    for (k, (node, [x, y, z])) in data.nodes.iter().zip(&data.positions).enumerate() {
        let _ = writeln!(
            text,
            "{node},{x},{y},{z},{},{}",
            found.partitions[0][k], found.partitions[1][k]
        );
    }
    text
}

fn consistency_csv(found: &Consistency) -> String {
    let mut text = String::from("shared_partition,subject_partitions,mean_nmi,low,high\n");
    for (which, called) in ["consensus of mvGL-l1", "group of svGL"].iter().enumerate() {
        for (of, subjects) in ["mvGL-l1", "svGL"].iter().enumerate() {
            let Band { mean, low, high } = Band::of(&found.nmi[which][of]);
            let _ = writeln!(text, "{called},{subjects},{mean},{low},{high}");
        }
    }
    text
}

fn communities_picture(data: &Data, found: &Consistency) -> String {
    let consensus = found.graph.consensus().unwrap_or_default();
    let edges = found
        .graph
        .pairs()
        .iter()
        .zip(consensus)
        .filter(|(_, weight)| **weight > 0.0)
        .map(|(pair, weight)| (pair.map(|node| node as usize), *weight))
        .collect();
    let group = scalp::matched(&found.partitions[0], &found.partitions[1]);
    let pictures = [
        Picture {
            title: "a. consensus graph of mvGL-ℓ1".into(),
            labels: &found.partitions[0],
            edges,
        },
        Picture {
            title: "b. group partition of the graphs of svGL".into(),
            labels: &group,
            edges: Vec::new(),
        },
    ];
    let title = "Communities shared by the subjects, seen from above";
    scalp::svg(title, &data.nodes, &Globe::of(&data.positions), &pictures)
}

pub(super) fn summary(results: &Results) -> String {
    let data = &results.data;
    let mut text = format!(
        "# The paper's EEG experiments\n\n`{}` (SHA-256 {}): {} subjects, {} electrodes, {} Hz; the first {TRIALS} \
         trials of each, {}:{} Hz, {}:{} s, {}. Density {DENSITY}; β by a similarity of {SIMILARITY}, or of separately \
         learned graphs plus 0.01 where that is more.\n",
        data.name,
        data.sha256,
        data.subjects.len(),
        data.nodes.len(),
        data.sampling_hz,
        BAND[0],
        BAND[1],
        WINDOW[0],
        WINDOW[1],
        if data.is_csd {
            "current source densities"
        } else {
            "average reference"
        }
    );
    if let Some(recovery) = &results.recovery {
        let _ = write!(
            text,
            "\nThe graphs of all trials have densities of {:.3} (each subject) and {:.3} (all together); those of the \
            subjects correlate by {:.3}.\n",
            recovery.densities[0], recovery.densities[1], recovery.similarity
        );
    }
    if let Some(found) = &results.communities {
        let _ = write!(
            text,
            "\nSeparately learned graphs of all trials correlate by {:.3}, those of mvGL-ℓ1 by {:.3}; the consensus \
             has {} communities (modularity {:.3}), the group of svGL's graphs {}{}. Mean NMI with the subjects' \
             communities:\n\n| | mvGL-ℓ1 | svGL |\n| --- | --- | --- |\n",
            found.floor,
            found.graph.similarity().unwrap_or(1.0),
            n_communities(&found.partitions[0]),
            found.modularity,
            n_communities(&found.partitions[1]),
            if found.agreed { "" } else { " (its runs did not agree)" }
        );
        for (which, called) in ["consensus of mvGL-ℓ1", "group of svGL"].iter().enumerate() {
            let [one, two] = [0, 1].map(|of| Band::of(&found.nmi[which][of]).mean);
            let _ = writeln!(text, "| {called} | {one:.3} | {two:.3} |");
        }
    }
    let _ = writeln!(text, "\nSeed of the communities: {}.", results.plan.seed);
    text
}

fn n_communities(labels: &[usize]) -> usize {
    labels.iter().max().map_or(0, |most| most + 1)
}
