//! Files in, result folder out: everything of congraph that touches a disk.
//!
//! ```text
//! input     .csv .tsv .txt (also .gz), .npy, .npz, .parquet, .mat, .h5ad, or one long table   →  congraph::Table
//! recordings  .edf .bdf and electrode positions   →  congraph_eeg
//! output    congraph::MultiviewGraph   ↔   a folder of .tsv, .json and .npz files that appears whole or not at all
//! export    the same graphs for other programs: GraphML, GEXF, .mat, .npz, edge lists, BIDS
//! ```
//!
//! Reading never guesses silently and never trusts a file: sizes that a header claims are checked against the bytes
//! that are there, and everything that cannot be read says which file, line and column, and what to do about it.

pub mod export;
pub mod input;
mod npy;
pub mod output;
pub mod recordings;

pub use export::{ExportFormat, export};
pub use input::{
    Blocks, Header, Input, LabelTable, Loaded, ReadOptions, limit_memory, read, read_labels, read_pairs, sha256,
};
pub use output::{
    COMMUNITIES_FILES, COMPARE_FILES, Folder, NodeFacts, OutputError, PlaceTable, Places, Run, STABILITY_TABLES,
    ViewRow, abandon, read_comparison, read_graph, read_known, read_node_facts, read_place_table, read_places,
    read_precisions, read_run, read_stability, reseal, seal, seal_communities, seal_compare, seal_with, write_blocks,
    write_bytes, write_communities, write_comparison, write_graph, write_graph_at, write_json, write_precision_graph,
    write_rows, write_stability, write_table, write_text,
};
pub use recordings::{
    ChannelNotes, Entities, Entity, EpochsFile, Grouping, LoadedRecording, RecordingFile, find_recordings,
    read_channels, read_epochs, read_events, read_montage, read_recording,
};
