//! The methods paragraphs of how sure edges are and who differs, and what to cite for them.

use congraph_record::findings::{Findings, KnownComparison, KnownStability};

use crate::words::{self, plural, range, significant};

const CHANCE_PICKS: &str = "R. D. Shah and R. J. Samworth, “Variable selection with error control: another look at \
    stability selection”, Journal of the Royal Statistical Society: Series B 75(1), 55–80, 2013.";
const SELECTION: &str = "N. Meinshausen and P. Bühlmann, “Stability selection”, Journal of the Royal Statistical \
    Society: Series B 72(4), 417–473, 2010.";
const DISCOVERIES: &str = "Y. Benjamini and Y. Hochberg, “Controlling the false discovery rate: a practical and powerful \
    approach to multiple testing”, Journal of the Royal Statistical Society: Series B 57(1), 289–300, 1995.";
const CONJUNCTIONS: &str =
    "Y. Benjamini and R. Heller, “Screening for partial conjunction hypotheses”, Biometrics 64(4), 1215–1222, 2008.";
const COMPONENTS: &str = "A. Zalesky, A. Fornito and E. T. Bullmore, “Network-based statistic: identifying differences in \
    brain networks”, NeuroImage 53(4), 1197–1207, 2010.";
const PERMUTATIONS: &str = "A. M. Winkler, G. R. Ridgway, M. A. Webster, S. M. Smith and T. E. Nichols, “Permutation \
    inference for the general linear model”, NeuroImage 92, 381–397, 2014.";
const COVARIATES: &str = "D. Freedman and D. Lane, “A nonstochastic interpretation of reported significance levels”, \
    Journal of Business & Economic Statistics 1(4), 292–298, 1983.";

/// What to cite for what was asked.
pub(super) fn references(findings: &Findings) -> Vec<&'static str> {
    let mut references = Vec::new();
    if let Some(found) = &findings.known.stability {
        references.push(SELECTION);
        if found.record.bounds.is_some() {
            references.push(CHANCE_PICKS);
        }
        if found.has("q_direct") || found.has("q_most") {
            references.push(DISCOVERIES);
        }
        if found.has("n_views_at_least") {
            references.push(CONJUNCTIONS);
        }
    }
    if let Some(found) = &findings.known.comparison {
        references.push(PERMUTATIONS);
        if is_asked(found, "components") {
            references.push(COMPONENTS);
        }
        if !found.record.covariates.is_empty() {
            references.push(COVARIATES);
        }
    }
    references
}

/// What was asked, exactly.
pub(super) fn paragraphs(findings: &Findings) -> Vec<String> {
    let known = &findings.known;
    let sure = known.stability.as_ref().map(|found| stability(findings, found));
    sure.into_iter()
        .chain(known.comparison.as_ref().map(comparison))
        .collect()
}

fn stability(findings: &Findings, found: &KnownStability) -> String {
    let record = &found.record;
    let counts = range(record.n_units.0.iter().map(|(_, n)| *n as f64));
    let units = match record.units.as_str() {
        "views" => format!("the {counts} views"),
        units => format!("the {counts} {units} of each view"),
    };
    let mut text = format!(
        "How sure edges are: {} were halved at random, {} (complementary pairs; Meinshausen and Bühlmann 2010{}), and both \
         halves were fitted as the whole was, with the same parameters, scaled by themselves. The frequency of an edge is \
         the share of these {} graphs that have it; the standard error of a weight is half the root mean square difference \
         between the halves of a pair.",
        units,
        plural(record.pairs, "time"),
        if record.bounds.is_some() {
            "; Shah and Samworth 2013"
        } else {
            ""
        },
        2 * record.pairs
    );
    if record.calibration.consensus.is_some() || record.calibration.views.is_some() {
        text += " Frequencies were calibrated within the data: five times halved, each half was halved again in ten pairs, and \
                 the presence of edges in a fit to the other half was regressed on their frequency by isotonic regression, for \
                 the consensus and the views apart. That curve is of half of the samples. The probability that an edge comes \
                 back has the mean of two log-odds: its own, and that of a model in which halves are the whole with normal noise \
                 and the strengths of all pairs have the likeliest distribution; both were moved to expect as many edges as the \
                 fit has.";
    }
    if let Some(row) = found.bound(0.9) {
        text += &format!(
            " Of the {} in at least 90 % of the halves, at most {} are expected to be chance picks of the halving (edges whose \
             chance in a half is at most the share of pairs that a half joins; by the r-concave bound of Shah and Samworth).",
            plural(row.selected, "edge"),
            significant(row.chance_picks)
        );
    }
    text + &direct(findings, found)
}

fn direct(findings: &Findings, found: &KnownStability) -> String {
    let (Some(record), Some(level)) = (found.record.direct, found.level()) else {
        return String::new();
    };
    let what = match found.record.units.as_str() {
        "views" => "views",
        "samples" => "samples of each view",
        _ => "blocks of each view",
    };
    let mut text = format!(
        " Direct dependence was asked of all {} of nodes, apart from the graphs: the covariances of the views over their \
         traces{} were averaged, without the signal that all nodes share, and Fisher's z of each partial correlation was \
         divided by its standard error from a stratified jackknife that deletes the {what} one by one{}. One-sided p were \
         turned into q over all pairs (Benjamini and Hochberg 1995).",
        plural(findings.graph.n_pairs(), "pair"),
        if record.zscored {
            ", nodes z-scored in each view,"
        } else {
            ""
        },
        record
            .degrees_of_freedom
            .map_or_else(String::new, |df| format!(" ({} degrees of freedom)", significant(df)))
    );
    if found.has("q_most") {
        text += " The same was asked of the median over views (q_most).";
    }
    if found.has("n_views_at_least") {
        text += " In how many views at least a pair depends directly is bounded by partial conjunctions (Benjamini and Heller \
                 2008).";
    }
    if let Some(support) = &findings.verdict.support {
        text += &format!(
            " At q ≤ {level}, {} of {} are supported.",
            support.n_supported,
            plural(support.n_asked, "edge")
        );
    }
    text
}

fn is_asked(found: &KnownComparison, measure: &str) -> bool {
    found.record.measures.iter().any(|one| one == measure)
}

fn comparison(found: &KnownComparison) -> String {
    let record = &found.record;
    let groups: Vec<String> = record
        .groups
        .iter()
        .map(|group| format!("{} ({})", group.name, plural(group.n_views, "view")))
        .collect();
    let statistic = match (record.statistic.as_str(), record.n_pairs, record.groups.len()) {
        ("t", Some(_), _) => "paired t of its weights",
        ("t", None, 2) => "Student's t of its weights",
        ("t", None, _) => "F of its weights",
        ("presence", Some(_), _) => "McNemar's z of its presence",
        ("presence", None, _) => "rank statistic of its presence",
        (_, Some(_), _) => "signed-rank z of its weights",
        (_, None, 2) => "rank-sum z of its weights, on midranks",
        _ => "Kruskal and Wallis's H of its weights",
    };
    let (relabelling, exact) = match record.n_pairs {
        Some(n) => (format!("exchanges within {}", plural(n, "pair")), record.exact),
        None => ("permutations of the labels".into(), record.exact),
    };
    let mut text = format!(
        "Who differs: {} were compared on the weights of one fit of all views together, which did not know the labels. Each of \
         {} that at least two views have was judged by the {statistic}, and p values are the shares of {}{} {relabelling} \
         (seed {}) whose largest statistic over all edges reaches its own (max-T; Winkler et al. 2014).",
        words::listed(&groups),
        plural(record.n_edges, "edge"),
        if exact { "all " } else { "" },
        record.permutations,
        record.seed
    );
    if is_asked(found, "components") {
        text += &format!(
            " Components are connected edges whose statistic is above {}{}, judged by their intensity, the sum of what they \
             exceed it by, against the largest of each relabelling (network-based statistic; Zalesky, Fornito and Bullmore \
             2010).",
            significant(record.threshold),
            if record.threshold_lowered {
                " (the largest threshold, to two digits, that at least half of the relabellings exceed)"
            } else {
                ""
            }
        );
    }
    let others: Vec<&str> = record
        .measures
        .iter()
        .map(String::as_str)
        .filter(|word| !matches!(*word, "edges" | "components"))
        .collect();
    if !others.is_empty() {
        text += &format!(" The same was done for {}.", words::listed(&others));
    }
    if !record.covariates.is_empty() {
        text += &format!(
            " {} {} taken out by the method of Freedman and Lane (1983).",
            words::listed(&record.covariates),
            if record.covariates.len() == 1 { "was" } else { "were" }
        );
    }
    if let Some(n) = record.equalised_to {
        text += &format!(
            " Every view was given {} by one draw, and all were learned again, before.",
            plural(n, "sample")
        );
    }
    text
}
