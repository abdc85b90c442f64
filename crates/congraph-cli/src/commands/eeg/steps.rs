//! What is done to every recording: from the options to the library's settings, and to the story that run.json tells.

use std::path::Path;

use congraph::{Code, DataError, Error, list_names};
use congraph_eeg::{Annotation, Band, Cut, Reference, Settings, SplineSettings};
use congraph_io::{Entity, Grouping};
use serde_json::{Value, json};

use crate::args::{EegArgs, ViewsByArg};
use crate::failure::Failure;
use crate::usage::check_value;

/// What epochs are cut around.
enum Around {
    /// The only kind of event that there is.
    TheOnly,
    /// Every event.
    All,
    These(Vec<String>),
    /// Nothing: the recording from end to end.
    Every(f64),
}

impl Around {
    fn asked(args: &EegArgs) -> Result<Self, Failure> {
        Ok(match (&args.events[..], args.window, args.every) {
            ([], None, every) => {
                let seconds = every.unwrap_or(1.0);
                check_value("--every", seconds, seconds > 0.0, "finite and positive")?;
                Self::Every(seconds)
            }
            ([], Some(_), _) => Self::TheOnly,
            (events, None, _) => {
                return Err(Failure::usage(
                    format!(
                        "--events {} says what to cut around, but not how much",
                        events.join(",")
                    ),
                    "add the seconds to learn from, such as `--window 0:0.5`",
                ));
            }
            ([all], Some(_), _) if all == "all" => Self::All,
            (events, Some(_), _) => Self::These(events.to_vec()),
        })
    }
}

/// Refuses numbers that are out of their range whatever the recordings are.
fn check_numbers(args: &EegArgs) -> Result<(), Failure> {
    if let Some([low, high]) = args.band {
        check_value(
            &format!("the lower edge of --band {low}:{high}"),
            low,
            low > 0.0,
            "finite and above 0 Hz",
        )?;
    }
    if let Some(limit) = args.reject {
        check_value("--reject", limit, limit > 0.0, "finite and positive")?;
    }
    if args.first == Some(0) {
        return Err(Failure::usage("--first is 0; at least one trial must be kept", ""));
    }
    Ok(())
}

/// The settings of all recordings. Which channels are bad and what is cut around is known of each alone.
fn settings(args: &EegArgs) -> Settings {
    let reference = match &args.reference[..] {
        [one] if one == "recorded" => Reference::Recorded,
        [one] if one == "average" => Reference::Average,
        names => Reference::Channels(names.to_vec()),
    };
    Settings {
        channels: (!args.channels.is_empty()).then(|| args.channels.clone()),
        bads: Vec::new(),
        reference,
        csd: args.csd.then(|| SplineSettings {
            lambda2: args.csd_lambda,
            stiffness: args.csd_stiffness,
            ..SplineSettings::default()
        }),
        band: args.band.map(|[low_hz, high_hz]| Band {
            low_hz,
            high_hz,
            order: args.filter_order,
        }),
        cut: Cut::Every(1.0),
        epoch: args.epoch,
        baseline: args.baseline,
        reject_microvolts: args.reject,
        window: args.window.unwrap_or_default(),
    }
}

pub(super) struct Steps {
    pub(super) grouping: Grouping,
    settings: Settings,
    around: Around,
    bads: Vec<String>,
    pub(super) events_column: Option<String>,
    /// How many trials of each view are kept.
    pub(super) first: Option<usize>,
    /// Whether recordings without trials are left out.
    pub(super) drop_empty: bool,
}

impl Steps {
    pub(super) fn new(args: &EegArgs) -> Result<Self, Failure> {
        let around = Around::asked(args)?;
        check_numbers(args)?;
        Ok(Self {
            grouping: grouping(args),
            settings: settings(args),
            around,
            bads: args.bad.clone(),
            events_column: args.events_column.clone(),
            first: args.first,
            drop_empty: args.drop_empty,
        })
    }

    /// The settings for one recording: its bad channels, and what is cut around of what is there.
    pub(super) fn settings(&self, file: &str, bads: Vec<String>, events: &[Annotation]) -> Result<Settings, Error> {
        let cut = match &self.around {
            Around::Every(seconds) => Cut::Every(*seconds),
            Around::These(events) => Cut::Events(events.clone()),
            Around::All => Cut::Events(kinds(events).into_iter().map(|(text, _)| text.to_owned()).collect()),
            Around::TheOnly => match &kinds(events)[..] {
                [(text, _)] => Cut::Events(vec![(*text).to_owned()]),
                there => {
                    let there: Vec<String> = there.iter().map(|(text, n)| format!("{text} ({n}×)")).collect();
                    return Err(DataError::new(
                        Code::E07,
                        format!("`{file}` has events of several kinds: {}", list_names(&there)),
                        "the window is around an event",
                        "choose with `--events`, or take them all with `--events all`",
                    )
                    .into());
                }
            },
        };
        Ok(Settings {
            bads,
            cut,
            ..self.settings.clone()
        })
    }

    /// An error if a recording has no events to cut around, whichever they be.
    pub(super) fn no_events(&self, file: &str, events: &[Annotation]) -> Option<DataError> {
        let is_any = matches!(self.around, Around::TheOnly | Around::All);
        (is_any && events.is_empty()).then(|| {
            DataError::new(
                Code::E07,
                format!("`{file}` has no events"),
                "the window is around an event",
                "without events, `--every SECONDS` cuts a recording end to end",
            )
        })
    }

    /// How many independent samples some seconds hold at most: two for each hertz of the band and second.
    pub(super) fn independent(&self, seconds: f64) -> Option<f64> {
        let band = self.settings.band?;
        Some(2.0 * (band.high_hz - band.low_hz) * seconds)
    }

    /// Whether the events of recordings matter.
    pub(super) fn is_around_events(&self) -> bool {
        !matches!(self.around, Around::Every(_))
    }

    /// The channels named as bad that concern a view of a subject. `sub-01:T7` is that of sub-01 alone,
    /// `sub-01_ses-2:T7` that of one of its views.
    pub(super) fn bads_of(&self, subject: &str, view: &str) -> Vec<String> {
        let concerning = |bad: &String| match bad.rsplit_once(':') {
            Some((whose, name)) => (whose == subject || whose == view).then(|| name.to_owned()),
            None => Some(bad.clone()),
        };
        self.bads.iter().filter_map(concerning).collect()
    }

    /// Subjects that --bad names and nobody is.
    pub(super) fn strangers<'s>(&'s self, subjects: &[&str]) -> Vec<&'s str> {
        let whose = self.bads.iter().filter_map(|bad| Some(bad.rsplit_once(':')?.0));
        whose.filter(|whose| !subjects.contains(whose)).collect()
    }

    /// Which recordings are used, and what a view is.
    fn recordings_told(&self) -> Value {
        let Grouping { views_by, kept, .. } = &self.grouping;
        let words = views_by.iter().map(|entity| entity.word());
        let views_by: Vec<&str> = std::iter::once("subject").chain(words).collect();
        let mut recordings = json!({"views_by": views_by});
        for entity in Entity::ALL {
            let values = kept.iter().find(|(kept, _)| *kept == entity).map(|(_, values)| values);
            recordings[entity.word()] = json!(values);
        }
        recordings
    }

    /// Every step in order, null where it is not done.
    pub(super) fn told(&self, montage: Option<&Path>) -> Value {
        let settings = &self.settings;
        let stretch = |stretch: Option<[f64; 2]>| stretch.map(|[from, to]| json!({"from": from, "to": to}));
        let reference = match &settings.reference {
            Reference::Recorded => json!(null),
            Reference::Average => json!({"kind": "average"}),
            Reference::Channels(names) => json!({"kind": "channels", "channels": names}),
        };
        let events = match &self.around {
            Around::TheOnly => json!({"events": "the only kind"}),
            Around::All => json!({"events": "all"}),
            Around::These(events) => json!({"events": events}),
            Around::Every(seconds) => json!({"every_seconds": seconds}),
        };
        let step = |name: &str, value: Value| json!({"step": name, "settings": value});
        json!([
            step("recordings", self.recordings_told()),
            step("names", json!({"system": "10-10"})),
            step(
                "positions",
                json!({"montage": montage.map(|path| path.display().to_string())})
            ),
            step("channels", json!({"asked": settings.channels, "bad": self.bads})),
            step("reference", reference),
            step(
                "csd",
                json!(settings.csd.as_ref().map(|csd| json!({
                    "lambda2": csd.lambda2, "stiffness": csd.stiffness, "n_legendre_terms": csd.n_legendre_terms,
                })))
            ),
            step(
                "band-pass",
                json!(settings.band.map(|band| json!({
                    "kind": "zero-phase Butterworth",
                    "low_hz": band.low_hz, "high_hz": band.high_hz, "order": band.order,
                })))
            ),
            step("epochs", events),
            step("epoch", json!(stretch(settings.epoch))),
            step("baseline", json!(stretch(settings.baseline))),
            step(
                "rejection",
                json!(
                    settings
                        .reject_microvolts
                        .map(|limit| json!({"peak_to_peak_microvolts": limit}))
                )
            ),
            step(
                "window",
                json!(stretch(self.is_around_events().then_some(settings.window)))
            ),
            step("empty recordings", json!({"dropped": self.drop_empty})),
            step("first trials", json!(self.first)),
            step("stacked", json!({"block": "trial"})),
        ])
    }
}

/// Which recordings are used, and what a view is.
fn grouping(args: &EegArgs) -> Grouping {
    let asked = [
        (Entity::Session, &args.session),
        (Entity::Task, &args.task),
        (Entity::Acquisition, &args.acquisition),
        (Entity::Run, &args.run),
    ];
    let is_split = |entity: &Entity| args.views_by.iter().any(|by: &ViewsByArg| by.entity() == Some(*entity));
    Grouping {
        kept: asked
            .into_iter()
            .filter(|(_, values)| !values.is_empty())
            .map(|(entity, values)| (entity, values.clone()))
            .collect(),
        views_by: Entity::ALL.into_iter().filter(is_split).collect(),
    }
}

/// The texts of events, and how many have each, in the order in which they first occur.
fn kinds(events: &[Annotation]) -> Vec<(&str, usize)> {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for event in events {
        match kinds.iter_mut().find(|(text, _)| *text == event.text) {
            Some((_, n)) => *n += 1,
            None => kinds.push((&event.text, 1)),
        }
    }
    kinds
}
