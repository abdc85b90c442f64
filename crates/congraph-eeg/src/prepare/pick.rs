//! Which channels of a recording are electrodes, what they are called, and where they are.

use congraph::{Code, DataError, Error, list_names};

use crate::montage::{Montage, Position, standard_name};
use crate::recording::Recording;

/// Why a channel is not a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// It is no electrode of the montage: eye, heart, trigger, …
    NotAnElectrode,
    /// It was not among the channels that were asked for.
    NotAsked,
    /// It was named as bad.
    Bad,
    /// It is the reference of all others, and therefore zero.
    Reference,
}

/// The electrodes among the channels of a recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picked {
    /// Their names: those of the 10-10 system where they have one.
    pub names: Vec<String>,
    /// Where they stand among the recording's channels.
    pub channels: Vec<usize>,
    /// Where they are on the head, as far as the montage tells.
    pub positions: Vec<Option<Position>>,
    /// The labels of the other channels, and why they were left out.
    pub dropped: Vec<(String, Dropped)>,
    /// Names given as bad that the recording does not have.
    pub unknown_bads: Vec<String>,
}

/// Finds the electrodes of a recording: the channels that the montage knows, or those asked for by name, without the
/// bad ones.
///
/// # Errors
/// E02 if a channel asked for is not there or none is an electrode; E06 if two channels have the same name.
pub fn pick(
    recording: &Recording,
    montage: &Montage,
    asked: Option<&[String]>,
    bads: &[String],
) -> Result<Picked, Error> {
    let labels: Vec<&str> = recording.channels.iter().map(|channel| &channel.label[..]).collect();
    if let Some(asked) = asked {
        all_there(recording, &labels, asked)?;
    }
    let mut picked = Picked {
        unknown_bads: bads
            .iter()
            .filter(|bad| find(recording, bad).is_none())
            .cloned()
            .collect(),
        ..Picked::default()
    };
    for (place, label) in labels.iter().enumerate() {
        let known = montage.find(label);
        let is_asked = asked.map(|asked| asked.iter().any(|name| is_called(label, name)));
        let reason = match (is_asked, &known) {
            (Some(false), _) => Some(Dropped::NotAsked),
            (None, None) => Some(Dropped::NotAnElectrode),
            _ if bads.iter().any(|bad| is_called(label, bad)) => Some(Dropped::Bad),
            _ => None,
        };
        if let Some(reason) = reason {
            picked.dropped.push(((*label).to_owned(), reason));
            continue;
        }
        let name = known.map_or_else(
            || standard_name(label).unwrap_or(label).to_owned(),
            |(name, _)| name.to_owned(),
        );
        if let Some(other) = picked.names.iter().position(|known| *known == name) {
            let other = labels[picked.channels[other]];
            return Err(twice(recording, other, label, name).into());
        }
        picked.names.push(name);
        picked.channels.push(place);
        picked.positions.push(known.map(|(_, at)| at));
    }
    if picked.names.len() < 2 {
        return Err(too_few(recording, montage, &labels, picked.names.len()).into());
    }
    Ok(picked)
}

/// Refuses names of channels that the recording does not have.
fn all_there(recording: &Recording, labels: &[&str], asked: &[String]) -> Result<(), Error> {
    let missing: Vec<&String> = asked.iter().filter(|name| find(recording, name).is_none()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(DataError::new(
        Code::E02,
        format!(
            "`{}` has no channel {}; its {} channels are {}",
            recording.name,
            list_names(&missing),
            labels.len(),
            list_names(labels)
        ),
        "every subject must have the nodes that are asked for",
        "spell them as in the recording or in the 10-10 system",
    )
    .into())
}

fn twice(recording: &Recording, label: &str, other: &str, name: String) -> DataError {
    DataError::new(
        Code::E06,
        format!(
            "`{}`: the channels `{label}` and `{other}` are both `{name}`",
            recording.name
        ),
        "nodes are matched by name",
        "leave one of them out as bad, or ask for the channels you want",
    )
    .at_node(name)
}

fn too_few(recording: &Recording, montage: &Montage, labels: &[&str], n_picked: usize) -> DataError {
    DataError::new(
        Code::E02,
        format!(
            "`{}` has {n_picked} channels that are electrodes of the {}; its {} channels are {}",
            recording.name,
            montage.name,
            labels.len(),
            list_names(labels)
        ),
        "a graph needs at least two nodes",
        "give a file of positions with the recording's names, or ask for the channels by name",
    )
}

/// The place of the channel with this label or this 10-10 name.
pub(super) fn find(recording: &Recording, name: &str) -> Option<usize> {
    recording
        .channels
        .iter()
        .position(|channel| is_called(&channel.label, name))
}

fn is_called(label: &str, name: &str) -> bool {
    let same_place = || standard_name(label).is_some_and(|known| standard_name(name) == Some(known));
    label.trim().eq_ignore_ascii_case(name.trim()) || same_place()
}
