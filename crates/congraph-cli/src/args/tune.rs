//! The words of `congraph tune`.

use std::path::PathBuf;

use clap::Args;
use congraph_record::choices::{Method, Signed, TuneRule, ViewCoupling};
use congraph_record::request::{PenaltyRequest, SpectrumRequest};
use congraph_record::{FitRequest, RequestError, TuneRequest};

use super::choices::{choice, choice_of, penalties};
use super::merge::shard;
use super::{InputArgs, OutputArgs};

/// What its help ends with.
pub(super) const AFTER_HELP: &str = "\
Examples:
  congraph tune sub-*.csv -o out
  congraph tune day1.csv day2.csv --blocks 20 -o out
  congraph tune trials.csv --view-column subject --block-column trial --density 0.05:0.40 --similarity 0.6:0.95 -o out
  congraph tune sim/*.csv --truth sim/truth -o out
  congraph tune sim/*.csv --methods smooth,likelihood -o compared
  congraph tune sub-*.csv -o out --shard 2/8      on one of eight machines, and at the end
  congraph merge out.tune-*-of-8.json -o out

out/tune.tsv lists every cell; the chosen fit is written like that of `learn`.";

#[derive(Args, Debug)]
pub(crate) struct TuneArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// Write no report.html
    #[arg(long)]
    pub(crate) no_report: bool,
    /// The densities, from the lowest to the highest [default: a third to three times that of `learn`, and beyond where
    /// the choice by likelihood lies at an end]
    #[arg(long, value_name = "LO:HI", value_parser = range, help_heading = "Path")]
    pub(crate) density: Option<[f64; 2]>,
    /// The similarities, from the lowest to the highest [default: 0.7:0.95, and beyond where the choice by likelihood
    /// lies at an end]
    #[arg(long, value_name = "LO:HI", value_parser = range, help_heading = "Path")]
    pub(crate) similarity: Option<[f64; 2]>,
    /// The true graphs, if they are known, such as `sim/truth`: F1 of every cell
    #[arg(long, value_name = "FOLDER", help_heading = "Path")]
    pub(crate) truth: Option<PathBuf>,
    /// By what a fit is chosen: how likely the other half of the samples is on a view's graph, or which edges reproduce
    /// in it
    #[arg(long, default_value = "likelihood", value_parser = choice::<TuneRule>(), help_heading = "Choice")]
    pub(crate) rule: TuneRule,
    /// By likelihood, the sparsest graphs that keep this share of the best gain are chosen
    #[arg(long, default_value_t = 0.95, value_name = "X", help_heading = "Choice")]
    pub(crate) keep: f64,
    /// How many times every view's samples (or blocks) are halved to judge the fits
    #[arg(
        long,
        default_value_t = 10,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..),
        help_heading = "Choice"
    )]
    pub(crate) halvings: u32,
    /// By stability, the highest instability that the choice may have: the chance that two halves disagree on a pair
    #[arg(long, default_value_t = 0.05, value_name = "X", help_heading = "Choice")]
    pub(crate) threshold: f64,
    /// The seed of the halves
    #[arg(long, default_value_t = 1, help_heading = "Choice")]
    pub(crate) seed: u64,
    /// Resume an interrupted run of the same command where it stopped
    #[arg(long, help_heading = "Choice")]
    pub(crate) resume: bool,
    /// Make one of so many parts of the halvings, and write it to a file beside the folder, for `congraph merge`
    #[arg(long, value_name = "I/K", value_parser = shard, conflicts_with = "resume", help_heading = "Choice")]
    pub(crate) shard: Option<[usize; 2]>,
    /// Compare methods instead, by the likelihood of samples that were held out: which explains the data best, and by
    /// how much?
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "METHOD,…",
        value_parser = choice::<Method>(),
        conflicts_with_all = ["density", "similarity", "truth", "resume"],
        help_heading = "Choice"
    )]
    pub(crate) methods: Vec<Method>,
    /// How a view's departure from the consensus is charged
    #[arg(long, default_value = "l1", value_parser = penalties(), help_heading = "Model")]
    pub(crate) penalty: String,
    /// What each view is drawn to: the consensus, its neighbours in the order in which views are given, or every other view
    #[arg(long, default_value = "consensus", value_parser = choice::<ViewCoupling>(), help_heading = "Model")]
    pub(crate) coupling: ViewCoupling,
    /// With subjects, how strongly their graphs are drawn to the consensus: 1 is one consensus for all views, near 0 one
    /// for each subject [default: 0.5]
    #[arg(long, allow_negative_numbers = true, value_name = "R", help_heading = "Model")]
    pub(crate) subject_share: Option<f64>,
    /// How far to whiten the signals first: their singular values are taken to this power, from 0.05 to 1. `auto` chooses
    /// it by held-out likelihood
    #[arg(
        long,
        allow_negative_numbers = true,
        default_value = "1",
        value_name = "A|auto",
        help_heading = "Model"
    )]
    pub(crate) spectrum: String,
    /// Give every pair of nodes a negative edge beside the positive one: weights below 0 for opposite signals
    #[arg(
        long,
        default_value = "no",
        default_missing_value = "yes",
        num_args = 0..=1,
        require_equals = true,
        value_parser = choice_of(&[Signed::No, Signed::Yes]),
        help_heading = "Model"
    )]
    pub(crate) signed: Signed,
    /// The relative gap at which a fit counts as converged
    #[arg(long, default_value = "1e-8", value_name = "GAP", help_heading = "Solver")]
    pub(crate) tol: f64,
    /// How much memory may be used, in GiB [default: half of what is free]
    #[arg(long, value_name = "GIB", help_heading = "Solver")]
    pub(crate) memory: Option<f64>,
}

impl TuneArgs {
    /// What is asked of the path and its fits.
    pub(crate) fn request(&self) -> Result<TuneRequest, RequestError> {
        let scaling = &self.input.scaling;
        Ok(TuneRequest {
            fit: FitRequest {
                penalty: PenaltyRequest::Named(self.penalty.clone()),
                coupling: self.coupling,
                subjects: self.input.subjects.are_told(),
                subject_share: self.subject_share,
                // γ is 0 all along the path: nothing is asked of the consensus itself.
                regulariser: "none".into(),
                signed: self.signed,
                tol: self.tol,
                memory: self.memory,
                scale: scaling.scale,
                spectrum: SpectrumRequest::of_word(&self.spectrum)?,
                sample_norm: scaling.sample_norm,
                distance_norm: scaling.distance_norm,
                ..FitRequest::default()
            },
            density: self.density,
            similarity: self.similarity,
            rule: self.rule,
            keep: self.keep,
            halvings: self.halvings as usize,
            threshold: self.threshold,
            seed: self.seed,
        })
    }
}

/// Two shares with a colon between them, the smaller first.
fn range(text: &str) -> Result<[f64; 2], String> {
    let wrong = || "two numbers above 0 and at most 1 are needed, the smaller first, such as 0.05:0.40".to_owned();
    let (low, high) = text.split_once(':').ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
    let (low, high) = (number(low)?, number(high)?);
    if low > 0.0 && low <= high && high <= 1.0 {
        Ok([low, high])
    } else {
        Err(wrong())
    }
}
