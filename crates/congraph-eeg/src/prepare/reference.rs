//! What potentials are measured against, and the channels that this needs.

use congraph::{Code, DataError, Error, list_names};

use super::pick::{Dropped, Picked, find};
use crate::recording::Recording;

/// What potentials are measured against.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Reference {
    /// As recorded.
    #[default]
    Recorded,
    /// The mean of all electrodes that are kept.
    Average,
    /// The mean of these channels, which need not be electrodes of the montage.
    Channels(Vec<String>),
}

/// What is cut: the electrodes, and after them the channels that they are only referred to.
pub(super) struct Cutting {
    /// Places among the recording's channels.
    pub(super) channels: Vec<usize>,
    pub(super) names: Vec<String>,
    /// Places among these channels of those whose mean is the reference.
    pub(super) references: Option<Vec<usize>>,
}

/// Adds the channels of the reference to the electrodes; a single electrode that is the reference is dropped.
pub(super) fn with_references(
    recording: &Recording,
    picked: &mut Picked,
    reference: &Reference,
) -> Result<Cutting, Error> {
    let mut all = picked.channels.clone();
    let references = match reference {
        Reference::Recorded => None,
        Reference::Average => Some((0..all.len()).collect()),
        Reference::Channels(names) => {
            let mut places = Vec::with_capacity(names.len());
            for name in names {
                let channel = find(recording, name).ok_or_else(|| no_reference(recording, name))?;
                let place = all.iter().position(|&other| other == channel).unwrap_or_else(|| {
                    all.push(channel);
                    all.len() - 1
                });
                places.push(place);
            }
            if places.is_empty() {
                return Err(Error::Parameter {
                    name: "reference",
                    message: "names no channel".into(),
                });
            }
            // A single reference is zero afterwards, and no node.
            if let ([place], true) = (&places[..], places[0] < picked.names.len()) {
                picked.dropped.push((picked.names.remove(*place), Dropped::Reference));
                picked.channels.remove(*place);
                picked.positions.remove(*place);
            }
            Some(places)
        }
    };
    let name = |channel: &usize| {
        let place = picked.channels.iter().position(|other| other == channel);
        place.map_or_else(
            || recording.channels[*channel].label.clone(),
            |place| picked.names[place].clone(),
        )
    };
    let names = all.iter().map(name).collect();
    Ok(Cutting {
        channels: all,
        names,
        references,
    })
}

fn no_reference(recording: &Recording, name: &str) -> DataError {
    let labels: Vec<&String> = recording.channels.iter().map(|channel| &channel.label).collect();
    DataError::new(
        Code::E02,
        format!(
            "`{}` has no channel `{name}` to use as the reference; its {} channels are {}",
            recording.name,
            labels.len(),
            list_names(&labels)
        ),
        "potentials are measured against it",
        "spell it as in the recording or in the 10-10 system, or use the average reference",
    )
}
