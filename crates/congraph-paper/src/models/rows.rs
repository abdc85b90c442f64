//! What came of every method on every data set, one line each. The same lines are the checkpoint of the study.

use super::oracle::Found;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contender {
    Smooth,
    SmoothAbove,
    Spectrum,
    SpectrumAbove,
    Joint,
    JointAbove,
    LikelihoodAbove,
    Likelihood,
}

impl Contender {
    pub(super) const ALL: [Self; 8] = [
        Self::Smooth,
        Self::SmoothAbove,
        Self::Spectrum,
        Self::SpectrumAbove,
        Self::Joint,
        Self::JointAbove,
        Self::LikelihoodAbove,
        Self::Likelihood,
    ];

    /// The name in tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Smooth => "smooth",
            Self::SmoothAbove => "smooth+thr",
            Self::Spectrum => "spectrum",
            Self::SpectrumAbove => "spectrum+thr",
            Self::Joint => "JGL-negative",
            Self::JointAbove => "JGL-negative+thr",
            Self::LikelihoodAbove => "likelihood+oracle",
            Self::Likelihood => "likelihood",
        }
    }

    /// The name for readers.
    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Smooth => "smooth",
            Self::SmoothAbove => "smooth + thr",
            Self::Spectrum => "spectrum ½",
            Self::SpectrumAbove => "spectrum ½ + thr",
            Self::Joint => "fused JGL, negative",
            Self::JointAbove => "fused JGL, negative + thr",
            Self::LikelihoodAbove => "likelihood, oracle b and thr",
            Self::Likelihood => "**likelihood, no oracle**",
        }
    }
}

/// One method on one data set.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub(super) setting: String,
    pub(super) seed: u64,
    pub(super) contender: Contender,
    pub(super) view_f1: f64,
    pub(super) consensus_f1: f64,
    pub(super) density: f64,
    pub(super) threshold: f64,
    /// α and β, λ1 and λ2, or q and b.
    pub(super) parameters: [f64; 2],
    /// Whether the best is inside the grid.
    pub(super) is_inside: bool,
    /// How many of the method's fits did not converge.
    pub(super) unconverged: usize,
}

pub(super) const COLUMNS: [&str; 11] = [
    "setting",
    "seed",
    "method",
    "view_f1",
    "consensus_f1",
    "density",
    "threshold",
    "parameter1",
    "parameter2",
    "grid",
    "unconverged",
];
const INSIDE: &str = "inside";
const AT_END: &str = "at its end";

impl Row {
    pub(super) fn of(setting: &str, seed: u64, contender: Contender, found: &Found, unconverged: usize) -> Self {
        Self {
            setting: setting.into(),
            seed,
            contender,
            view_f1: found.scored.view_f1,
            consensus_f1: found.scored.consensus_f1,
            density: found.scored.density,
            threshold: found.scored.threshold,
            parameters: found.parameters,
            is_inside: found.is_inside,
            unconverged,
        }
    }

    pub(super) fn cells(&self) -> Vec<String> {
        let [one, two] = self.parameters;
        let numbers = [self.view_f1, self.consensus_f1, self.density, self.threshold, one, two];
        let mut cells = vec![
            self.setting.clone(),
            self.seed.to_string(),
            self.contender.name().into(),
        ];
        cells.extend(numbers.map(|number| number.to_string()));
        cells.push(if self.is_inside { INSIDE } else { AT_END }.into());
        cells.push(self.unconverged.to_string());
        cells
    }

    /// None of a line that is not whole.
    fn from_line(line: &str) -> Option<Self> {
        let cells: Vec<&str> = line.split('\t').collect();
        let [
            setting,
            seed,
            method,
            view,
            consensus,
            density,
            threshold,
            one,
            two,
            grid,
            unconverged,
        ] = cells[..]
        else {
            return None;
        };
        Some(Self {
            setting: setting.into(),
            seed: seed.parse().ok()?,
            contender: Contender::ALL
                .into_iter()
                .find(|contender| contender.name() == method)?,
            view_f1: view.parse().ok()?,
            consensus_f1: consensus.parse().ok()?,
            density: density.parse().ok()?,
            threshold: threshold.parse().ok()?,
            parameters: [one.parse().ok()?, two.parse().ok()?],
            is_inside: match grid {
                INSIDE => true,
                AT_END => false,
                _ => return None,
            },
            unconverged: unconverged.parse().ok()?,
        })
    }
}

/// The lines of rows, without a header.
pub(super) fn lines(rows: &[Row]) -> String {
    rows.iter().map(|row| row.cells().join("\t") + "\n").collect()
}

/// The rows of data sets that are whole: an interrupted run may have left a line, or a data set, half written.
pub(super) fn whole(text: &str) -> Vec<Row> {
    let complete = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut rows: Vec<Row> = Vec::new();
    for row in complete.lines().filter_map(Row::from_line) {
        let is_same =
            |other: &Row| (&other.setting, other.seed, other.contender) == (&row.setting, row.seed, row.contender);
        if !rows.iter().any(is_same) {
            rows.push(row);
        }
    }
    let count = |row: &Row| {
        let is_of = |other: &&Row| (&other.setting, other.seed) == (&row.setting, row.seed);
        rows.iter().filter(is_of).count()
    };
    rows.iter()
        .filter(|row| count(row) == Contender::ALL.len())
        .cloned()
        .collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Rows of one data set in which each method has its own scores.
    pub(crate) fn data_set(setting: &str, seed: u64, scores: impl Fn(Contender) -> [f64; 2]) -> Vec<Row> {
        let row = |contender| {
            let [view_f1, consensus_f1] = scores(contender);
            Row {
                setting: setting.into(),
                seed,
                contender,
                view_f1,
                consensus_f1,
                density: 0.1,
                threshold: 1.0 / 3.0,
                parameters: [1e-5, 2.0],
                is_inside: contender != Contender::Joint,
                unconverged: 3,
            }
        };
        Contender::ALL.into_iter().map(row).collect()
    }

    #[test]
    fn whole_data_sets_are_read_again_and_halves_left_out() {
        let one = data_set("P1-500", 70_001, |_| [0.1 + 0.2, 0.9]);
        let two = data_set("P1-100", 70_001, |_| [0.5, 0.6]);
        let text = lines(&one) + &lines(&two);
        assert_eq!(whole(&text), [one.clone(), two.clone()].concat());
        assert_eq!(whole(&(COLUMNS.join("\t") + "\n" + &text)), [one.clone(), two].concat());
        // Cut within the last line, and twice the same.
        assert_eq!(whole(&text[..text.len() - 1]), one);
        assert_eq!(whole(&(lines(&one) + &lines(&one))), one);
        assert_eq!(whole("nothing"), []);
    }
}
